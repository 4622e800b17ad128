//! `carom sample`.

use super::*;

/// A problem whose normal velocity after the impact cannot be zero: it is the rounding of numbers
/// 1e12 times as large.
const ROUGH: &str =
    r#"{ "mass": [[1, 0], [0, 1]], "normal": [[1e12, 1e12]], "velocity": [1, -1.0000000000013] }"#;

#[test]
fn the_json_report_keeps_its_schema() {
    let dir = directory();
    let [shown, said] = ended(&dir, "sample block.json --json --samples 2k --device cpu", 0);
    assert_eq!(said, "");
    let report: Value = serde_json::from_str(&shown).unwrap();
    let spread = json!({ "min": [0.5], "max": [0.5], "mean": [0.5] });
    let form = json!({
        "schema_version": 1, "name": "", "law": "", "device": { "kind": "", "name": "", "backend": "" },
        "precision": "", "solution": "", "sampler": "", "seed": 1, "samples": 1, "terminated": 1, "accepted": 1,
        "repaired": 1, "status": { "terminated": 1, "step-limit": 1 }, "steps": { "mean": 0.5, "max": 1 },
        "residual_max": 0.5, "seconds": { "total": 0.5, "kernel": 0.5 }, "velocity": spread,
        "normal_velocity": spread, "tangent_velocity": spread,
        "kinetic_energy": { "before": 0.5, "min": 0.5, "max": 0.5, "mean": 0.5 },
        "modes": [{ "mode": [""], "share": 0.5 }]
    });
    has_form(&report, &form, "");
    says(&report, json!({ "schema_version": 1, "name": "block", "law": "routh" }));
    says(&report, json!({ "precision": "f64", "solution": "random", "samples": 2000, "seed": 0 }));
    assert_eq!(report["persist"], 1);
    assert_eq!(report["velocity"]["min"].as_array().unwrap().len(), 3);
    assert_eq!(report["normal_velocity"]["mean"].as_array().unwrap().len(), 2);
    assert_eq!(report["tangent_velocity"]["max"].as_array().unwrap().len(), 2);
    assert_eq!(report["status"]["terminated"], report["terminated"]);
    for mode in report["modes"].as_array().unwrap() {
        let names = mode["mode"].as_array().unwrap();
        assert_eq!(names.len(), 2);
        let known = ["lift", "stick", "slide+", "slide-"];
        assert!(names.iter().all(|name| known.contains(&name.as_str().unwrap())));
    }
}

/// A block that strikes with two corners, in space.
pub const SPATIAL: &str = r#"{
  "mass": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0.2]],
  "normal": [[0, 0, 1, -0.5], [0, 0, 1, 0.5]],
  "tangent": [[1, 0, 0, 0.5], [0, 1, 0, 0], [1, 0, 0, 0.5], [0, 1, 0, 0]],
  "friction": [0.5, 0.5],
  "velocity": [0.3, -0.2, -1, 0.4]
}"#;

#[test]
fn spatial_problems_are_sampled_with_facets() {
    let dir = directory();
    write(&dir, "spatial.json", SPATIAL);
    let report = parsed(&dir, "sample spatial.json --samples 2k --json");
    assert_eq!((&report["facets"], &report["accepted"]), (&Value::Null, &2000.into()));
    assert_eq!(report["device"]["kind"], "cpu");
    let report = reported(&dir, "sample spatial.json --facets 8 --samples 2k --device cpu");
    assert_eq!((&report["facets"], &report["accepted"]), (&8.into(), &2000.into()));
    assert_eq!(report["tangent_velocity"]["max"].as_array().unwrap().len(), 4);
    for mode in report["modes"].as_array().unwrap() {
        let mut names = mode["mode"].as_array().unwrap().iter().map(|name| name.as_str().unwrap());
        assert!(names.all(|name| ["lift", "stick", "slide"].contains(&name)), "{mode}");
    }
    done(&dir, "compare spatial.json --facets 8 --samples 2k --device cpu -o c.svg");
    done(&dir, "plot spatial.json --facets 8 --samples 2k -o p.svg");
    let output = run(&dir, "resolve spatial.json --law anitescu-potra --json");
    let message = text(&output.stderr);
    assert!(message.contains("16 facets") && message.contains("there may be more"), "{message}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let solutions = report["solutions"].as_array().unwrap();
    assert!(!solutions.is_empty());
    for solution in solutions {
        assert_eq!(solution["status"], "terminated");
        assert_eq!(solution["impulse"].as_array().unwrap().len(), 6);
        assert_eq!(solution["details"]["complete"], false);
    }
}

#[test]
fn the_same_seed_gives_the_same_report_on_any_number_of_threads() {
    let dir = directory();
    let report = |threads: &str, seed: &str| {
        let args = "sample block.json --json --samples 5k --device cpu";
        let mut report = parsed(&dir, &format!("{args} --threads {threads} --seed {seed}"));
        let keys = report.as_object_mut().unwrap();
        keys.remove("seconds");
        keys.remove("device");
        report
    };
    assert_eq!(report("1", "3"), report("2", "3"));
    assert_ne!(report("1", "3")["velocity"], report("1", "4")["velocity"]);
}

#[test]
fn the_text_report_is_readable_and_plain() {
    let dir = directory();
    let report = done(&dir, "sample block.json --samples 1000 --device cpu");
    has(&report, "block|1 000|left, normal|kinetic energy|contact modes|seed 0");
    assert!(!report.contains('\u{1b}'), "{report}");
}

#[test]
fn flags_override_the_file() {
    let dir = directory();
    let more = "\"restitution\": [0.5, 0.5], \"step\": 9, \"contacts\"";
    write(&dir, "bouncing.json", BLOCK.replacen("\"contacts\"", more, 1));
    let args = "sample bouncing.json --json --samples 10 --device cpu --restitution 0";
    let report = parsed(&dir, &format!("{args} --step 0.25 --max-steps 7 --precision f32"));
    says(&report, json!({ "step": 0.25, "max_steps": 7, "precision": "f32" }));
}

#[test]
fn what_restitution_means_is_said() {
    let dir = directory();
    let args = "sample compass-gait --restitution 1 -n 300 --device cpu --json";
    for (hypothesis, gains) in [("stronge", false), ("poisson", true)] {
        let output = run(&dir, &format!("{args} --hypothesis {hypothesis}"));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["hypothesis"], hypothesis);
        let energy = |key: &str| report["kinetic_energy"][key].as_f64().unwrap();
        assert_eq!(energy("max") > (1.0 + 1e-6) * energy("before"), gains);
        assert_eq!(text(&output.stderr).contains("gain energy"), gains, "{}", text(&output.stderr));
    }
    let report = parsed(&dir, "sample block.json -n 10 --device cpu --json");
    assert!(report["hypothesis"].is_null());
}

