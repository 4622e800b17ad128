//! `carom doctor`.

use super::*;

#[test]
fn doctor_says_what_auto_would_use() {
    let dir = directory();
    let report = parsed(&dir, "doctor --json");
    let form = serde_json::json!({
        "schema_version": 1, "version": "", "cpu": { "name": "", "cores": 1 },
        "adapters": [{ "name": "", "backend": "", "kind": "", "driver": "", "storage_buffer_bytes": 1 }],
        "auto": { "kind": "", "name": "", "backend": "", "precision": "", "why": "" }
    });
    has_form(&report, &form, "");
    // A machine of tests has a software adapter or none, or hardware.
    let adapters = report["adapters"].as_array().unwrap();
    let hardware = adapters.iter().any(|adapter| adapter["kind"] != "cpu");
    let required = run(&dir, "doctor --require gpu");
    assert_eq!(required.status.code(), Some(if hardware { 0 } else { 4 }));
    assert_eq!(text(&required.stderr).contains("ICD"), !hardware);
    ended(&dir, "doctor --require 'no such#1'", 4);
    if let Some(adapter) = adapters.first() {
        let name = adapter["name"].as_str().unwrap();
        for (number, code) in [(0, 0), (adapters.len(), 4)] {
            let required = run(&dir, &format!("doctor --require '{name}#{number}'"));
            assert_eq!(required.status.code(), Some(code), "{name}#{number}");
        }
    }
    let output = run(&dir, "doctor");
    assert!(text(&output.stdout).contains(report["auto"]["name"].as_str().unwrap()));
}

/// The dynamic linker of glibc names the libraries that it looks for.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn runs_on_the_cpu_load_no_driver() {
    let dir = directory();
    let loads = |line: &str| {
        let output = carom(&dir, line).env("LD_DEBUG", "libs").output().unwrap();
        text(&output.stderr).contains("libvulkan")
    };
    assert!(loads("doctor"));
    assert!(!loads("sample rocking-block --samples 10 --device cpu"));
}
