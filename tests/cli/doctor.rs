//! `carom doctor`.

use serde_json::Value;

use super::{directory, has_form, run, text};

#[test]
fn doctor_says_what_auto_would_use() {
    let dir = directory();
    let report: Value =
        serde_json::from_slice(&run(dir.path(), &["doctor", "--json"]).stdout).unwrap();
    let form = serde_json::json!({
        "schema_version": 1, "version": "", "cpu": { "name": "", "cores": 1 },
        "adapters": [{ "name": "", "backend": "", "kind": "", "driver": "", "storage_buffer_bytes": 1 }],
        "auto": { "kind": "", "name": "", "backend": "", "precision": "", "why": "" }
    });
    has_form(&report, &form, "");
    let output = run(dir.path(), &["doctor"]);
    assert!(text(&output.stdout).contains(report["auto"]["name"].as_str().unwrap()));
}
