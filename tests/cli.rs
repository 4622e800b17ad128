//! The command line, run as a user runs it.
#![cfg(feature = "cli")]

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A block on two corners; tests bend it by replacing text.
const BLOCK: &str = r#"{
  "name": "block",
  "mass": [[1, 0, 0], [0, 1, 0], [0, 0, 0.2]],
  "normal": [[0, 1, -0.5], [0, 1, 0.5]],
  "tangent": [[1, 0, 0.5], [1, 0, 0.5]],
  "friction": [0.5, 0.5],
  "velocity": [0.3, -1, 0.4],
  "contacts": ["left", "right"]
}"#;

/// Its normal velocity after the impact cannot be zero: it is the rounding of numbers 1e12 times as large.
const ROUGH: &str =
    r#"{ "mass": [[1, 0], [0, 1]], "normal": [[1e12, 1e12]], "velocity": [1, -1.0000000000013] }"#;

/// A file that this build can write, where it can write any.
const FILE: Option<&str> = if cfg!(feature = "npz") {
    Some("out.npz")
} else if cfg!(feature = "parquet") {
    Some("out.parquet")
} else {
    None
};

fn carom(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_carom"));
    command.args(args).current_dir(dir).stdin(Stdio::null());
    // Without it, some Vulkan drivers write to stderr.
    command.env("XDG_RUNTIME_DIR", dir);
    command
}

fn run(dir: &Path, args: &[&str]) -> Output {
    carom(dir, args).output().unwrap()
}

fn directory() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("block.json"), BLOCK).unwrap();
    dir
}

