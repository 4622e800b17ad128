//! `carom identify`: its report, the model it writes, and event files good and bad.

use super::schema::schema;
use super::support::draws::Draws;
use super::support::events::{block, event, file, rod};
use super::support::schema::faults;
use super::*;

/// Impacts of a block on two corners: tosses with velocities of their own, measured as after an
/// inelastic impact of the mass centre with an error.
fn tosses(count: usize) -> Vec<Value> {
    let of = |i: usize| {
        let mut draws = Draws::of(5, i);
        let mut number = || draws.below(1000) as f64 / 500.0 - 1.0;
        let velocity = [0.5 * number(), -1.0 + 0.3 * number(), 0.4 * number()];
        let after = [0.8 * velocity[0], -0.2 * velocity[1] + 0.02 * number(), 0.1 * number()];
        let mut what = block();
        what["velocity"] = json!(velocity);
        let gap = [0.001 * number().abs(), 0.002 * number().abs()];
        event(what, &after, json!({ "toss": i / 2, "gap": gap, "clean": !i.is_multiple_of(3) }))
    };
    (0..count).map(of).collect()
}

fn directory() -> Folder {
    let dir = Folder::new();
    write(&dir, "events.json", file(&tosses(12)));
    dir
}

/// The report of a run that succeeds.
fn report(dir: &Path, args: &str) -> Value {
    reported(dir, &format!("identify events.json -n 4 --folds 2 {args}"))
}

fn kept(report: &Value, name: &str) -> bool {
    let all = report["ingredients"].as_array().unwrap();
    all.iter().any(|of| of["name"] == name && of["why"].is_null())
}

#[test]
fn the_report_keeps_its_schema_and_the_model_is_read_back() {
    let dir = directory();
    let args = "--dress --learn-residual -o model.toml";
    let found = report(&dir, args);
    assert_eq!(faults(&schema("identify"), &found), [""; 0]);
    assert_eq!((&found["events"], &found["tosses"]), (&12.into(), &6.into()));
    assert!(kept(&found, "dress") && found["held_out_learned"]["energy_score"].is_number());
    assert!(found["model"]["residual"].is_object(), "{}", found["model"]);
    for parameter in found["parameters"].as_array().unwrap() {
        let interval = &parameter["interval"];
        let all = [&parameter["value"], &interval[0], &interval[1]];
        let [value, low, high] = all.map(|x| x.as_f64().unwrap());
        assert!(low <= value && value <= high, "{parameter}");
    }
    assert!(found["parameters"].as_array().unwrap().iter().any(|of| of["name"] == "noise"));
    // The two forms of the model make the same forecasts.
    write(&dir, "model.json", found["model"].to_string());
    let scores = |model: &str| {
        let args = format!("reality events.json --model {model} -n 8 --device cpu");
        reported(&dir, &args)["groups"].clone()
    };
    assert_eq!(scores("model.toml"), scores("model.json"));
    for group in scores("model.toml").as_array().unwrap() {
        assert!(group["energy_score"].is_number() && group["in_90"].is_number(), "{group}");
    }
}

#[test]
fn options_choose_events_score_and_time() {
    let dir = directory();
    let energy = report(&dir, "--threads 1");
    assert!(!kept(&energy, "dress") && energy["held_out_learned"].is_null());
    let same = |report: &Value| (report["model"].clone(), report["parameters"].clone());
    assert_eq!(same(&energy), same(&report(&dir, "--threads 3")));
    let log = report(&dir, "--score log --clean");
    assert_eq!((&log["score"], &log["events"]), (&"log".into(), &8.into()));
    let few = report(&dir, "--ingredients slope");
    assert!(kept(&few, "numbers") && kept(&few, "slope") && !kept(&few, "inset"), "{few}");
    let short = report(&dir, "--seconds 0.001");
    assert_eq!(short["complete"], false);
    assert!(short["warnings"][0].as_str().unwrap().contains("time"), "{}", short["warnings"]);
    let shown = text(&run(&dir, "identify events.json -n 4 --folds 2 --seconds 0.001").stdout);
    has(&shown, "12 events of events.json, 6 tosses|held out|friction|noise|in 90");
}

