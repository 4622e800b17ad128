//! Data sets whose making ends early: killed, interrupted, on a full disk. Nothing is lost, nothing
//! comes twice.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

use super::dataset::{content, folder, make};
use super::*;

/// About two seconds of work, in small files.
const LONG: &str = r#"
problem = "cube-on-edge"
samples = 8
states = 400
[velocity]
cube.z = [-1.0, -0.1]
[files]
rows = 64
"#;
const FILES: usize = 50;
const KILLS: u64 = 20;

fn start(dir: &Path, out: &str) -> Child {
    let mut command = carom(dir, &format!("dataset plan.toml -o {out}"));
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// The names of files that are whole, and how many are not.
fn parts(dir: &Path) -> (usize, usize) {
    let data = dir.join("data");
    let names = if data.exists() { names_in(&data) } else { Vec::new() };
    let whole = names.iter().filter(|name| name.ends_with(".parquet")).count();
    (whole, names.len() - whole)
}

/// Whether every file there is has the bytes of the same one of the whole data set.
fn is_part_of(dir: &Path, whole: &Path) -> bool {
    let names = names_in(&dir.join("data"));
    let sound = names.iter().filter(|name| name.ends_with(".parquet"));
    sound.into_iter().all(|name| {
        fs::read(dir.join("data").join(name)).ok() == fs::read(whole.join("data").join(name)).ok()
    })
}

#[test]
fn killed_twenty_times_it_goes_on_where_it_was() {
    let dir = folder(LONG);
    let started = Instant::now();
    make(&dir, "whole", "");
    let whole = started.elapsed();
    assert_eq!(parts(&dir.join("whole")), (FILES, 0));
    let (mut midway, mut left_behind) = (0, 0);
    for round in 0..KILLS {
        let mut child = start(&dir, "out");
        // From the first milliseconds to about a tenth of the work, in no order; a start takes some
        // time, too.
        let share = (round * 7 % KILLS) as f64 / KILLS as f64;
        std::thread::sleep(Duration::from_millis(5) + whole.mul_f64(0.1 * share));
        child.kill().unwrap();
        let killed = child.wait().unwrap().signal() == Some(9);
        let (made, temporary) = parts(&dir.join("out"));
        midway += usize::from(killed && made < FILES);
        left_behind += usize::from(temporary > 0);
        assert!(made == 0 || is_part_of(&dir.join("out"), &dir.join("whole")), "round {round}");
    }
    let (made, _) = parts(&dir.join("out"));
    let said = format!("{midway} kills midway, {left_behind} files left, {made} made");
    assert!(midway >= 15 && left_behind > 0 && made > 0, "{said}");
    let report = make(&dir, "out", "");
    assert_eq!((&report["found"], &report["written"]), (&made.into(), &(FILES - made).into()));
    // Every file, the description and the card; nothing temporary is left.
    assert_eq!(content(&dir.join("out")), content(&dir.join("whole")));
}

#[test]
fn an_interrupted_run_keeps_whole_files_and_says_so() {
    let dir = folder(LONG);
    let mut child = start(&dir, "out");
    let patience = Instant::now();
    while parts(&dir.join("out")).0 < 2 {
        assert!(patience.elapsed() < Duration::from_secs(60), "no file appears");
        std::thread::sleep(Duration::from_millis(2));
    }
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let (made, temporary) = parts(&dir.join("out"));
    assert!((2..FILES).contains(&made) && temporary == 0, "{made} made, {temporary} temporary");
    let report = make(&dir, "out", "");
    assert_eq!((&report["found"], &report["complete"]), (&made.into(), &true.into()));
    make(&dir, "whole", "");
    assert_eq!(content(&dir.join("out")), content(&dir.join("whole")));
}

/// On a small file system of its own where the system permits one, else with a limit on the size of
/// files.
#[test]
fn a_full_disk_keeps_what_is_whole() {
    let plan = LONG.replace("states = 400", "states = 64").replace("rows = 64", "rows = 128");
    let dir = folder(&plan);
    make(&dir, "whole", "");
    let carom = env!("CARGO_BIN_EXE_carom");
    let shell = |script: &str, unshared: bool| {
        let mut command = Command::new(if unshared { "unshare" } else { "bash" });
        let own: &[&str] = if unshared { &["-rm", "bash"] } else { &[] };
        command.args(own).args(["-c", script]).current_dir(&*dir).output()
    };
    let mount = "mkdir -p disk && mount -t tmpfs -o size=64k tmpfs disk";
    let mounts = shell(mount, true).is_ok_and(|output| output.status.success());
    let (output, why) = if mounts {
        // The disk goes with the shell: what is on it is copied before.
        let script = format!(
            "{mount} && {carom} dataset plan.toml -o disk/out; code=$?; cp -r disk/out out; exit $code"
        );
        (shell(&script, true).unwrap(), "the disk is full")
    } else {
        let script = format!("trap '' XFSZ; ulimit -f 8; {carom} dataset plan.toml -o out");
        (shell(&script, false).unwrap(), "file too large")
    };
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert!(message.contains(why) && message.contains(".parquet"), "{message}");
    let (made, temporary) = parts(&dir.join("out"));
    let some = made < 4 && (made > 0 || !mounts);
    assert!(some && temporary == 0, "{made} made, {temporary} temporary");
    assert!(is_part_of(&dir.join("out"), &dir.join("whole")));
    assert_eq!(make(&dir, "out", "")["found"], made);
    assert_eq!(content(&dir.join("out")), content(&dir.join("whole")));
}