fn names_in(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Exit code, words in the message, nothing on stdout, no panic, nothing new in the directory.
fn refused(dir: &Path, args: &[&str], code: i32, words: &[&str]) {
    let before = names_in(dir);
    let output = run(dir, args);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{args:?}\n{message}");
    assert_eq!(text(&output.stdout), "", "{args:?}");
    assert!(!message.contains("panicked"), "{args:?}\n{message}");
    assert_eq!(message.matches("error:").count(), 1, "{args:?}\n{message}");
    for word in words {
        assert!(message.contains(word), "{args:?}: {word}\n{message}");
    }
    assert_eq!(names_in(dir), before, "{args:?}");
}

#[test]
fn bad_flags_are_usage_errors() {
    let dir = directory();
    std::fs::create_dir(dir.path().join("d.npz")).unwrap();
    let cases: &[(&[&str], i32, &[&str])] = &[
        (&["simulate", "block.json"], 2, &["simulate"]),
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
        (&["sample", "block.json", "--law", "plus"], 2, &["no such law", "sequential, propagative"]),
        (&["sample", "block.json", "--law", "sequential", "--step", "0.1"], 2, &["--step", "single impacts"]),
        (&["sample", "block.json", "--law", "sequential", "--solution", "lemke"], 2, &["--solution"]),
        (&["sample", "block.json", "--law", "sequential", "--solver", "tree"], 2, &["--solver", "routh"]),
        (&["sample", "block.json", "--law", "sequential", "--restitution", "0.5"], 2, &["--restitution"]),
        (
            &["sample", "block.json", "--law", "sequential", "--persist", "2"],
            2,
            &["--persist", "single impacts"],
        ),
        (&["sample", "block.json", "--persist", "0"], 2, &["--persist", "whole number"]),
        (&["sample", "cube-on-edge", "--persist", "2"], 2, &["persist", "--step H"]),
        (
            &["sample", "cube-on-edge", "--restitution", "0.5", "--uncertainty", "e=0..0.5"],
            2,
            &["--restitution", "leave one of them out"],
        ),
        (&["sample", "block.json", "--facets", "8"], 2, &["facets", "spatial", "leave --facets out"]),
        (&["sample", "block.json", "--law", "sequential", "--facets", "8"], 2, &["--facets"]),
        (&["plot", "block.json", "-o", "x.svg", "--law", "propagative", "--facets", "8"], 2, &["--facets"]),
        (&["compare", "block.json", "-o", "picture.png"], 2, &["picture.png", ".svg"]),
        (&["compare", "block.json", "-o", "nowhere/picture.svg"], 2, &["nowhere"]),
        (&["plot", "block.json", "-o", "picture"], 2, &["picture", ".svg"]),
        (&["plot", "nothing", "-o", "picture.svg"], 3, &["nothing"]),
        (&["sample", "block.json", "--sampler", "sobol"], 2, &["sobol", "not built yet"]),
        (&["sample", "block.json", "--sampler", "dice"], 2, &["--sampler", "uniform"]),
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
        (&["sample", "block.json", "--uncertainty", "mu=0.3..0.1"], 2, &["--uncertainty", "mu=A..B"]),
        (&["sample", "block.json", "--uncertainty", "e=0.5..1.5"], 2, &["--uncertainty", "<= 1"]),
        (&["sample", "block.json", "--uncertainty", "mass=1..2"], 2, &["--uncertainty", "noise=S"]),
        (&["sample", "block.json", "--uncertainty", "mu=0.1,mu=0.2"], 2, &["--uncertainty", "twice"]),
        (&["sample", "block.json", "--uncertainty", "mu=-0.1..0.2"], 2, &["--uncertainty", "0 <= A"]),
        (&["sample", "block.json", "--uncertainty", "e=nan..1"], 2, &["--uncertainty", "0 <= A <= B"]),
        (&["sample", "block.json", "--uncertainty", "noise=-1"], 2, &["--uncertainty", "S >= 0"]),
        (&["sample", "block.json", "--uncertainty", "inertia=0..2"], 2, &["--uncertainty", "factors > 0"]),
        (
            &["sample", "block.json", "--law", "sequential", "--sampler", "coverage"],
            2,
            &["--sampler", "impacts"],
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
        (&["scenes", "rocking-block", "--json"], 2, &["--json"]),
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

#[test]
fn bad_files_are_named_with_key_and_row() {
    let bent = |from: &str, to: &str| {
        assert!(BLOCK.contains(from), "{from}");
        BLOCK.replacen(from, to, 1)
    };
    let cases: Vec<(&str, String, &[&str])> = vec![
        ("empty.json", String::new(), &["empty.json"]),
        ("cut.json", BLOCK[..60].to_string(), &["cut.json"]),
        ("list.json", "[1, 2]".to_string(), &["list.json", "expected"]),
        ("bad.toml", "mass = [[1\n".to_string(), &["bad.toml"]),
        ("comma.json", bent("\"block\",", "\"block\""), &["comma.json"]),
        ("key.json", bent("\"mass\"", "\"mas\""), &["key.json", "mas", "mass"]),
        ("missing.json", bent("\"velocity\": [0.3, -1, 0.4],", ""), &["missing.json", "velocity"]),
        ("type.json", bent("[0.3, -1, 0.4]", "[0.3, \"fast\", 0.4]"), &["type.json", "velocity[1]"]),
        ("short.json", bent("[0, 1, 0]", "[0, 1]"), &["short.json", "mass[1]", "expected 3"]),
        ("rows.json", bent(", [0, 0, 0.2]]", "]"), &["rows.json", "mass", "expected 3"]),
        ("skew.json", bent("[0, 1, 0]", "[7, 1, 0]"), &["skew.json", "mass[1][0]", "symmetric"]),
        ("flat.json", bent("0.2", "0"), &["flat.json", "mass", "positive definite"]),
        ("huge.json", bent("0.2", "1e999"), &["huge.json", "1e999"]),
        ("normal.json", bent("[0, 1, 0.5]]", "[0, 1]]"), &["normal.json", "normal[1]", "expected 3"]),
        ("none.json", bent("[[0, 1, -0.5], [0, 1, 0.5]]", "[]"), &["none.json", "normal", "contact"]),
        ("tangent.json", bent("[[1, 0, 0.5], [1, 0, 0.5]]", "[[1, 0, 0.5]]"), &["tangent.json", "tangent"]),
        ("mu.json", bent("[0.5, 0.5]", "[0.5, -1]"), &["mu.json", "friction[1]", "-1"]),
        ("mus.json", bent("[0.5, 0.5]", "[0.5]"), &["mus.json", "friction"]),
        ("names.json", bent("\"left\", \"right\"", "\"left\""), &["names.json", "contacts"]),
        (
            "e.json",
            bent("\"contacts\"", "\"restitution\": [0, 2], \"contacts\""),
            &["e.json", "restitution[1]"],
        ),
        (
            "range.json",
            bent("\"contacts\"", "\"uncertainty\": {\"friction\": [0.5, 0.1]}, \"contacts\""),
            &["uncertainty.friction", "A <= B"],
        ),
        ("h.json", bent("\"contacts\"", "\"step\": 0, \"contacts\""), &["h.json", "step", "> 0"]),
        ("k.json", bent("\"contacts\"", "\"max_steps\": 0, \"contacts\""), &["k.json", "max_steps"]),
        ("twice.json", bent("\"contacts\"", "\"mass\": [[1]], \"contacts\""), &["twice.json", "mass"]),
        ("scene.toml", "[[bodies]]\nname = \"a\"\nmas = 1\n".to_string(), &["scene.toml", "mas"]),
        ("block.txt", BLOCK.to_string(), &["block.txt", ".json", ".toml"]),
    ];
    let dir = directory();
    for (name, content, words) in &cases {
        std::fs::write(dir.path().join(name), content).unwrap();
        let mut args = vec!["sample", name];
        args.extend(FILE.into_iter().flat_map(|file| ["--out", file]));
        refused(dir.path(), &args, 3, words);
    }
    std::fs::write(dir.path().join("bytes.json"), b"{\"name\": \"\xff\"}").unwrap();
    refused(dir.path(), &["sample", "bytes.json"], 3, &["bytes.json", "UTF-8"]);
    refused(dir.path(), &["sample", "absent.json"], 3, &["absent.json"]);
    refused(dir.path(), &["sample", "."], 3, &["directory"]);
    refused(dir.path(), &["sample", "rocking-blok"], 3, &["rocking-blok", "rocking-block"]);
    refused(dir.path(), &["sample", "-"], 3, &["stdin"]);
}

/// Whether `value` has the keys of `form`, in any order, and values of the same types.
fn has_form(value: &Value, form: &Value, at: &str) {
    match (value, form) {
        (Value::Object(value), Value::Object(form)) => {
            for (key, form) in form {
                has_form(
                    value.get(key).unwrap_or_else(|| panic!("{at}.{key}")),
                    form,
                    &format!("{at}.{key}"),
                );
            }
        }
        (Value::Array(value), Value::Array(form)) => {
            for value in value {
                has_form(value, &form[0], &format!("{at}[]"));
            }
        }
        (Value::Number(value), Value::Number(form)) => {
            assert!(form.is_f64() || value.is_u64(), "{at}: {value} is not an integer");
        }
        (Value::String(_), Value::String(_)) => {}
        _ => panic!("{at}: {value} instead of {form}"),
    }
}

#[test]
fn the_json_report_keeps_its_schema() {
    let dir = directory();
    let output = run(dir.path(), &["sample", "block.json", "--json", "--samples", "2k", "--device", "cpu"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let spread = serde_json::json!({ "min": [0.5], "max": [0.5], "mean": [0.5] });
    let form = serde_json::json!({
        "schema_version": 1, "name": "", "law": "", "device": { "kind": "", "name": "", "backend": "" },
        "precision": "", "solution": "", "sampler": "", "seed": 1, "samples": 1, "terminated": 1, "accepted": 1,
        "repaired": 1, "status": { "terminated": 1, "step-limit": 1 }, "steps": { "mean": 0.5, "max": 1 },
        "residual_max": 0.5, "seconds": { "total": 0.5, "kernel": 0.5 }, "velocity": spread,
        "normal_velocity": spread, "tangent_velocity": spread,
        "kinetic_energy": { "before": 0.5, "min": 0.5, "max": 0.5, "mean": 0.5 },
        "modes": [{ "mode": [""], "share": 0.5 }]
    });
    has_form(&report, &form, "");
    assert_eq!(report["schema_version"], 1);
    assert_eq!((&report["name"], &report["law"]), (&"block".into(), &"routh".into()));
    assert_eq!((&report["precision"], &report["solution"]), (&"f64".into(), &"random".into()));
    assert_eq!((&report["samples"], &report["seed"]), (&2000.into(), &0.into()));
    assert_eq!(report["persist"], 1);
    assert_eq!(report["velocity"]["min"].as_array().unwrap().len(), 3);
    assert_eq!(report["normal_velocity"]["mean"].as_array().unwrap().len(), 2);
    assert_eq!(report["tangent_velocity"]["max"].as_array().unwrap().len(), 2);
    assert_eq!(report["status"]["terminated"], report["terminated"]);
    for mode in report["modes"].as_array().unwrap() {
        let names = mode["mode"].as_array().unwrap();
        assert_eq!(names.len(), 2);
        assert!(
            names.iter().all(|name| ["lift", "stick", "slide+", "slide-"].contains(&name.as_str().unwrap()))
        );
    }
}

/// A block that strikes with two corners, in space.
const SPATIAL: &str = r#"{
  "mass": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0.2]],
  "normal": [[0, 0, 1, -0.5], [0, 0, 1, 0.5]],
  "tangent": [[1, 0, 0, 0.5], [0, 1, 0, 0], [1, 0, 0, 0.5], [0, 1, 0, 0]],
  "friction": [0.5, 0.5],
  "velocity": [0.3, -0.2, -1, 0.4]
}"#;

#[test]
fn spatial_problems_are_sampled_with_facets() {
    let dir = directory();
    std::fs::write(dir.path().join("spatial.json"), SPATIAL).unwrap();
    let circular = run(dir.path(), &["sample", "spatial.json", "--samples", "2k", "--json"]);
    let report: Value = serde_json::from_slice(&circular.stdout).unwrap();
    assert_eq!((&report["facets"], &report["accepted"]), (&Value::Null, &2000.into()));
    assert_eq!(report["device"]["kind"], "cpu");
    let args = ["sample", "spatial.json", "--facets", "8", "--json", "--samples", "2k", "--device", "cpu"];
    let output = run(dir.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["facets"], &report["accepted"]), (&8.into(), &2000.into()));
    assert_eq!(report["tangent_velocity"]["max"].as_array().unwrap().len(), 4);
    for mode in report["modes"].as_array().unwrap() {
        let mut names = mode["mode"].as_array().unwrap().iter().map(|name| name.as_str().unwrap());
        assert!(names.all(|name| ["lift", "stick", "slide"].contains(&name)), "{mode}");
    }
    for args in [
        &["compare", "spatial.json", "--facets", "8", "--samples", "2k", "--device", "cpu", "-o", "c.svg"][..],
        &["plot", "spatial.json", "--facets", "8", "--samples", "2k", "-o", "p.svg"],
    ] {
        let output = run(dir.path(), args);
        assert_eq!(output.status.code(), Some(0), "{args:?}\n{}", text(&output.stderr));
    }
    let output = run(dir.path(), &["resolve", "spatial.json", "--law", "anitescu-potra", "--json"]);
    let message = text(&output.stderr);
    assert!(message.contains("16 facets") && message.contains("there may be more"), "{message}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let solutions = report["solutions"].as_array().unwrap();
    assert!(!solutions.is_empty());
    for solution in solutions {
        assert_eq!(
            (&solution["status"], solution["impulse"].as_array().unwrap().len()),
            (&"terminated".into(), 6)
        );
        assert_eq!(solution["details"]["complete"], false);
    }
}

#[test]
fn the_same_seed_gives_the_same_report_on_any_number_of_threads() {
    let dir = directory();
    let report = |threads: &str, seed: &str| {
        let args = ["sample", "block.json", "--json", "--samples", "5k", "--device", "cpu"];
        let output = run(dir.path(), &[&args[..], &["--threads", threads, "--seed", seed]].concat());
        let mut report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let keys = report.as_object_mut().unwrap();
        keys.remove("seconds");
        keys.remove("device");
        report
    };
    assert_eq!(report("1", "3"), report("2", "3"));
    assert_ne!(report("1", "3")["velocity"], report("1", "4")["velocity"]);
}

#[test]
fn the_text_report_is_readable_and_plain() {
    let dir = directory();
    let output = run(dir.path(), &["sample", "block.json", "--samples", "1000", "--device", "cpu"]);
    assert_eq!(output.status.code(), Some(0));
    let report = text(&output.stdout);
    for words in ["block", "1 000", "left, normal", "kinetic energy", "contact modes", "seed 0"] {
        assert!(report.contains(words), "{words}\n{report}");
    }
    assert!(!report.contains('\u{1b}'), "{report}");
}

#[test]
fn flags_override_the_file() {
    let dir = directory();
    let bouncing =
        BLOCK.replacen("\"contacts\"", "\"restitution\": [0.5, 0.5], \"step\": 9, \"contacts\"", 1);
    std::fs::write(dir.path().join("bouncing.json"), bouncing).unwrap();
    let args =
        ["sample", "bouncing.json", "--json", "--samples", "10", "--device", "cpu", "--restitution", "0"];
    let output =
        run(dir.path(), &[&args[..], &["--step", "0.25", "--max-steps", "7", "--precision", "f32"]].concat());
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["step"], &report["max_steps"]), (&0.25.into(), &7.into()));
    assert_eq!(report["precision"], "f32");
}

#[test]
fn what_restitution_means_is_said() {
    let dir = directory();
    let args = ["sample", "compass-gait", "--restitution", "1", "-n", "300", "--device", "cpu", "--json"];
    for (hypothesis, gains) in [("stronge", false), ("poisson", true)] {
        let output = run(dir.path(), &[&args[..], &["--hypothesis", hypothesis]].concat());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["hypothesis"], hypothesis);
        let energy = |key: &str| report["kinetic_energy"][key].as_f64().unwrap();
        assert_eq!(energy("max") > (1.0 + 1e-6) * energy("before"), gains);
        assert_eq!(text(&output.stderr).contains("gain energy"), gains, "{}", text(&output.stderr));
    }
    let output = run(dir.path(), &["sample", "block.json", "-n", "10", "--device", "cpu", "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(report["hypothesis"].is_null());
}

#[test]
fn problems_come_from_stdin_too() {
    let dir = directory();
    let mut child = carom(dir.path(), &["sample", "-", "--json", "--samples", "10", "--device", "cpu"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(BLOCK.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["name"], "block");
}

#[test]
fn too_many_rejected_samples_are_told_by_the_exit_code() {
    let dir = directory();
    std::fs::write(dir.path().join("rough.json"), ROUGH).unwrap();
    let args = ["sample", "rough.json", "--json", "--samples", "10", "--device", "cpu"];
    let output = run(dir.path(), &args);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["terminated"], &report["accepted"]), (&10.into(), &0.into()));
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("10 of 10 terminated samples (100.000 %) were not accepted"));
    let output = run(dir.path(), &[&args[..], &["--max-rejected", "1"]].concat());
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
}

#[test]
fn reaching_the_step_limit_is_a_result() {
    let dir = directory();
    let args = ["sample", "block.json", "--json", "--samples", "10", "--device", "cpu", "--step", "1e-9"];
    let output = run(dir.path(), &[&args[..], &["--max-steps", "2"]].concat());
    assert_eq!(output.status.code(), Some(0));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["status"]["step-limit"], 10);
    assert_eq!(report["kinetic_energy"]["mean"], Value::Null);
}

