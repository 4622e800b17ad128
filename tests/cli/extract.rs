//! `carom extract`: event files of recordings, good and bad.

use std::path::Path;

use serde_json::Value;

use super::support::schema::faults;
use super::{refused, run, text};

/// A square that is thrown on the floor.
const SQUARE: &str = r#"
name = "square"
integrator = "midpoint"
gravity = 9.81
time_step = 0.002
steps = 400
law = "routh"
friction = 0.2
restitution = 0.5
walls = [{ name = "floor", normal = [0, 1] }]
bodies = [{ name = "square", mass = 0.1, shapes = [{ box = [0.06, 0.06] }], position = [0, 0.5],
            angle = 0.75, velocity = [0.6, 0], angular_velocity = 0.2 }]
"#;

/// A directory with the motion and its recording.
fn directory() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("square.toml"), SQUARE).unwrap();
    let output = run(dir.path(), &["simulate", "square.toml", "--out", "square.csv"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    dir
}

fn events(dir: &Path, args: &[&str]) -> Vec<Value> {
    let output = run(dir, &[&["extract"], args].concat());
    assert_eq!(output.status.code(), Some(0), "{args:?}\n{}", text(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    found["events"].as_array().unwrap().clone()
}

#[test]
fn the_events_keep_their_schema_and_are_those_of_the_law() {
    let dir = directory();
    let args = ["extract", "square.toml", "square.csv", "-o", "events.json"];
    let output = run(dir.path(), &args);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = [text(&output.stdout), text(&output.stderr)].concat();
    assert!(said.contains("impacts of 1 toss"), "{said}");
    let file = std::fs::read(dir.path().join("events.json")).unwrap();
    let file: Value = serde_json::from_slice(&file).unwrap();
    let schema = run(dir.path(), &["schema", "event"]).stdout;
    assert_eq!(faults(&serde_json::from_slice(&schema).unwrap(), &file), [""; 0]);
    assert_eq!(file["events"], Value::from(events(dir.path(), &args[1..3])));
    // The law with the numbers of the motion forecasts the clean ones: without an error of a
    // camera those of the fits alone are left.
    let args = ["reality", "events.json", "--clean", "-n", "16", "--device", "cpu", "--json"];
    let report: Value = serde_json::from_slice(&run(dir.path(), &args).stdout).unwrap();
    let one = &report["groups"][0];
    assert!(one["contacts"] == "1" && one["events"].as_u64() >= Some(2), "{one}");
    assert!(one["p90"].as_f64() < Some(0.01), "{one}");
}

/// The layout of other tables: a file for each toss, no heading, no time.
#[test]
fn tables_of_others_are_read() {
    let dir = directory();
    let recorded = std::fs::read_to_string(dir.path().join("square.csv")).unwrap();
    let rows = recorded.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
    let bare: Vec<String> = rows.map(|row| [row[5], row[3], "?", row[4]].join(",")).collect();
    for name in ["a.csv", "b.csv"] {
        std::fs::write(dir.path().join(name), bare.join("\n")).unwrap();
    }
    let names = ["--columns", "square.theta,square.x,note,square.y", "--rate", "500"];
    let found = events(dir.path(), &[&["square.toml", "a.csv", "b.csv"], &names[..]].concat());
    let known = events(dir.path(), &["square.toml", "square.csv"]);
    assert_eq!(found.len(), 2 * known.len());
    assert_eq!((&found[0]["toss"], &found.last().unwrap()["toss"]), (&0.0.into(), &1.0.into()));
    for (found, known) in found.iter().zip(&known) {
        for (a, b) in
            found["measured"].as_array().unwrap().iter().zip(known["measured"].as_array().unwrap())
        {
            assert!((a.as_f64().unwrap() - b.as_f64().unwrap()).abs() < 1e-6, "{found} {known}");
        }
    }
}

#[test]
fn bad_recordings_get_one_clear_error() {
    let dir = directory();
    let heading = "time,square.x,square.y,square.theta\n";
    let flight: String = (0..20).map(|i| format!("{},0,1,0\n", f64::from(i) * 0.01)).collect();
    let cases: &[(String, &[&str], i32, &[&str])] = &[
        (String::new(), &[], 3, &["bad.csv", "empty"]),
        ("\n \n".into(), &[], 3, &["bad.csv", "empty"]),
        (heading.into(), &[], 3, &["bad.csv", "no frames"]),
        ("time,square.x\n0,1\n".into(), &[], 3, &["bad.csv", "line 1", "square.y", "--columns"]),
        ("square.x,square.y,square.theta\n0,1,0\n".into(), &[], 3, &["no column time", "--rate"]),
        (format!("{heading}0,0,1,0\n0.1,0,1\n"), &[], 3, &["bad.csv", "line 3", "3 fields"]),
        (format!("{heading}0,0,1,0\n0.1,0,nan,0\n"), &[], 3, &["line 3", "square.y", "nan"]),
        (format!("{heading}0,0,1,0\n0.1,0,inf,0\n"), &[], 3, &["line 3", "square.y", "inf"]),
        (format!("{heading}0.1,0,1,0\n0,0,1,0\n"), &[], 3, &["line 3", "time does not rise"]),
        (format!("{heading}{flight}"), &[], 1, &["bad.csv", "no impact"]),
        (format!("{heading}0,0,1,0\n"), &[], 1, &["no impact"]),
        (format!("{heading}{flight}"), &["--frames", "2"], 2, &["frames", "3"]),
        (format!("{heading}{flight}"), &["--gap", "-1"], 2, &["--gap"]),
        (format!("{heading}{flight}"), &["--rate", "0"], 2, &["--rate"]),
        (format!("{heading}{flight}"), &["-o", "absent/events.json"], 2, &["absent"]),
        (format!("toss,{heading}0,0,0,1,0\n"), &["bad.csv"], 3, &["toss 0", "earlier file"]),
    ];
    for (content, more, code, words) in cases {
        std::fs::write(dir.path().join("bad.csv"), content).unwrap();
        let args = [&["extract", "square.toml", "bad.csv"], *more].concat();
        refused(dir.path(), &args, *code, words);
    }
    refused(dir.path(), &["extract", "square.toml"], 2, &["RECORDING"]);
    refused(dir.path(), &["extract", "square.toml", "absent.csv"], 3, &["absent.csv"]);
    refused(dir.path(), &["extract", "rocking-block", "square.csv"], 3, &["rocking-block"]);
    refused(dir.path(), &["extract", "cube", "square.csv"], 2, &["cube", "midpoint"]);
}

/// Times in ms, a rate that is ten times too high, lengths in mm and angles in degrees are refused
/// by name, and no event file is written.
#[test]
fn wrong_units_are_refused_by_name() {
    let dir = directory();
    let recorded = std::fs::read_to_string(dir.path().join("square.csv")).unwrap();
    let (heading, rows) = recorded.split_once('\n').unwrap();
    let names: Vec<&str> = heading.split(',').collect();
    let scaled = |of: &[&str], factor: f64| {
        let row = |line: &str| {
            let fields = line.split(',').zip(&names).map(|(field, name)| match of.contains(name) {
                true => (field.parse::<f64>().unwrap() * factor).to_string(),
                false => field.to_string(),
            });
            fields.collect::<Vec<_>>().join(",")
        };
        let rows: Vec<String> = rows.lines().map(row).collect();
        format!("{heading}\n{}\n", rows.join("\n"))
    };
    let lengths = ["square.x", "square.y"];
    let cases: &[(String, &[&str], &[&str])] = &[
        (scaled(&["time"], 1e3), &[], &["times seem to be in ms"]),
        (scaled(&["time"], 1e6), &[], &["times seem to be in us"]),
        (
            recorded.clone(),
            &["--rate", "5000"],
            &["the rate seems to be 10 times too high", "--rate 500"],
        ),
        (scaled(&lengths, 1e3), &[], &["positions seem to be in mm"]),
        (scaled(&["square.theta"], 57.29577951308232), &[], &["angles seem to be in degrees"]),
    ];
    for (content, more, words) in cases {
        std::fs::write(dir.path().join("wrong.csv"), content).unwrap();
        let args = [&["extract", "square.toml", "wrong.csv", "-o", "events.json"], *more].concat();
        refused(dir.path(), &args, 3, &[words, &["wrong.csv"][..]].concat());
        assert!(!dir.path().join("events.json").exists());
    }
    // A level table has no gravity to compare with.
    let level = SQUARE.replace("gravity = 9.81", "gravity = 0");
    std::fs::write(dir.path().join("level.toml"), level).unwrap();
    let output = run(dir.path(), &["extract", "level.toml", "square.csv"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

/// Poses that no camera sees are no reason to panic.
#[test]
fn odd_recordings_are_read_or_refused() {
    let dir = directory();
    let heading = "time,square.x,square.y,square.theta\n";
    let rows = |of: &dyn Fn(f64) -> String| -> String {
        let frames = (0..30).map(|i| of(f64::from(i)));
        [heading.to_string()].into_iter().chain(frames).collect()
    };
    let odd = [
        rows(&|i| format!("{},{},{},0\n", 0.01 * i, 1e200 * i, -1e200 * i)),
        rows(&|i| format!("{},0,-1,{}\n", 1e-300 * i, 1e10 * i)),
        rows(&|i| format!("{},0,{},0\n", 1e300 * (i + 1.0), (i - 15.0).abs())),
        rows(&|i| format!("{},0,{},0\n", 0.01 * i, 0.01 * (i - 15.0).abs())),
    ];
    for content in odd {
        std::fs::write(dir.path().join("odd.csv"), &content).unwrap();
        let output = run(dir.path(), &["extract", "square.toml", "odd.csv"]);
        let message = text(&output.stderr);
        assert!(!message.contains("panicked"), "{message}");
        assert!([Some(0), Some(1), Some(3)].contains(&output.status.code()), "{message}");
    }
}
