//! Reports that do not mislead, as a user reads them.
#![cfg(feature = "cli")]

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn run(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_carom"));
    command.args(args).current_dir(dir).stdin(Stdio::null()).env("XDG_RUNTIME_DIR", dir);
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// What help says, on one line.
fn help(command: &str) -> String {
    let help = text(&run(Path::new("."), &[command, "--help"]).stdout);
    help.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How far each number of the velocity ranges.
fn ranges(args: &[&str]) -> Vec<f64> {
    let output = run(Path::new("."), &[args, &["--device", "cpu", "--json"]].concat());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let of = |key: &str| report["velocity"][key].as_array().unwrap().clone();
    of("max").iter().zip(of("min")).map(|(max, min)| max.as_f64().unwrap() - min.as_f64().unwrap()).collect()
}

#[test]
fn modes_are_those_met_and_shares_those_of_the_sampler() {
    let report =
        text(&run(Path::new("."), &["sample", "rocking-block", "-n", "500", "--device", "cpu"]).stdout);
    assert!(report.contains("contact modes met: 3 combinations"), "{report}");
    assert!(report.contains("the sampler's, no probabilities"), "{report}");
    assert!(
        help("sample")
            .contains("contact modes that were met. Their shares are the sampler's, no probabilities")
    );
}

/// [HP23] Sec. 5: rates of many short steps come close to their mean.
#[test]
fn a_smaller_step_shrinks_what_is_met() {
    for command in ["sample", "reality"] {
        assert!(
            help(command).contains("A smaller step averages the rates and shrinks what is met"),
            "{command}"
        );
    }
    let coarse = ranges(&["sample", "rocking-block", "-n", "2000"]);
    let fine = ranges(&["sample", "rocking-block", "-n", "2000", "--step", "0.003", "--max-steps", "10000"]);
    assert!(fine.iter().zip(&coarse).all(|(fine, coarse)| *fine < 0.5 * coarse), "{fine:?} {coarse:?}");
}