/// With one contact and several a model has numbers for each, and reports score both.
#[test]
fn one_contact_and_several_are_scored_by_themselves() {
    let dir = directory();
    let ones = (0..16).map(|i| {
        let mut draws = Draws::of(6, i);
        let mut number = || draws.below(1000) as f64 / 500.0 - 1.0;
        let mut what = rod();
        what["velocity"] = json!([0.3 * number(), -1.0 + 0.2 * number(), 0.3 * number()]);
        event(what, &[0.1, 0.3 + 0.05 * number(), -1.0], json!({ "toss": 100 + i }))
    });
    let events: Vec<Value> = tosses(16).into_iter().chain(ones).collect();
    write(&dir, "events.json", file(&events));
    let found = report(&dir, "--contacts 1 --ingredients=numbers -o model.toml");
    assert_eq!(faults(&schema("identify"), &found), [""; 0]);
    assert_eq!(found["model"]["contacts"], json!([[1, 16], [2, 16]]));
    assert!(found["model"]["single"]["noise"].is_number(), "{}", found["model"]);
    let held = &found["held_out"];
    assert_eq!(held["spread"], held["rms"]);
    let groups = held["groups"].as_array().unwrap();
    let energy = |of: &Value| of["energy_score"].as_f64().unwrap();
    let mean = 0.5 * (energy(&groups[0]) + energy(&groups[1]));
    assert!((mean - energy(held)).abs() < 1e-12 * mean, "{held}");
    let several = report(&dir, "--ingredients=numbers");
    assert_eq!(several["model"]["contacts"], json!([[2, 16]]));
    assert_eq!(several["model"]["noise"], found["model"]["noise"]);
    assert_eq!(several["held_out"]["groups"], json!([]));
    let names = |of: &Value| -> Vec<String> {
        let all = of["parameters"].as_array().unwrap();
        all.iter().map(|of| of["name"].as_str().unwrap().to_string()).collect()
    };
    let [all, few] = [names(&found), names(&several)];
    let own: Vec<String> = few.iter().map(|name| format!("single {name}")).collect();
    assert_eq!(all, [few, own].concat());
    // No part is warned of.
    let reality = "reality events.json -n8 --device=cpu --json --model=model.toml";
    let judged = run(&dir, reality);
    assert!(!text(&judged.stderr).contains("fitted to"), "{}", text(&judged.stderr));
    let args = "identify events.json -n4 --folds=2 --contacts=1 --ingredients=numbers";
    let shown = text(&run(&dir, args).stdout);
    has(&shown, "16 with 1 contact, 16 with 2 contacts|with one contact|single friction");
}

#[test]
fn bad_files_get_one_clear_error() {
    let dir = directory();
    let mut nan = file(&tosses(4));
    nan = nan.replacen("\"measured\":[", "\"measured\":[NaN,", 1);
    let bend = |key: &str, value: Value| {
        let mut events = tosses(4);
        events[1][key] = value;
        file(&events)
    };
    let four = || file(&tosses(4));
    let cases = [
        (String::new(), "3 => bad.json"),
        (nan, "3 => bad.json | not valid JSON"),
        (file(&[]), "3 => no event"),
        (file(&tosses(1)), "3 --folds 2 => 1 tosses | 2 folds"),
        (four(), "3 --folds 1 => folds"),
        (four(), "3 --folds 5 => 2 tosses | 5 folds"),
        (four(), "3 --contacts 3 => none of 4 events | --contacts 1"),
        (four(), "2 --samples 0 => --samples"),
        (four(), "2 --seconds -1 => --seconds"),
        (four(), "2 --ingredients salt => salt | inset"),
        (four(), "2 --score best => --score"),
        (four(), "2 -o absent/model.toml => absent"),
        (bend("measured", json!([1])), "3 => events[1].measured"),
        (bend("gap", json!([0.1])), "3 => events[1].gap"),
        (bend("velocity", json!([0, 0, 0])), "3 => events[1].velocity"),
    ];
    for (content, case) in cases {
        write(&dir, "bad.json", content);
        refusals(&dir, "identify bad.json -n 4", case);
    }
    refused(&dir, "identify absent.json", 3, &["absent.json"]);
    write(&dir, "bad.json", four());
    write(&dir, "model.toml", "colour = 3\n");
    write(&dir, "model.json", "{\"friction\": [0.3]}");
    let cases = "
        3 model.toml => model.toml | colour
        3 absent.toml => absent.toml
        3 model.json => model.json";
    refusals(&dir, "reality bad.json -n 4 --device cpu --model", cases);
}

/// Odd events are no reason to panic: huge and tiny numbers, no friction, one contact, no gaps.
#[test]
fn odd_events_are_identified_or_refused() {
    let dir = directory();
    let scaled = |of: &mut Value, factor: f64| {
        for key in ["velocity", "measured"] {
            for x in of[key].as_array_mut().unwrap() {
                *x = json!(x.as_f64().unwrap() * factor);
            }
        }
    };
    let mut huge = tosses(4);
    huge.iter_mut().for_each(|of| scaled(of, 1e150));
    let mut tiny = tosses(4);
    tiny.iter_mut().for_each(|of| scaled(of, 1e-150));
    let mut far = tosses(4);
    far[0]["measured"] = json!([1e300, -1e300, 1e300]);
    let mut smooth = tosses(4);
    smooth.iter_mut().for_each(|of| of["friction"] = json!([0, 0]));
    let mut bare = tosses(4);
    for of in &mut bare {
        let keys = of.as_object_mut().unwrap();
        keys.retain(|key, _| !["tangent", "friction", "gap"].contains(&key.as_str()));
    }
    let one = |i: usize| event(rod(), &[0.2, 0.1, 0.3], json!({ "toss": i }));
    let ones: Vec<Value> = (0..3).map(one).collect();
    let same: Vec<Value> = (0..4).map(|_| tosses(1)[0].clone()).collect();
    for events in [huge, tiny, far, smooth, bare, ones, same] {
        write(&dir, "odd.json", file(&events));
        let args = "identify odd.json -n 2 --folds 2 --contacts 1 --json";
        let output = run(&dir, args);
        let message = text(&output.stderr);
        assert!(!message.contains("panicked"), "{}\n{message}", events[0]);
        match output.status.code() {
            Some(0) => drop(serde_json::from_slice::<Value>(&output.stdout).unwrap()),
            code => assert!(code == Some(3) && message.contains("error:"), "{code:?} {message}"),
        }
    }
}
