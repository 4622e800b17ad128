//! Predictions against measured impacts: scores against naive loops, event files good and bad, the command line.
#![cfg(feature = "cli")]

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use carom::engine::{Device, Engine, Plan};
use carom::error::ErrorKind;
use carom::law::{AnitescuPotra, Sequential};
use carom::problem::{ContactProblem, ProblemSpec};
use carom::scene::{Document, Format};
use carom::study::reality::{Event, Group};
use nalgebra::DVector;
use serde_json::{Value, json};

/// A block on two corners.
fn block() -> Value {
    json!({
        "name": "block", "mass": [[1, 0, 0], [0, 1, 0], [0, 0, 0.2]], "normal": [[0, 1, -0.5], [0, 1, 0.5]],
        "tangent": [[1, 0, 0.5], [1, 0, 0.5]], "friction": [0.5, 0.5], "velocity": [0.3, -1, 0.4]
    })
}

/// A rod on one end.
fn rod() -> Value {
    json!({
        "mass": [[1, 0, 0], [0, 1, 0], [0, 0, 0.1]], "normal": [[0, 1, 0.4]], "tangent": [[1, 0, 0.5]],
        "friction": [0.3], "velocity": [0.2, -1, 0.1]
    })
}

/// A ball between two walls, in space.
fn wedge() -> Value {
    json!({
        "mass": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "normal": [[1, 0, 0], [0.6, 0.8, 0]],
        "tangent": [[0, 1, 0], [0, 0, 1], [-0.8, 0.6, 0], [0, 0, 1]], "friction": [0.2, 0.3], "velocity": [-1, -0.5, 0.7]
    })
}

/// The event of a problem.
fn event(mut problem: Value, measured: &[f64], more: Value) -> Value {
    problem["measured"] = measured.into();
    for (key, value) in more.as_object().unwrap() {
        problem[key] = value.clone();
    }
    problem
}

fn file(events: &[Value]) -> String {
    json!({ "schema": "impacts of things that fall", "events": events }).to_string()
}

fn events(text: &str) -> Vec<Event> {
    Document::new("events.json", text.to_string(), Format::Json).unwrap().events().unwrap()
}

fn problem(value: &Value) -> ContactProblem {
    ContactProblem::new(serde_json::from_value::<ProblemSpec>(value.clone()).unwrap()).unwrap()
}

