//! `carom reality`: its report, and event files good and bad.

use carom::scene::{Document, Format};
use carom_engine::Plan;

use super::support::events::{block, event, file, some_events};
use super::*;

/// The report of a run that succeeds, without what differs from run to run.
fn report(dir: &Path, args: &str) -> Value {
    let mut report = reported(dir, &format!("reality {args} --device cpu"));
    for key in ["seconds", "device"] {
        report.as_object_mut().unwrap().remove(key).unwrap();
    }
    report
}

fn directory() -> Folder {
    let dir = Folder::new();
    let events = some_events(&Plan { samples: 64, seed: 2, ..Plan::default() });
    write(&dir, "events.json", file(&events));
    dir
}

#[test]
fn the_report_keeps_its_schema_and_does_not_depend_on_threads() {
    let dir = directory();
    let args = "events.json --samples 64 --seed 2";
    let one = report(&dir, &format!("{args} --threads 1"));
    assert_eq!(one, report(&dir, &format!("{args} --threads 3")));
    assert_ne!(one, report(&dir, "events.json --samples 64 --seed 3"));
    says(&one, json!({ "schema_version": 1, "law": "routh", "samples": 64 }));
    let groups = one["groups"].as_array().unwrap();
    let contacts: Vec<&Value> = groups.iter().map(|group| &group["contacts"]).collect();
    assert_eq!(contacts, ["1", "2", "multi", "all"]);
    for group in groups {
        let numbers = "events median p90 share_2 share_5 share_10 hull_share_5 rms spread diameter";
        for key in numbers.split(' ').chain(["energy_score"]) {
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
    let [near, far] = [0, 1].map(|i| impacts[i]["distance"].as_f64().unwrap());
    assert!(near < 1e-12 && far > 0.3);
}

#[test]
fn options_choose_events_law_and_restitution() {
    let dir = directory();
    let clean = report(&dir, "events.json --samples 64 --seed 2 --clean");
    says(&clean["groups"][0], json!({ "events": 1, "contacts": "2" }));
    assert_eq!(clean["impacts"][0]["event"], 0);
    let orders = report(&dir, "events.json -n 32 --law sequential");
    assert_eq!(orders["law"], "sequential");
    let elastic = |e: &str| {
        let args = format!("events.json -n 32 --law propagative --restitution {e}");
        report(&dir, &args)["groups"][3]["median"].as_f64().unwrap()
    };
    assert!(elastic("1") > elastic("0"));
}

#[test]
fn baselines_learn_from_another_file() {
    let dir = directory();
    std::fs::copy(dir.join("events.json"), dir.join("others.json")).unwrap();
    let args = "events.json -n 32";
    let own = report(&dir, args);
    let others = report(&dir, &format!("{args} --training others.json"));
    assert_eq!(own["groups"], others["groups"]);
    assert_ne!(own["baselines"][5]["groups"], others["baselines"][5]["groups"]);
    refused(&dir, "reality events.json --training absent.json", 3, &["absent.json"]);
}

#[test]
fn the_table_and_the_picture_show_shares_with_sizes() {
    let dir = directory();
    let shown = done(&dir, "reality events.json -n 64 --device cpu -o events.svg");
    has(&shown, "hull 5 %|energy score: |spread|diameter|energy|routh|anitescu-potra|sequential");
    has(&shown, "ball|multi|regression|in 90 %|3 measured impacts of events.json|noise");
    let plain = shown.lines().all(|line| line.trim_end() == line);
    assert!(plain && !shown.contains('\u{1b}'), "{shown}");
    let svg = read(&dir, "events.svg");
    has(&svg, "1 contact: 1 event|2 contacts: 2 events|spread|within 5 %|law routh");
}

#[test]
fn toml_and_stdin_are_read_too() {
    let text = "[[events]]\nmass = [[1]]\nnormal = [[1]]\nvelocity = [-1]\nmeasured = [0]\n";
    let document = Document::new("events.toml", text, Format::Toml).unwrap();
    assert_eq!(document.events().unwrap()[0].measured, [0.0]);
    let dir = directory();
    let report = given(&dir, "reality - -n 8 --json --device cpu", text);
    assert_eq!((&report["name"], &report["groups"][0]["share_2"]), (&"stdin".into(), &1.0.into()));
}

#[test]
fn bad_files_get_one_clear_error() {
    let dir = Folder::new();
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
    let cases = [
        (without("measured"), "3 => events[2] | `measured` is missing"),
        (without("velocity"), "3 => events[2] | `velocity` is missing"),
        (bend("measured", json!([1, 2])), "3 => events[1].measured | 2 numbers for 3"),
        (bend("measured", json!([1, 2, "x"])), "3 => events[1].measured[2] | expected a number"),
        (bend("mass", json!([[1, 0, 0], [0, 1, 0], [0, 0]])), "3 => events[1].mass[2]"),
        (
            bend("mass", json!([[1, 0, 0], [0, -1, 0], [0, 0, 1]])),
            "3 => events[1].mass | positive definite",
        ),
        (bend("normal", json!([[0, 1, null], [0, 1, 0]])), "3 => events[1].normal[0][2] | null"),
        (bend("friction", json!([0.5, -0.5])), "3 => events[1].friction[1] | -0.5"),
        (bend("restitution", json!([0.5, 1.5])), "3 => events[1].restitution[1] | 1.5"),
        (bend("noise", json!(-0.1)), "3 => events[1].noise | >= 0"),
        (bend("clean", json!("yes")), "3 => events[1].clean | true or false"),
        (bend("gap", json!([0.1])), "3 => events[1].gap | 1 numbers for 2 contacts"),
        (bend("toss", json!([0.1])), "3 => events[1].toss"),
        (file(&[good(), json!(3)]), "3 => events[1] | expected a table"),
        (file(&[restless]), "3 => events[0].velocity | nothing moves"),
        (file(&[]), "3 => events | no event"),
        (json!({ "schema": "x" }).to_string(), "3 => `events` is missing"),
        (json!({ "events": 3 }).to_string(), "3 => events | list"),
        ("[1, 2]".to_string(), "3 => expected a table"),
        ("{\"events\": [".to_string(), "3 => not valid JSON"),
        (file(&[good()]), "3 --clean => bad.json | flagged clean | --clean"),
        // What the law cannot honour is an error of the event.
        (
            bend("restitution", json!([0.5, 0.25])),
            "3 --law propagative => bad.json | events[1].restitution[1] | 0.25",
        ),
        (file(&[good()]), "2 --law anitescu-potra => --law"),
        (file(&[good()]), "2 -o picture.jpg => picture.jpg | .svg"),
        (file(&[good()]), "2 --samples 0 => --samples"),
        (file(&[good()]), "2 --law sequential --step 0.1 => --step"),
    ];
    for (content, case) in cases {
        write(&dir, "bad.json", content);
        refusals(&dir, "reality bad.json -n 16 --device cpu", case);
    }
    ended(&dir, "reality absent.json", 3);
    // A problem file holds no events, and an event file no single problem.
    has(&text(&run(&dir, "reality rocking-block").stderr), "`events` is missing");
    let document = Document::new("events.json", file(&[good()]), Format::Json).unwrap();
    assert!(document.problem(&[]).unwrap_err().hint.unwrap().contains("carom reality"));
}
