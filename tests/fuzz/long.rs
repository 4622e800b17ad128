//! Runs without end: `scripts/fuzz.sh` says for how long and where failures go.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::harness::{Count, Target, run};
use crate::{formats, numbers};

/// How long one target runs before the next one does.
const TURN: Duration = Duration::from_secs(5);

fn targets() -> impl Iterator<Item = &'static Target> {
    formats::TARGETS.iter().chain(&numbers::TARGETS)
}

pub fn target(name: &str) -> Option<&'static Target> {
    targets().find(|target| target.name == name)
}

fn said(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// New cases of all targets, or of `CAROM_FUZZ_TARGET`, for `CAROM_FUZZ_SECONDS`; failing inputs
/// and what became of the cases, in `counts-SEED`, go to the folder `CAROM_FUZZ_DIR`.
#[test]
#[ignore = "scripts/fuzz.sh runs it"]
fn long() {
    let seconds: u64 =
        said("CAROM_FUZZ_SECONDS").map_or(60, |text| text.parse().expect("a number of seconds"));
    let keep = PathBuf::from(said("CAROM_FUZZ_DIR").expect("CAROM_FUZZ_DIR is a folder"));
    fs::create_dir_all(&keep).expect("a folder for failing inputs");
    let wanted = said("CAROM_FUZZ_TARGET");
    let chosen: Vec<&Target> =
        targets().filter(|target| wanted.as_ref().is_none_or(|name| target.name == name)).collect();
    let names: Vec<&str> = targets().map(|target| target.name).collect();
    assert!(!chosen.is_empty(), "no target of this name; there are {names:?}");
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
    let seed = said("CAROM_FUZZ_SEED").map_or(now, |text| text.parse().expect("a seed"));
    let mut counts: BTreeMap<&str, (u64, Count)> = BTreeMap::new();
    let begun = Instant::now();
    for target in chosen.iter().cycle() {
        let turn = Instant::now();
        let (next, count) = counts.entry(target.name).or_default();
        while turn.elapsed() < TURN && begun.elapsed().as_secs() < seconds {
            if let Some(what) = run(target, (seed, *next), count, Some(&keep)) {
                println!("{what}\n");
            }
            *next += 1;
        }
        // What is known if a later case ends the program.
        let lines: String =
            counts.iter().map(|(name, (_, count))| format!("{name}: {count}\n")).collect();
        fs::write(keep.join(format!("counts-{seed}")), lines).expect("a file for counts");
        if begun.elapsed().as_secs() >= seconds {
            break;
        }
    }
    let _ = fs::remove_file(keep.join("running"));
}

/// The case that `CAROM_FUZZ_CASE` names: `TARGET:SEED:NUMBER`. Its input stays in the folder
/// `CAROM_FUZZ_DIR`, if that is given.
#[test]
#[ignore = "repeats one case"]
fn one() {
    let text = said("CAROM_FUZZ_CASE").expect("CAROM_FUZZ_CASE=TARGET:SEED:NUMBER");
    let parts: Vec<&str> = text.split(':').collect();
    let [name, seed, number] = parts[..] else { panic!("TARGET:SEED:NUMBER") };
    let target = target(name).expect("a target of this name");
    let place = (seed.parse().expect("a seed"), number.parse().expect("a number"));
    let keep = said("CAROM_FUZZ_DIR").map(PathBuf::from);
    let mut count = Count::default();
    let failed = run(target, place, &mut count, keep.as_deref());
    println!("{count}");
    assert!(failed.is_none(), "{}", failed.unwrap_or_default());
}
