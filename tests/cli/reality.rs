//! `carom reality`: its report, and event files good and bad.

use std::path::Path;
use std::process::{Output, Stdio};

use carom::scene::{Document, Format};
use carom_engine::Plan;
use serde_json::{Value, json};

use super::support::events::{block, event, file, some_events};
use super::{carom, refused, run, text};

fn reality(dir: &Path, args: &[&str]) -> Output {
    run(dir, &[&["reality"], args].concat())
}

/// The report of a run that succeeds, without what differs from run to run.
fn report(dir: &Path, args: &[&str]) -> Value {
    let output = reality(dir, &[args, &["--device", "cpu", "--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{args:?}\n{}", text(&output.stderr));
    let mut report: Value = serde_json::from_slice(&output.stdout).unwrap();
    for key in ["seconds", "device"] {
        report.as_object_mut().unwrap().remove(key).unwrap();
    }
    report
}

fn directory() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let events = some_events(&Plan { samples: 64, seed: 2, ..Plan::default() });
    std::fs::write(dir.path().join("events.json"), file(&events)).unwrap();
    dir
}

#[test]
fn the_report_keeps_its_schema_and_does_not_depend_on_threads() {
    let dir = directory();
    let args = ["events.json", "--samples", "64", "--seed", "2"];
    let one = report(dir.path(), &[&args[..], &["--threads", "1"]].concat());
    assert_eq!(one, report(dir.path(), &[&args[..], &["--threads", "3"]].concat()));
    assert_ne!(one, report(dir.path(), &["events.json", "--samples", "64", "--seed", "3"]));
    assert_eq!(
        (&one["schema_version"], &one["law"], &one["samples"]),
        (&1.into(), &"routh".into(), &64.into())
    );
    let groups = one["groups"].as_array().unwrap();
    assert_eq!(
        groups.iter().map(|g| g["contacts"].as_str().unwrap()).collect::<Vec<_>>(),
        ["1", "2", "multi", "all"]
    );
    for group in groups {
        for key in [
            "events",
            "median",
            "p90",
            "share_2",
            "share_5",
            "share_10",
            "hull_share_5",
            "rms",
            "spread",
            "diameter",
            "energy_score",
        ] {
            assert!(group[key].is_number(), "{key}: {group}");
        }
        assert_eq!(group["spread"], group["rms"]);
        assert_eq!(group["spread_with_noise"], group["rms_with_noise"]);
        for key in ["energy_score_interval", "variogram_score_interval"] {
            assert!(group[key][0].is_number() && group[key][1].is_number(), "{key}: {group}");
        }
        for key in ["log_score", "in_50", "in_90"] {
            assert!(group.get(key).is_some(), "{key}: {group}");
        }
    }
    for baseline in one["baselines"].as_array().unwrap() {
        assert_eq!(baseline["groups"].as_array().unwrap().len(), 4, "{baseline}");
        for group in baseline["groups"].as_array().unwrap() {
            assert!(group["energy_score_difference"].is_number(), "{group}");
        }
    }
    let impacts = one["impacts"].as_array().unwrap();
    assert_eq!((impacts.len(), &impacts[0]["noise"]), (3, &json!(0.01)));
    assert!(
        impacts[0]["distance"].as_f64().unwrap() < 1e-12
            && impacts[1]["distance"].as_f64().unwrap() > 0.3
    );
}

#[test]
fn options_choose_events_law_and_restitution() {
    let dir = directory();
    let clean = report(dir.path(), &["events.json", "--samples", "64", "--seed", "2", "--clean"]);
    assert_eq!(clean["groups"][0]["events"], 1);
    assert_eq!(clean["groups"][0]["contacts"], "2");
    assert_eq!(clean["impacts"][0]["event"], 0);
    let orders = report(dir.path(), &["events.json", "-n", "32", "--law", "sequential"]);
    assert_eq!(orders["law"], "sequential");
    let elastic = |e: &str| {
        let args = ["events.json", "-n", "32", "--law", "propagative", "--restitution", e];
        report(dir.path(), &args)["groups"][3]["median"].as_f64().unwrap()
    };
    assert!(elastic("1") > elastic("0"));
}

#[test]
fn baselines_learn_from_another_file() {
    let dir = directory();
    std::fs::copy(dir.path().join("events.json"), dir.path().join("others.json")).unwrap();
    let args = ["events.json", "-n", "32"];
    let own = report(dir.path(), &args);
    let others = report(dir.path(), &[&args[..], &["--training", "others.json"]].concat());
    assert_eq!(own["groups"], others["groups"]);
    assert_ne!(own["baselines"][5]["groups"], others["baselines"][5]["groups"]);
    refused(
        dir.path(),
        &["reality", "events.json", "--training", "absent.json"],
        3,
        &["absent.json"],
    );
}

#[test]
fn the_table_and_the_picture_show_shares_with_sizes() {
    let dir = directory();
    let output =
        reality(dir.path(), &["events.json", "-n", "64", "--device", "cpu", "-o", "events.svg"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    for words in [
        "hull 5 %",
        "energy score: ",
        "spread",
        "diameter",
        "energy",
        "routh",
        "anitescu-potra",
        "sequential",
        "ball",
        "multi",
        "regression",
        "in 90 %",
    ] {
        assert!(shown.contains(words), "{words}\n{shown}");
    }
    assert!(
        shown.contains("3 measured impacts of events.json") && shown.contains("noise"),
        "{shown}"
    );
    assert!(
        !shown.contains('\u{1b}') && shown.lines().all(|line| line.trim_end() == line),
        "{shown}"
    );
    let svg = std::fs::read_to_string(dir.path().join("events.svg")).unwrap();
    for words in ["1 contact: 1 event", "2 contacts: 2 events", "spread", "within 5 %", "law routh"]
    {
        assert!(svg.contains(words), "{words}");
    }
}

#[test]
fn toml_and_stdin_are_read_too() {
    let text = "[[events]]\nmass = [[1]]\nnormal = [[1]]\nvelocity = [-1]\nmeasured = [0]\n";
    let document = Document::new("events.toml", text, Format::Toml).unwrap();
    assert_eq!(document.events().unwrap()[0].measured, [0.0]);
    let dir = directory();
    let mut child = carom(dir.path(), &["reality", "-", "-n", "8", "--json", "--device", "cpu"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), text.as_bytes()).unwrap();
    let report: Value = serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!((&report["name"], &report["groups"][0]["share_2"]), (&"stdin".into(), &1.0.into()));
}

#[test]
fn bad_files_get_one_clear_error() {
    let dir = tempfile::tempdir().unwrap();
    let good = || event(block(), &[0.0; 3], json!({}));
    let bend = |key: &str, value: Value| {
        let mut bent = good();
        bent[key] = value;
        file(&[good(), bent])
    };
    let without = |key: &str| {
        let mut bent = good();
        bent.as_object_mut().unwrap().remove(key);
        file(&[good(), good(), bent])
    };
    let mut restless = good();
    restless["velocity"] = json!([0, 0, 0]);
    let cases: &[(String, &[&str], i32, &[&str])] = &[
        (without("measured"), &[], 3, &["events[2]", "`measured` is missing"]),
        (without("velocity"), &[], 3, &["events[2]", "`velocity` is missing"]),
        (bend("measured", json!([1, 2])), &[], 3, &["events[1].measured", "2 numbers for 3"]),
        (
            bend("measured", json!([1, 2, "x"])),
            &[],
            3,
            &["events[1].measured[2]", "expected a number"],
        ),
        (bend("mass", json!([[1, 0, 0], [0, 1, 0], [0, 0]])), &[], 3, &["events[1].mass[2]"]),
        (
            bend("mass", json!([[1, 0, 0], [0, -1, 0], [0, 0, 1]])),
            &[],
            3,
            &["events[1].mass", "positive definite"],
        ),
        (
            bend("normal", json!([[0, 1, null], [0, 1, 0]])),
            &[],
            3,
            &["events[1].normal[0][2]", "null"],
        ),
        (bend("friction", json!([0.5, -0.5])), &[], 3, &["events[1].friction[1]", "-0.5"]),
        (bend("restitution", json!([0.5, 1.5])), &[], 3, &["events[1].restitution[1]", "1.5"]),
        (bend("noise", json!(-0.1)), &[], 3, &["events[1].noise", ">= 0"]),
        (bend("clean", json!("yes")), &[], 3, &["events[1].clean", "true or false"]),
        (bend("gap", json!([0.1])), &[], 3, &["events[1].gap", "1 numbers for 2 contacts"]),
        (bend("toss", json!([0.1])), &[], 3, &["events[1].toss"]),
        (file(&[good(), json!(3)]), &[], 3, &["events[1]", "expected a table"]),
        (file(&[restless]), &[], 3, &["events[0].velocity", "nothing moves"]),
        (file(&[]), &[], 3, &["events", "no event"]),
        (json!({ "schema": "x" }).to_string(), &[], 3, &["`events` is missing"]),
        (json!({ "events": 3 }).to_string(), &[], 3, &["events", "list"]),
        ("[1, 2]".to_string(), &[], 3, &["expected a table"]),
        ("{\"events\": [".to_string(), &[], 3, &["not valid JSON"]),
        (file(&[good()]), &["--clean"], 3, &["bad.json", "flagged clean", "--clean"]),
        // What the law cannot honour is an error of the event.
        (
            bend("restitution", json!([0.5, 0.25])),
            &["--law", "propagative"],
            3,
            &["bad.json", "events[1].restitution[1]", "0.25"],
        ),
        (file(&[good()]), &["--law", "anitescu-potra"], 2, &["--law"]),
        (file(&[good()]), &["-o", "picture.jpg"], 2, &["picture.jpg", ".svg"]),
        (file(&[good()]), &["--samples", "0"], 2, &["--samples"]),
        (file(&[good()]), &["--law", "sequential", "--step", "0.1"], 2, &["--step"]),
    ];
    for (content, more, code, words) in cases {
        std::fs::write(dir.path().join("bad.json"), content).unwrap();
        refused(
            dir.path(),
            &[&["reality", "bad.json", "-n", "16", "--device", "cpu"], *more].concat(),
            *code,
            words,
        );
    }
    let absent = reality(dir.path(), &["absent.json"]);
    assert_eq!(absent.status.code(), Some(3));
    // A problem file holds no events, and an event file no single problem.
    assert!(text(&reality(dir.path(), &["rocking-block"]).stderr).contains("`events` is missing"));
    let document = Document::new("events.json", file(&[good()]), Format::Json).unwrap();
    assert!(document.problem(&[]).unwrap_err().hint.unwrap().contains("carom reality"));
}