#[test]
fn files_are_written_and_replaced_without_leftovers() {
    let dir = directory();
    for (name, built) in [("a.npz", cfg!(feature = "npz")), ("a.parquet", cfg!(feature = "parquet"))] {
        let args = ["sample", "block.json", "--samples", "3k", "--device", "cpu", "--out", name];
        if built {
            std::fs::write(dir.path().join(name), "old").unwrap();
            let output = run(dir.path(), &args);
            assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
            let start = &std::fs::read(dir.path().join(name)).unwrap()[..4];
            assert!([&b"PK\x03\x04"[..], b"PAR1"].contains(&start), "{name}: {start:?}");
            assert_eq!(names_in(dir.path()), [name, "block.json"]);
            std::fs::remove_file(dir.path().join(name)).unwrap();
        } else {
            refused(dir.path(), &args, 2, &["feature", name]);
        }
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_nothing_behind() {
    let Some(file) = FILE else { return };
    let dir = directory();
    let args =
        ["sample", "block.json", "--samples", "1e12", "--device", "cpu", "--threads", "1", "--out", file];
    let child = carom(dir.path(), &args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let started = std::time::Instant::now();
    while names_in(dir.path()).len() < 2 {
        assert!(started.elapsed().as_secs() < 60, "no file was begun");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "");
    assert!(text(&output.stderr).contains("interrupted"));
    assert_eq!(names_in(dir.path()), ["block.json"]);
}

#[cfg(unix)]
#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let dir = directory();
    for args in
        [&["scenes"][..], &["doctor"], &["sample", "block.json", "--samples", "10", "--device", "cpu"]]
    {
        let mut child =
            carom(dir.path(), args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""), "{args:?}");
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

#[test]
fn scenes_are_listed_printed_and_sampled() {
    let dir = directory();
    let list: Value = serde_json::from_slice(&run(dir.path(), &["scenes", "--json"]).stdout).unwrap();
    let plain = text(&run(dir.path(), &["scenes"]).stdout);
    let scenes = list["scenes"].as_array().unwrap();
    assert!(scenes.len() >= 6);
    for scene in scenes {
        let name = scene["name"].as_str().unwrap();
        assert!(plain.contains(name) && plain.contains(scene["description"].as_str().unwrap()), "{name}");
        let printed = text(&run(dir.path(), &["scenes", name]).stdout);
        std::fs::write(dir.path().join("printed.toml"), printed).unwrap();
        let sample = |what: &str| {
            let output = run(dir.path(), &["sample", what, "--json", "--samples", "100", "--device", "cpu"]);
            assert_eq!(output.status.code(), Some(0), "{what}: {}", text(&output.stderr));
            serde_json::from_slice::<Value>(&output.stdout).unwrap()["velocity"].clone()
        };
        assert_eq!(sample(name), sample("printed.toml"), "{name}");
    }
}

#[test]
fn doctor_says_what_auto_would_use() {
    let dir = directory();
    let report: Value = serde_json::from_slice(&run(dir.path(), &["doctor", "--json"]).stdout).unwrap();
    let form = serde_json::json!({
        "schema_version": 1, "version": "", "cpu": { "name": "", "cores": 1 },
        "adapters": [{ "name": "", "backend": "", "kind": "", "driver": "", "storage_buffer_bytes": 1 }],
        "auto": { "kind": "", "name": "", "backend": "", "precision": "", "why": "" }
    });
    has_form(&report, &form, "");
    let output = run(dir.path(), &["doctor"]);
    assert!(text(&output.stdout).contains(report["auto"]["name"].as_str().unwrap()));
}

/// Every number of a report; speeds and times are finite and above zero.
fn numbers_above_zero(value: &Value, key: &str) {
    match value {
        Value::Object(entries) => entries.iter().for_each(|(key, value)| numbers_above_zero(value, key)),
        Value::Array(entries) => entries.iter().for_each(|value| numbers_above_zero(value, key)),
        Value::Number(number) => {
            let x = number.as_f64().unwrap();
            let may_be_zero = ["seed", "repaired_share", "not_accepted_share"].contains(&key);
            assert!(x.is_finite() && (x > 0.0 || may_be_zero && x >= 0.0), "{key}: {x}");
        }
        _ => {}
    }
}

#[test]
fn bench_measures_every_rate() {
    let dir = directory();
    let args = ["bench", "rocking-block", "block.json", "--quick", "--seconds", "0.01", "--device", "cpu"];
    let output = run(dir.path(), &[&args[..], &["--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rate = serde_json::json!({ "best": 0.5, "median": 0.5, "repeats": 3 });
    let form = serde_json::json!({
        "schema_version": 1, "version": "", "cores": 1, "seed": 0, "seconds": 0.01,
        "devices": [{
            "kind": "", "name": "", "backend": "", "threads": 1, "instruction_set": "",
            "peaks": [{ "precision": "", "threads": 1, "flop_per_second": 0.5, "bytes_per_second": 0.5 }],
            "measurements": [{
                "scene": "", "contacts": 1, "precision": "", "solution": "", "solver": "", "threads": 1,
                "samples": 1, "kernel": rate, "end_to_end": rate, "steps_mean": 0.5, "lcps_per_second": 0.5,
                "flop_per_sample": 0.5, "flop_per_second": 0.5, "share_of_peak": 0.5, "repaired_share": 0.5,
                "not_accepted_share": 0.5, "build_ms": 0.5, "command": ""
            }],
            "latencies": [{
                "what": "", "scene": "", "precision": "", "problems": 1, "samples": 1, "threads": 1,
                "repeats": 3, "min_us": 0.5, "median_us": 0.5, "p99_us": 0.5, "kernel_us": 0.5
            }]
        }]
    });
    has_form(&report, &form, "");
    numbers_above_zero(&report, "");
    assert!(report.as_object().unwrap().contains_key("commit"));
    let device = &report["devices"][0];
    let measured = device["measurements"].as_array().unwrap();
    for (scene, precision) in [("rocking-block", "f32"), ("rocking-block", "f64"), ("block.json", "f64")] {
        assert!(measured.iter().any(|m| m["scene"] == scene && m["precision"] == precision), "{scene}");
    }
    for m in measured {
        assert!(m["kernel"]["best"].as_f64() >= m["kernel"]["median"].as_f64(), "{m}");
        assert_eq!(m["not_accepted_share"], 0.0, "{m}");
    }
    for l in device["latencies"].as_array().unwrap() {
        assert!(l["min_us"].as_f64() <= l["median_us"].as_f64(), "{l}");
        assert!(l["median_us"].as_f64() <= l["p99_us"].as_f64(), "{l}");
    }
    // The command of a measurement runs.
    let command = measured[0]["command"].as_str().unwrap().strip_prefix("carom ").unwrap();
    let words: Vec<&str> = command.split(' ').collect();
    let output = run(dir.path(), &words);
    assert_eq!(output.status.code(), Some(0), "{command}\n{}", text(&output.stderr));

    let plain = run(dir.path(), &args);
    let plain = text(&plain.stdout);
    assert!(plain.contains("rocking-block, 2 contacts") && plain.contains("latency"), "{plain}");
    assert!(plain.lines().all(|line| line.chars().count() <= 110), "{plain}");
}

#[test]
fn laws_are_compared_and_drawn() {
    let dir = directory();
    let args = ["compare", "block.json", "-n", "2000", "--device", "cpu"];
    let plain = run(dir.path(), &args);
    assert_eq!(plain.status.code(), Some(0), "{}", text(&plain.stderr));
    let plain = text(&plain.stdout);
    for word in ["anitescu-potra", "sequential", "propagative", "in the set", "seed 0"] {
        assert!(plain.contains(word), "{word}: {plain}");
    }
    let drawn = run(dir.path(), &[&args[..], &["--json", "-o", "laws.svg"]].concat());
    let json: Value = serde_json::from_slice(&drawn.stdout).unwrap();
    assert_eq!(json["set"]["samples"], 2000);
    assert!(json["outcomes"].as_array().unwrap().iter().all(|outcome| outcome["distance"].is_number()));
    let plot =
        run(dir.path(), &["plot", "block.json", "-o", "set.svg", "-n", "2000", "--law", "propagative"]);
    assert_eq!(plot.status.code(), Some(0), "{}", text(&plot.stderr));
    assert_eq!(names_in(dir.path()), ["block.json", "laws.svg", "set.svg"]);
    for name in ["laws.svg", "set.svg"] {
        let svg = std::fs::read_to_string(dir.path().join(name)).unwrap();
        assert!(svg.starts_with("<svg") && svg.contains("normal (m/s)"), "{name}");
    }
}

#[test]
fn orderings_are_sampled() {
    let dir = directory();
    for (law, restitution) in [("sequential", "0"), ("propagative", "0.5"), ("propagative", "1")] {
        let done = run(
            dir.path(),
            &[
                "sample",
                "block.json",
                "--law",
                law,
                "--restitution",
                restitution,
                "--json",
                "--device",
                "cpu",
            ],
        );
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
        let json: Value = serde_json::from_slice(&done.stdout).unwrap();
        assert_eq!((json["law"].as_str(), json["accepted"].as_u64()), (Some(law), Some(65_536)));
        assert!(json["step"].is_null() && json["solver"] == "scalar");
    }
}
