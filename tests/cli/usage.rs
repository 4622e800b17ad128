//! What every command refuses, and what a reader or a terminal may do to it.

use std::process::{Command, Stdio};

use super::{carom, directory, refused, text};

#[test]
fn bad_flags_are_usage_errors() {
    let dir = directory();
    std::fs::create_dir(dir.path().join("d.npz")).unwrap();
    let cases: &[(&[&str], i32, &[&str])] = &[
        (&["integrate", "block.json"], 2, &["integrate"]),
        (&["sample"], 2, &["WHAT"]),
        (&["sample", "block.json", "more"], 2, &["more"]),
        (&["sample", "block.json", "--sample", "3"], 2, &["--sample"]),
        (&["sample", "block.json", "--samples"], 2, &["--samples"]),
        (&["sample", "block.json", "--samples", "0"], 2, &["--samples", "whole number"]),
        (&["sample", "block.json", "--samples", "-5"], 2, &["--samples", "-5"]),
        (&["sample", "block.json", "--samples", "1.5"], 2, &["--samples", "1.5"]),
        (&["sample", "block.json", "--samples", "1e19"], 2, &["--samples", "2^63"]),
        (&["sample", "block.json", "--samples", "many"], 2, &["--samples", "many"]),
        (&["sample", "block.json", "--seed", "-1"], 2, &["--seed"]),
        (&["sample", "block.json", "--seed", "x"], 2, &["--seed"]),
        (&["sample", "block.json", "--law", "newton"], 2, &["--law", "newton", "routh"]),
        (
            &["sample", "block.json", "--law", "compliant"],
            2,
            &["no such law", "sequential, propagative"],
        ),
        (
            &["sample", "block.json", "--law", "sequential", "--step", "0.1"],
            2,
            &["--step", "belongs to routh"],
        ),
        (
            &["sample", "block.json", "--law", "sequential", "--solution", "lemke"],
            2,
            &["--solution"],
        ),
        (
            &["sample", "block.json", "--law", "sequential", "--solver", "tree"],
            2,
            &["--solver", "routh"],
        ),
        (
            &["sample", "block.json", "--law", "sequential", "--restitution", "0.5"],
            2,
            &["--restitution"],
        ),
        (
            &["sample", "block.json", "--law", "sequential", "--persist", "2"],
            2,
            &["--persist", "belongs to routh"],
        ),
        (&["sample", "block.json", "--persist", "0"], 2, &["--persist", "whole number"]),
        (&["sample", "cube-on-edge", "--persist", "2"], 2, &["persist", "--step H"]),
        (
            &["sample", "cube-on-edge", "--restitution", "0.5", "--uncertainty", "e=0..0.5"],
            2,
            &["--restitution", "leave one of them out"],
        ),
        (
            &["sample", "block.json", "--facets", "8"],
            2,
            &["facets", "spatial", "leave --facets out"],
        ),
        (&["sample", "block.json", "--law", "sequential", "--facets", "8"], 2, &["--facets"]),
        (
            &["plot", "block.json", "-o", "x.svg", "--law", "propagative", "--facets", "8"],
            2,
            &["--facets"],
        ),
        (&["compare", "block.json", "-o", "picture.jpg"], 2, &["picture.jpg", ".svg"]),
        (&["compare", "block.json", "-o", "nowhere/picture.svg"], 2, &["nowhere"]),
        (&["plot", "block.json", "-o", "picture"], 2, &["picture", ".svg"]),
        (&["plot", "nothing", "-o", "picture.svg"], 3, &["nothing"]),
        (
            &["sample", "block.json", "--sampler", "dice"],
            2,
            &["--sampler", "uniform", "sobol", "coverage"],
        ),
        (&["sample", "block.json", "--sampler", "sobl"], 2, &["--sampler", "perhaps sobol"]),
        (
            &["sample", "block.json", "--sampler", "uniform:x,sobol:1"],
            2,
            &["--sampler", "expected a share"],
        ),
        (&["sample", "block.json", "--sampler", "uniform:0,sobol:1"], 2, &["--sampler", "above 0"]),
        (
            &["sample", "block.json", "--sampler", "sobol:1,sobol:1"],
            2,
            &["--sampler", "named twice"],
        ),
        (&["sample", "block.json", "--solution", "best"], 2, &["--solution", "random", "lemke"]),
        (&["sample", "block.json", "--precision", "f16"], 2, &["--precision", "f32", "f64"]),
        (&["sample", "block.json", "--device", ""], 2, &["--device", "cpu"]),
        (&["sample", "block.json", "--device", "no such adapter"], 4, &[]),
        (&["sample", "block.json", "--step", "0"], 2, &["--step", "> 0"]),
        (&["sample", "block.json", "--step", "-1"], 2, &["--step", "-1"]),
        (&["sample", "block.json", "--step", "nan"], 2, &["--step", "finite"]),
        (&["sample", "block.json", "--max-steps", "0"], 2, &["--max-steps"]),
        (&["sample", "block.json", "--max-rejected", "2"], 2, &["--max-rejected", "[0, 1]"]),
        (&["sample", "block.json", "--max-rejected", "nan"], 2, &["--max-rejected", "[0, 1]"]),
        (&["sample", "block.json", "--restitution", "1.5"], 2, &["--restitution", "[0, 1]"]),
        (
            &["sample", "block.json", "--restitution", "0.5", "--hypothesis", "newton"],
            2,
            &["hypothesis", "stronge"],
        ),
        (
            &["sample", "block.json", "--uncertainty", "mu=0.3..0.1"],
            2,
            &["--uncertainty", "mu=A..B"],
        ),
        (&["sample", "block.json", "--uncertainty", "e=0.5..1.5"], 2, &["--uncertainty", "<= 1"]),
        (&["sample", "block.json", "--uncertainty", "mass=1..2"], 2, &["--uncertainty", "noise=S"]),
        (
            &["sample", "block.json", "--uncertainty", "mu=0.1,mu=0.2"],
            2,
            &["--uncertainty", "twice"],
        ),
        (
            &["sample", "block.json", "--uncertainty", "mu=-0.1..0.2"],
            2,
            &["--uncertainty", "0 <= A"],
        ),
        (
            &["sample", "block.json", "--uncertainty", "e=nan..1"],
            2,
            &["--uncertainty", "0 <= A <= B"],
        ),
        (&["sample", "block.json", "--uncertainty", "noise=-1"], 2, &["--uncertainty", "S >= 0"]),
        (
            &["sample", "block.json", "--uncertainty", "inertia=0..2"],
            2,
            &["--uncertainty", "factors > 0"],
        ),
        (
            &["sample", "block.json", "--law", "sequential", "--sampler", "coverage"],
            2,
            &["--sampler", "belongs to routh"],
        ),
        (
            &["sample", "block.json", "--law", "sequential", "--uncertainty", "noise=0.1"],
            3,
            &["uncertainty", "routh"],
        ),
        (&["sample", "block.json", "--threads", "0"], 2, &["--threads"]),
        (&["sample", "block.json", "--out", "x.csv"], 2, &["x.csv", ".parquet", ".npz"]),
        (&["sample", "block.json", "--out", "x"], 2, &[".parquet", ".npz"]),
        (&["sample", "block.json", "--out", "d.npz"], 2, &["d.npz", "directory"]),
        (
            &["sample", "block.json", "--out", "none/x.npz"],
            2,
            &[if cfg!(feature = "npz") { "none" } else { "npz" }],
        ),
        (&["scenes", "rocking-blok"], 3, &["rocking-blok", "rocking-block"]),
        (&["scenes", "rocking-blok", "--json"], 3, &["rocking-blok", "rocking-block"]),
        (&["scenes", "rocking-block", "--json", "--set", "theta=1"], 2, &["theta"]),
        (
            &["sample", "block.json", "--velocity", "1,2"],
            2,
            &["--velocity", "2 numbers for 3", "q0, q1, q2"],
        ),
        (
            &["sample", "block.json", "--velocity", "q3=1"],
            2,
            &["--velocity", "`q3`", "the coordinates are q0"],
        ),
        (
            &["sample", "block.json", "--velocity", "-1,nan,0"],
            2,
            &["--velocity", "expected finite numbers"],
        ),
        (&["sample", "block.json", "--velocity", "q0=1,q0=2"], 2, &["--velocity", "given twice"]),
        (
            &["resolve", "block.json", "--law", "sequential", "--velocity", "1e200,1,1"],
            2,
            &["--velocity", "overflow"],
        ),
        (&["doctor", "who"], 2, &["who"]),
        (&["bench", "rocking-blok"], 3, &["rocking-blok", "rocking-block"]),
        (&["bench", "--seconds", "0"], 2, &["--seconds", "above 0"]),
        (&["bench", "--seconds", "-1"], 2, &["--seconds", "-1"]),
        (&["bench", "--seconds", "long"], 2, &["--seconds", "long"]),
        (&["bench", "--precision", "f16"], 2, &["--precision", "f32", "f64"]),
        (&["bench", "--device", ""], 2, &["--device", "cpu"]),
        (&["bench", "--device", "no such adapter"], 4, &[]),
        (&["bench", "--quik"], 2, &["--quick"]),
    ];
    for (args, code, words) in cases {
        refused(dir.path(), args, *code, words);
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let dir = directory();
    for args in [
        &["scenes"][..],
        &["doctor"],
        &["sample", "block.json", "--samples", "10", "--device", "cpu"],
    ] {
        let mut child =
            carom(dir.path(), args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(
            (output.status.code(), text(&output.stderr).as_str()),
            (Some(0), ""),
            "{args:?}"
        );
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
        script.args(["-qec", &line, "/dev/null"]).current_dir(dir.path()).stdin(Stdio::null());
        let Ok(output) = script.env("XDG_RUNTIME_DIR", dir.path()).output() else { return };
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
    let dir = super::directory();
    for (value, code) in
        [("3", 0), ("0", 0), ("", 0), ("4097", 2), ("100000", 2), ("-1", 2), ("many", 2)]
    {
        let mut command =
            super::carom(dir.path(), &["sample", "block.json", "-n", "16", "--device", "cpu"]);
        let output = command.env("RAYON_NUM_THREADS", value).output().unwrap();
        let message = super::text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{value}: {message}");
        assert_eq!(message.contains("RAYON_NUM_THREADS"), code == 2, "{value}: {message}");
    }
}

/// Where there is no memory for threads, that is said, and nothing hangs.
#[cfg(target_os = "linux")]
#[test]
fn threads_that_cannot_be_started_are_an_error() {
    let dir = super::directory();
    let script = "ulimit -v 300000; exec \"$0\" sample block.json -n 64 --device cpu \"$@\"";
    for (variable, more) in [("600", &[][..]), ("4000", &[]), ("1", &["--threads", "3000"])] {
        let mut command = std::process::Command::new("sh");
        command.args(["-c", script, env!("CARGO_BIN_EXE_carom")]).args(more);
        let output =
            command.current_dir(dir.path()).env("RAYON_NUM_THREADS", variable).output().unwrap();
        let message = super::text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{variable}: {message}");
        assert!(message.contains("cannot start") && !message.contains("panicked"), "{message}");
    }
}

/// Derivatives of five contacts take one workspace for each column, and little memory for it.
#[cfg(all(target_os = "linux", feature = "npz"))]
#[test]
fn derivatives_of_five_contacts_need_little_memory() {
    let dir = super::directory();
    let row = |i: usize, phase: f64| [0, 1, 2].map(|j| (phase + (3 * i + j) as f64).sin());
    let rows = |phase: f64| (0..5).map(|i| row(i, phase)).collect::<Vec<_>>();
    let problem = serde_json::json!({
        "mass": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "velocity": [-1, -2, -3],
        "normal": rows(0.5), "tangent": rows(0.2), "friction": [0.3, 0.3, 0.3, 0.3, 0.3]
    });
    std::fs::write(dir.path().join("five.json"), problem.to_string()).unwrap();
    let script = "ulimit -v 2000000; exec \"$0\" sample five.json -n 64 --device cpu --threads 8 \
                  --jacobian --out five.npz";
    let mut command = std::process::Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_carom")]);
    let output = command.current_dir(dir.path()).output().unwrap();
    assert!(output.status.success(), "{}", super::text(&output.stderr));
}

/// An interrupt is answered soon, whatever is being computed, and leaves no file behind.
#[cfg(unix)]
#[test]
fn interrupts_are_answered_soon() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let dir = super::directory();
    let many = |m: usize| {
        let normal: Vec<[f64; 3]> = (0..m)
            .map(|i| (i as f64, 0.7 + i as f64))
            .map(|(a, b)| [a.sin(), b.cos(), (a * b).sin()])
            .collect();
        serde_json::json!({ "mass": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "normal": normal, "velocity": [-1, -2, -3] })
    };
    std::fs::write(dir.path().join("many.json"), many(300).to_string()).unwrap();
    let sample = ["sample", "many.json", "-n", "1000", "--device", "cpu", "--out", "many.npz"];
    let file = if cfg!(feature = "npz") { &sample[..] } else { &sample[..5] };
    let args = file;
    let child = super::carom(dir.path(), args)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let interrupted = Instant::now();
    assert!(
        Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success()
    );
    let output = child.wait_with_output().unwrap();
    let (message, seconds) = (super::text(&output.stderr), interrupted.elapsed().as_secs_f64());
    assert_eq!(output.status.code(), Some(130), "{args:?}: {message}");
    assert!(message.contains("interrupted") && seconds < 4.0, "{args:?}: {seconds} s, {message}");
    assert_eq!(super::names_in(dir.path()), ["block.json", "many.json"]);
}
