//! What a reader, a terminal, the machine or an interrupt may do to every command.

use super::*;

#[cfg(unix)]
#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let dir = directory();
    for args in ["scenes", "doctor", "sample block.json --samples 10 --device cpu"] {
        let mut child = piped(&mut carom(&dir, args));
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let end = (output.status.code(), text(&output.stderr));
        assert_eq!(end, (Some(0), String::new()), "{args}");
    }
}

/// `script` gives the program a terminal; where there is no such command, there is nothing to test.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_a_report_and_no_panic() {
    let dir = directory();
    for args in ["sample block.json --samples 20k --device cpu", "sample absent.json", "doctor"] {
        let line = format!("{} {args}", env!("CARGO_BIN_EXE_carom"));
        let mut script = Command::new("script");
        script.args(["-qec", &line, "/dev/null"]).current_dir(&*dir).stdin(Stdio::null());
        let Ok(output) = script.env("XDG_RUNTIME_DIR", &*dir).output() else { return };
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        let code = if args.contains("absent") { 3 } else { 0 };
        assert_eq!(output.status.code(), Some(code), "{args}\n{shown}");
        assert!(!shown.contains("panicked") && !shown.trim().is_empty(), "{args}\n{shown}");
    }
}

/// The variable that says how many threads there are is checked as `--threads` is, and what cannot
/// be started is an error.
#[test]
fn the_number_of_threads_is_checked_wherever_it_is_given() {
    let dir = directory();
    let good = ["3", "0", ""].map(|value| (value, 0));
    let bad = ["4097", "100000", "-1", "many"].map(|value| (value, 2));
    for (value, code) in good.into_iter().chain(bad) {
        let mut command = carom(&dir, "sample block.json -n 16 --device cpu");
        let output = command.env("RAYON_NUM_THREADS", value).output().unwrap();
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{value}: {message}");
        assert_eq!(message.contains("RAYON_NUM_THREADS"), code == 2, "{value}: {message}");
    }
}

/// Where there is no memory for threads, that is said, and nothing hangs.
#[cfg(target_os = "linux")]
#[test]
fn threads_that_cannot_be_started_are_an_error() {
    let dir = directory();
    let script = "ulimit -v 300000; exec \"$0\" sample block.json -n 64 --device cpu \"$@\"";
    for (variable, more) in [("600", ""), ("4000", ""), ("1", "--threads 3000")] {
        let mut sh = Command::new("sh");
        sh.args(["-c", script, env!("CARGO_BIN_EXE_carom")]).args(words(more)).current_dir(&*dir);
        let output = sh.env("RAYON_NUM_THREADS", variable).output().unwrap();
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{variable}: {message}");
        assert!(message.contains("cannot start") && !message.contains("panicked"), "{message}");
    }
}

/// Derivatives of five contacts take one workspace for each column, and little memory for it.
#[cfg(target_os = "linux")]
#[test]
fn derivatives_of_five_contacts_need_little_memory() {
    let dir = directory();
    let row = |i: usize, phase: f64| [0, 1, 2].map(|j| (phase + (3 * i + j) as f64).sin());
    let rows = |phase: f64| (0..5).map(|i| row(i, phase)).collect::<Vec<_>>();
    let problem = serde_json::json!({
        "mass": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "velocity": [-1, -2, -3],
        "normal": rows(0.5), "tangent": rows(0.2), "friction": [0.3, 0.3, 0.3, 0.3, 0.3]
    });
    write(&dir, "five.json", problem.to_string());
    let script = "ulimit -v 2000000; exec \"$0\" sample five.json -n 64 --device cpu --threads 8 \
                  --jacobian --out five.npz";
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_carom")]);
    let output = command.current_dir(&*dir).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
}

/// An interrupt is answered soon, whatever is being computed, and leaves no file behind.
#[cfg(unix)]
#[test]
fn interrupts_are_answered_soon() {
    use std::time::{Duration, Instant};
    let dir = directory();
    let many = |m: usize| {
        let angles = (0..m).map(|i| (i as f64, 0.7 + i as f64));
        let normal: Vec<_> = angles.map(|(a, b)| [a.sin(), b.cos(), (a * b).sin()]).collect();
        serde_json::json!({ "mass": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "normal": normal, "velocity": [-1, -2, -3] })
    };
    write(&dir, "many.json", many(300).to_string());
    let args = "sample many.json -n 1000 --device cpu --out many.npz";
    let child = piped(&mut carom(&dir, args));
    std::thread::sleep(Duration::from_millis(1500));
    let interrupted = Instant::now();
    signal(&child, "-TERM");
    let output = child.wait_with_output().unwrap();
    let (message, seconds) = (text(&output.stderr), interrupted.elapsed().as_secs_f64());
    assert_eq!(output.status.code(), Some(130), "{args:?}: {message}");
    assert!(message.contains("interrupted") && seconds < 4.0, "{args:?}: {seconds} s, {message}");
    assert_eq!(names_in(&dir), ["block.json", "many.json"]);
}
