//! `carom guarantee`.

use serde_json::{Value, json};

use super::{directory, has_form, refused, run, text};

#[test]
fn the_promises_have_numbers_and_theorems() {
    let dir = directory();
    let output = run(dir.path(), &["guarantee", "rocking-block", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let form = json!({
        "schema_version": 1, "net_force": { "value": 0.0, "at_most": 0.0, "by_coordinates": 0.0 }, "step": 0.0,
        "steps": { "mean": 0.0, "tail": [{ "failure": 0.0, "steps": 1 }] },
        "samples": { "sampler": "", "lemma": [{ "steps": 1, "gap": 0.0, "failure": 0.0, "log10_samples": 0.0 }] },
    });
    has_form(&report, &form, "");
    assert_eq!((&report["pointed"], &report["unique"]), (&json!(true), &json!(true)));
    let output = text(&run(dir.path(), &["guarantee", "disk-stack"]).stdout);
    for words in ["Lemma 6", "Theorem 8", "Lemma 1", "Assumption 2", "Assumption 6", "uniform"] {
        assert!(output.contains(words), "{words}\n{output}");
    }
    refused(dir.path(), &["guarantee", "none.toml"], 3, &["none.toml"]);
}
