//! `carom replay`.

use serde_json::{Value, json};

use super::{directory, refused, run, text};

/// The sample is the one that a file has, and the last row ends in it.
#[test]
fn a_path_ends_in_the_sample_of_the_file() {
    let dir = directory();
    let how = ["rocking-block", "--seed", "4", "--device", "cpu"];
    assert!(
        run(dir.path(), &[&["sample", "-n", "50", "--out", "s.npz"], &how[..]].concat())
            .status
            .success()
    );
    let find = ["query", "s.npz", "support", "--direction", "0,0,1", "--json"];
    let found: Value = serde_json::from_slice(&run(dir.path(), &find).stdout).unwrap();
    let number = found["sample"].as_u64().unwrap().to_string();
    let output = run(
        dir.path(),
        &[&["replay", "--sample", &number, "--json", "-o", "p.svg"], &how[..]].concat(),
    );
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["velocity"], found["velocity"]);
    let path = report["path"].as_array().unwrap();
    assert_eq!(path.last().unwrap()["velocity"], found["velocity"]);
    assert_eq!(report["steps"], json!(path.len()));
    for key in
        ["rates", "caps", "contacts", "impulse", "velocity", "contact_velocity", "kinetic_energy"]
    {
        assert!(path.iter().all(|row| !row[key].is_null()), "{key}");
    }
    assert!(std::fs::read_to_string(dir.path().join("p.svg")).unwrap().contains("kinetic energy"));
}

#[test]
fn a_path_can_be_read() {
    let dir = directory();
    for what in ["disk-stack", "cube-on-edge", "newtons-cradle"] {
        let output = run(dir.path(), &["replay", what, "--sample", "3"]);
        let report = text(&output.stdout);
        assert!(
            output.status.success()
                && report.contains("normal impulses")
                && report.contains("before"),
            "{report}"
        );
    }
    refused(dir.path(), &["replay", "rocking-block"], 2, &["--sample"]);
    refused(dir.path(), &["replay", "rocking-block", "--sample", "-1"], 2, &["--sample"]);
}

/// Where sliding turns, the mean of its friction lies within the cone; a contact that slides is not
/// said to stick.
#[test]
fn what_slides_is_not_said_to_stick() {
    let dir = directory();
    let mut rows = [0; 2];
    for sample in 0..8 {
        let run =
            run(dir.path(), &["replay", "cube-on-edge", "--sample", &sample.to_string(), "--json"]);
        let report: Value = serde_json::from_slice(&run.stdout).unwrap();
        let mut before = &report["before"]["contact_velocity"];
        for step in report["path"].as_array().unwrap() {
            let after = &step["contact_velocity"];
            for (i, state) in step["contacts"].as_array().unwrap().iter().enumerate() {
                let speed = |u: &Value| {
                    u[2 + 2 * i].as_f64().unwrap().hypot(u[3 + 2 * i].as_f64().unwrap())
                };
                let fastest = speed(before).max(speed(after));
                assert!(state != "stick" || fastest < 1e-3, "sample {sample}: {fastest}");
                assert!(state != "slide" || fastest > 1e-6, "sample {sample}: {fastest}");
                rows[usize::from(state == "slide")] += 1;
            }
            before = after;
        }
    }
    assert!(rows[1] > 20, "{rows:?}");
}