fn run(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_carom"));
    command.arg("reality").args(args).current_dir(dir).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The report of a run that succeeds, without what differs from run to run.
fn report(dir: &Path, args: &[&str]) -> Value {
    let output = run(dir, &[args, &["--device", "cpu", "--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{args:?}\n{}", text(&output.stderr));
    let mut report: Value = serde_json::from_slice(&output.stdout).unwrap();
    for key in ["seconds", "device"] {
        report.as_object_mut().unwrap().remove(key).unwrap();
    }
    report
}

/// The velocities of the samples that `plan` says.
fn samples(problem: &ContactProblem, plan: &Plan) -> Vec<Vec<f64>> {
    let (_, samples) = Engine::open(&Device::Cpu).unwrap().collect(problem, plan).unwrap();
    (0..samples.len()).map(|i| samples.row(&samples.velocity, i).to_vec()).collect()
}

/// `|a - b|_M / |v-|_M`, straight from its definition.
fn distance(problem: &ContactProblem, a: &[f64], b: &[f64]) -> f64 {
    let norm = |x: DVector<f64>| (x.transpose() * problem.mass() * &x)[0].sqrt();
    norm(DVector::from_column_slice(a) - DVector::from_column_slice(b)) / norm(problem.velocity().clone())
}

/// Three events that the tests score: one at a sample, one between two of them, one far off.
fn some_events(plan: &Plan) -> Vec<Value> {
    let (block, rod) = (block(), rod());
    let drawn = samples(&problem(&block), plan);
    // The middle of two samples that is farthest from all others.
    let middle =
        |pair: &[Vec<f64>]| pair[0].iter().zip(&pair[1]).map(|(a, b)| 0.5 * (a + b)).collect::<Vec<f64>>();
    let alone = |v: &Vec<f64>| {
        drawn.iter().map(|other| distance(&problem(&block), v, other)).fold(f64::INFINITY, f64::min)
    };
    let between = drawn.windows(2).map(middle).max_by(|a, b| alone(a).total_cmp(&alone(b))).unwrap();
    vec![
        event(block.clone(), &drawn[17], json!({ "clean": true, "noise": 0.01 })),
        event(rod, &[0.1, 0.05, -2.0], json!({ "clean": false, "gap": [0.001], "toss": 3 })),
        event(block, &between, json!({ "unknown": { "to": "everyone" } })),
    ]
}

#[test]
fn scores_are_those_of_naive_loops() {
    let plan = Plan { samples: 200, seed: 5, ..Plan::default() };
    let text = file(&some_events(&plan));
    let events = events(&text);
    let reality = Engine::open(&Device::Cpu).unwrap().reality(&events, &plan, || ()).unwrap();
    assert_eq!(reality.contacts, [2, 1, 2]);
    assert_eq!((reality.terminated, reality.accepted), (600, 600));
    for (event, score) in events.iter().zip(&reality.set) {
        let (problem, y) = (&event.problem, &event.measured);
        let drawn = samples(problem, &plan);
        let count = drawn.len() as f64;
        let (mut nearest, mut away, mut pairs, mut squares, mut diameter) =
            (f64::INFINITY, 0.0, 0.0, 0.0, 0.0_f64);
        for a in &drawn {
            nearest = nearest.min(distance(problem, a, y));
            away += distance(problem, a, y) / count;
            for b in &drawn {
                let apart = distance(problem, a, b);
                pairs += apart / count / count;
                squares += apart * apart / count / count;
                diameter = diameter.max(apart);
            }
        }
        for (found, expected) in [
            (score.nearest, nearest),
            (score.energy, away - 0.5 * pairs),
            (score.size.rms, (0.5 * squares).sqrt()),
            (score.size.diameter, diameter),
        ] {
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
        assert!(score.hull <= score.nearest + 1e-9);
    }
    // At a sample, between two.
    assert!(reality.set[0].nearest < 1e-12 && reality.set[0].hull < 1e-11);
    assert!(reality.set[2].nearest > 1e-3 && reality.set[2].hull < 1e-9);
    // A single contact has one outcome: set, laws and ball are as far.
    let single = reality.set[1];
    assert!(single.nearest > 0.3 && single.size.diameter < 1e-6);
    for baseline in &reality.baselines {
        let score = baseline.scores.as_ref().unwrap()[1];
        assert!((score.nearest - single.nearest).abs() < 1e-6, "{}", baseline.name);
    }
}

#[test]
fn baselines_are_the_nearest_outcomes_and_a_ball_of_the_same_size() {
    let plan = Plan { samples: 300, seed: 5, ..Plan::default() };
    let events = events(&file(&some_events(&plan)));
    let reality = Engine::open(&Device::Cpu).unwrap().reality(&events, &plan, || ()).unwrap();
    let names: Vec<_> = reality.baselines.iter().map(|baseline| baseline.name).collect();
    assert_eq!(names, ["anitescu-potra", "sequential", "ball"]);
    let scores: Vec<_> = reality.baselines.iter().map(|baseline| baseline.scores.as_ref().unwrap()).collect();
    for (k, event) in events.iter().enumerate() {
        let problem = &event.problem;
        let nearest = |velocities: &mut dyn Iterator<Item = Vec<f64>>| {
            velocities.map(|v| distance(problem, &v, &event.measured)).fold(f64::INFINITY, f64::min)
        };
        let simultaneous = AnitescuPotra::default().resolve(problem).unwrap().outcomes;
        let expected = nearest(&mut simultaneous.into_iter().map(|outcome| outcome.velocity));
        assert!((scores[0][k].nearest - expected).abs() < 1e-9);
        // Two contacts have two orders, one for each start.
        let alternating = Sequential::default().resolve(problem).unwrap().outcomes;
        assert_eq!(scores[1][k].points, alternating.len());
        let expected = nearest(&mut alternating.into_iter().map(|outcome| outcome.velocity));
        assert!((scores[1][k].nearest - expected).abs() < 1e-9);
        let (set, ball) = (reality.set[k].size, scores[2][k].size);
        assert!((set.rms - ball.rms).abs() < 1e-12 && scores[2][k].points == 300);
        assert!(ball.diameter > 2.0 * ball.rms || set.rms < 1e-9);
    }
}

#[test]
fn groups_count_their_events() {
    let plan = Plan { samples: 50, seed: 5, ..Plan::default() };
    let events = events(&file(&some_events(&plan)));
    let reality = Engine::open(&Device::Cpu).unwrap().reality(&events, &plan, || ()).unwrap();
    let groups = Group::of(&reality.contacts, &reality.set);
    let names: Vec<_> = groups.iter().map(|group| (group.contacts.as_str(), group.events)).collect();
    assert_eq!(names, [("1", 1), ("2", 2), ("multi", 2), ("all", 3)]);
    let nearest: Vec<f64> = reality.set.iter().map(|score| score.nearest).collect();
    assert!((groups[1].median - 0.5 * (nearest[0] + nearest[2])).abs() < 1e-15);
    assert_eq!(groups[0].median, nearest[1]);
    assert_eq!((groups[0].p90, groups[0].shares, groups[0].hull_share), (nearest[1], [0.0; 3], 0.0));
    for (k, bound) in Group::WITHIN.into_iter().enumerate() {
        let within = nearest.iter().filter(|x| **x <= bound).count() as f64 / 3.0;
        assert_eq!(groups[3].shares[k], within);
    }
    assert!(groups[3].shares[2] > 0.3 && groups[3].hull_share > 0.6);
    assert!((3.0 * groups[3].rms - 2.0 * groups[1].rms - groups[0].rms).abs() < 1e-15);
}

/// Spatial events with restitution: a law without friction samples them, and single impacts bounce in every order.
#[test]
fn spatial_events_are_scored() {
    let bouncing = json!({ "restitution": [0.5, 0.5] });
    let events = events(&file(&[event(wedge(), &[0.3, 0.4, 0.7], bouncing)]));
    let law = carom::law::Law::Propagative(Default::default());
    let plan = Plan { samples: 64, law, ..Plan::default() };
    let reality = Engine::open(&Device::Cpu).unwrap().reality(&events, &plan, || ()).unwrap();
    assert_eq!((reality.set[0].points, reality.accepted), (64, 64));
    let sequential = reality.baselines[1].scores.as_ref().unwrap()[0];
    assert!(sequential.points == 2 && sequential.nearest < 1.0 && sequential.size.diameter > 1e-3);
}

#[test]
fn a_stopped_run_ends() {
    let stop = Some(Arc::new(AtomicBool::new(true)));
    let plan = Plan { samples: 50, stop, ..Plan::default() };
    let events = events(&file(&some_events(&Plan { samples: 20, ..Plan::default() })));
    let error = Engine::open(&Device::Cpu).unwrap().reality(&events, &plan, || ()).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Interrupted);
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
            "diameter",
            "energy_score",
        ] {
            assert!(group[key].is_number(), "{key}: {group}");
        }
    }
    for baseline in one["baselines"].as_array().unwrap() {
        assert_eq!(baseline["groups"].as_array().unwrap().len(), 4, "{baseline}");
    }
    let impacts = one["impacts"].as_array().unwrap();
    assert_eq!((impacts.len(), &impacts[0]["noise"]), (3, &json!(0.01)));
    assert!(
        impacts[0]["distance"].as_f64().unwrap() < 1e-12 && impacts[1]["distance"].as_f64().unwrap() > 0.3
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
fn the_table_and_the_picture_show_shares_with_sizes() {
    let dir = directory();
    let output = run(dir.path(), &["events.json", "-n", "64", "--device", "cpu", "-o", "events.svg"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let shown = text(&output.stdout);
    for words in
        ["hull 5 %", "rms", "diameter", "energy", "routh", "anitescu-potra", "sequential", "ball", "multi"]
    {
        assert!(shown.contains(words), "{words}\n{shown}");
    }
    assert!(shown.contains("3 measured impacts of events.json") && shown.contains("noise"), "{shown}");
    assert!(!shown.contains('\u{1b}') && shown.lines().all(|line| line.trim_end() == line), "{shown}");
    let svg = std::fs::read_to_string(dir.path().join("events.svg")).unwrap();
    for words in ["1 contact: 1 event", "2 contacts: 2 events", "rms radius", "within 5 %", "law routh"] {
        assert!(svg.contains(words), "{words}");
    }
}

#[test]
fn toml_and_stdin_are_read_too() {
    let text = "[[events]]\nmass = [[1]]\nnormal = [[1]]\nvelocity = [-1]\nmeasured = [0]\n";
    let document = Document::new("events.toml", text, Format::Toml).unwrap();
    assert_eq!(document.events().unwrap()[0].measured, [0.0]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_carom"))
        .args(["reality", "-", "-n", "8", "--json", "--device", "cpu"])
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
        (bend("measured", json!([1, 2, "x"])), &[], 3, &["events[1].measured[2]", "expected a number"]),
        (bend("mass", json!([[1, 0, 0], [0, 1, 0], [0, 0]])), &[], 3, &["events[1].mass[2]"]),
        (
            bend("mass", json!([[1, 0, 0], [0, -1, 0], [0, 0, 1]])),
            &[],
            3,
            &["events[1].mass", "positive definite"],
        ),
        (bend("normal", json!([[0, 1, null], [0, 1, 0]])), &[], 3, &["events[1].normal[0][2]", "null"]),
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
        (file(&[good()]), &["-o", "picture.png"], 2, &["picture.png", ".svg"]),
        (file(&[good()]), &["--samples", "0"], 2, &["--samples"]),
        (file(&[good()]), &["--law", "sequential", "--step", "0.1"], 2, &["--step"]),
    ];
    for (content, more, code, words) in cases {
        std::fs::write(dir.path().join("bad.json"), content).unwrap();
        let output = run(dir.path(), &[&["bad.json", "-n", "16", "--device", "cpu"], *more].concat());
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(*code), "{content} {more:?}\n{message}");
        assert_eq!(text(&output.stdout), "");
        assert!(
            !message.contains("panicked") && message.matches("error:").count() == 1,
            "{content}\n{message}"
        );
        for word in *words {
            assert!(message.contains(word), "{content} {more:?}: {word}\n{message}");
        }
    }
    let absent = run(dir.path(), &["absent.json"]);
    assert_eq!(absent.status.code(), Some(3));
    // A problem file holds no events, and an event file no single problem.
    assert!(text(&run(dir.path(), &["rocking-block"]).stderr).contains("`events` is missing"));
    let document = Document::new("events.json", file(&[good()]), Format::Json).unwrap();
    assert!(document.problem(&[]).unwrap_err().hint.unwrap().contains("carom reality"));
}