#[test]
fn problems_come_from_stdin_too() {
    let dir = directory();
    let report = given(&dir, "sample - --json --samples 10 --device cpu", BLOCK);
    assert_eq!(report["name"], "block");
}

#[test]
fn too_many_rejected_samples_are_told_by_the_exit_code() {
    let dir = directory();
    write(&dir, "rough.json", ROUGH);
    let args = "sample rough.json --json --samples 10 --device cpu";
    let [shown, said] = ended(&dir, args, 1);
    has(&said, "10 of 10 terminated samples (100.000 %) were not accepted");
    let report: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!((&report["terminated"], &report["accepted"]), (&10.into(), &0.into()));
    let [_, said] = ended(&dir, &format!("{args} --max-rejected 1"), 0);
    assert_eq!(said, "");
}

#[test]
fn reaching_the_step_limit_is_a_result() {
    let dir = directory();
    let args = "sample block.json --json --samples 10 --device cpu --step 1e-9";
    // A limit at which every sample stops is a failure all the same.
    let [shown, _] = ended(&dir, &format!("{args} --max-steps 2"), 1);
    let report: Value = serde_json::from_str(&shown).unwrap();
    assert_eq!(report["status"]["step-limit"], 10);
    assert_eq!(report["kinetic_energy"]["mean"], Value::Null);
}

#[test]
fn orderings_are_sampled() {
    let dir = directory();
    for (law, restitution) in [("sequential", "0"), ("propagative", "0.5"), ("propagative", "1")] {
        let line = format!("sample block.json --law {law} --restitution {restitution}");
        let json = reported(&dir, &format!("{line} --device cpu"));
        assert_eq!((json["law"].as_str(), json["accepted"].as_u64()), (Some(law), Some(65_536)));
        assert!(json["step"].is_null() && json["solver"] == "scalar");
    }
}

/// Derivatives are in the file, by the names of its documentation; what is flagged is counted.
#[test]
fn files_have_derivatives() {
    let dir = directory();
    let of = |option: &str, file: &str| {
        let line = format!("sample rocking-block -n 2000 --device cpu --out {file} {option}");
        let [_, said] = ended(&dir, &line, 0);
        has(&said, "of 2000 samples are not differentiable");
        crate::support::npz::Npz::open(&dir.join(file))
    };
    let options = [("--jacobian", 3), ("--jacobian=friction", 2), ("--jacobian=step", 1)];
    for (option, columns) in options {
        let mut npz = of(option, "set.npz");
        let jacobian = npz.array("jacobian");
        assert_eq!(jacobian.shape(), [2000, 3, columns]);
        let jacobian = jacobian.into_vec::<f64>().unwrap();
        let smooth = npz.array("differentiable").into_vec::<bool>().unwrap();
        for (rows, smooth) in jacobian.chunks_exact(3 * columns as usize).zip(smooth) {
            assert!(rows.iter().all(|x| x.is_finite() == smooth && x.is_nan() != smooth));
        }
    }
    refused(&dir, "sample rocking-block --jacobian", 2, &["--out"]);
}
