//! `carom guarantee`.

use super::*;

#[test]
fn the_promises_have_numbers_and_theorems() {
    let dir = directory();
    let report = reported(&dir, "guarantee rocking-block");
    let form = json!({
        "schema_version": 1, "duration": { "at_most": 0.0, "per_speed": 0.0 }, "time": { "after": 0.0 }, "net_force": { "value": 0.0, "at_most": 0.0, "by_coordinates": 0.0 }, "step": 0.0,
        "steps": { "mean": 0.0, "tail": [{ "failure": 0.0, "steps": 1 }] },
        "samples": { "sampler": "", "lemma": [{ "steps": 1, "gap": 0.0, "failure": 0.0, "log10_samples": 0.0 }] },
    });
    has_form(&report, &form, "");
    assert_eq!((&report["pointed"], &report["unique"]), (&json!(true), &json!(true)));
    // The elastic impact of a mass point of 1 kg would have twice its momentum as impulse.
    let found = |args: &str| reported(&dir, &format!("guarantee point.json {args}"));
    let point = r#"{ "mass": [[1]], "normal": [[1]], "velocity": [-3], "coordinates": ["y"] }"#;
    write(&dir, "point.json", point);
    let close = |value: &Value, to: f64| (value.as_f64().unwrap() / to - 1.0).abs() < 1e-8;
    let plain = found("");
    assert!(close(&plain["duration"]["at_most"], 6.0), "{plain}");
    assert!(plain["time"]["rate"].is_null(), "{plain}");
    let pulled = found("--acceleration y=-9.81");
    assert!(close(&pulled["time"]["after"], 6.0), "{pulled}");
    assert!(close(&pulled["time"]["rate"], 1.0 / (1.0 + 2.0 * 9.81)), "{pulled}");
    refused(&dir, "guarantee point.json --acceleration z=1", 2, &["--acceleration", "y"]);
    let output = text(&run(&dir, "guarantee disk-stack").stdout);
    has(&output, "Lemma 6|Theorem 8|Lemma 1|Assumption 2|Assumption 6|uniform|Theorem 3|Theorem 5");
    refused(&dir, "guarantee none.toml", 3, &["none.toml"]);
}
