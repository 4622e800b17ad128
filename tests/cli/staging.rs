//! Files of processes that were killed, on a system that locks files and says which kernel it is.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::*;

fn sample(dir: &Path, samples: &str, out: &str) -> Command {
    let args = format!("sample rocking-block --device cpu --samples {samples} --out {out}");
    let mut command = carom(dir, &args);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn finish(dir: &Path, out: &str) {
    assert!(sample(dir, "16", out).status().expect("carom runs").success());
}

fn temporaries(dir: &Path) -> Vec<PathBuf> {
    let temporary = names_in(dir).into_iter().filter(|name| name.ends_with(".tmp"));
    temporary.map(|name| dir.join(name)).collect()
}

/// A run that is far from done; its temporary file is there, and it holds it.
fn start(dir: &Path, out: &str) -> (Child, PathBuf) {
    let before = temporaries(dir);
    let child = sample(dir, "1e9", out).spawn().expect("carom runs");
    let patience = Instant::now();
    while patience.elapsed() < Duration::from_secs(60) {
        let new = temporaries(dir).into_iter().find(|path| {
            let taken = || std::fs::File::open(path).is_ok_and(|file| file.try_lock().is_err());
            !before.contains(path) && taken()
        });
        if let Some(new) = new {
            return (child, new);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    kill(child);
    panic!("no temporary file appears");
}

fn kill(mut child: Child) {
    child.kill().expect("a running process");
    child.wait().expect("an end");
}

#[test]
fn what_a_killed_run_leaves_is_removed_by_the_next_one_of_its_target() {
    let dir = Folder::new();
    let (killed, left) = start(&dir, "out.npz");
    kill(killed);
    assert_eq!(temporaries(&dir), std::slice::from_ref(&left));
    let name = left.file_name().and_then(|name| name.to_str()).expect("a name");
    assert!(name.contains("out.npz"), "{name}");

    // A run with another target leaves the file alone.
    finish(&dir, "other.npz");
    assert_eq!(temporaries(&dir), [left]);
    finish(&dir, "out.npz");
    assert!(temporaries(&dir).is_empty());
    assert!(dir.join("out.npz").exists() && dir.join("other.npz").exists());
}

#[test]
fn a_run_that_lives_keeps_its_file() {
    let dir = Folder::new();
    let (killed, _) = start(&dir, "out.npz");
    kill(killed);
    let (first, one) = start(&dir, "out.npz");
    let (second, two) = start(&dir, "out.npz");
    assert_ne!(one, two);
    finish(&dir, "out.npz");
    let mut both = [one.clone(), two.clone()];
    both.sort();
    assert_eq!(temporaries(&dir), both);
    kill(first);
    finish(&dir, "out.npz");
    assert_eq!(temporaries(&dir), [two]);
    kill(second);
}

#[test]
fn files_of_other_hosts_are_left_alone() {
    let dir = Folder::new();
    let (killed, left) = start(&dir, "out.npz");
    kill(killed);
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").expect("a kernel");
    let name = left.file_name().and_then(|name| name.to_str()).expect("a name");
    let elsewhere = dir.join(name.replace(&boot[..8], "00000000"));
    assert_ne!(elsewhere, left);
    std::fs::rename(&left, &elsewhere).expect("another name");
    finish(&dir, "out.npz");
    assert_eq!(temporaries(&dir), [elsewhere]);
}
