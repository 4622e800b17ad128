//! Designs: the order of impacts stops to matter, by little change, in the library and on the command line.

use carom::error::ErrorKind;
use carom::problem::ContactProblem;
use carom::scene::design::{Design, TOLERANCE, design};
use carom::scene::{self, Document, Format};
use nalgebra::{DMatrix, DVector};

fn designed(name: &str, set: &[(&str, f64)]) -> Design {
    design(&Document::open(name).unwrap(), set, 0.2).unwrap()
}

fn parameter(design: &Design, name: &str) -> f64 {
    design.after.parameters.iter().find(|parameter| parameter.name == name).unwrap().value
}

/// `xi` of the two admissible orders of two contacts, from `M`, `Jn` and `v` alone.
fn xi(problem: &ContactProblem) -> f64 {
    let spec = problem.spec();
    let n = spec.velocity.len();
    let inverse = DMatrix::from_fn(n, n, |i, j| spec.mass[i][j]).try_inverse().unwrap();
    let mass = inverse.clone().try_inverse().unwrap();
    let normals: Vec<DVector<f64>> = spec.normal.iter().map(|row| DVector::from_vec(row.clone())).collect();
    let before = &mass * DVector::from_vec(spec.velocity.clone());
    let inner = |a: &DVector<f64>, b: &DVector<f64>| a.dot(&(&inverse * b));
    let after = |mut next: usize| {
        let mut p = before.clone();
        while normals.iter().any(|u| inner(&p, u) < -1e-9) {
            let u = &normals[next];
            if inner(&p, u) < 0.0 {
                p -= u * (2.0 * inner(&p, u) / inner(u, u));
            }
            next = 1 - next;
        }
        p
    };
    let apart = after(0) - after(1);
    (inner(&apart, &apart) / inner(&before, &before)).sqrt()
}

#[test]
fn the_billiard_break_is_best_at_a_right_angle() {
    // cos(theta) = 0, whatever the radii and masses; from either side.
    for set in [
        &[][..],
        &[("theta", 128.0)],
        &[("r_a", 0.5), ("r_b", 2.0), ("theta", 70.0)],
        &[("r_c", 2.8637033051562737), ("theta", 30.0)],
    ] {
        let found = designed("billiard-break", set);
        assert_eq!(found.fault, None, "{set:?}");
        assert!((parameter(&found, "theta") - 90.0).abs() < 1e-8, "{set:?}");
        assert!(found.after.gram[(0, 1)].abs() <= TOLERANCE && found.before.gram[(0, 1)].abs() > 0.01);
        let (before, after) = (found.before.indeterminacy.unwrap(), found.after.indeterminacy.unwrap());
        assert!(before.scene > 0.01 && before.largest >= before.mean && before.draws == 256, "{before:?}");
        assert!(after.scene == 0.0 && after.largest == 0.0 && after.draws == 256, "{after:?}");
    }
    let found = designed("billiard-break", &[]);
    assert!((found.distance - 2.5).abs() < 1e-8);
    let before = found.before.indeterminacy.unwrap().scene;
    assert!((before - xi(&scene::load("billiard-break").unwrap())).abs() < 1e-12);
    let already = designed("billiard-break", &[("theta", 90.0)]);
    assert!(already.distance < 1e-12 && already.fault.is_none());
}

#[test]
fn the_runner_changes_little_and_keeps_its_feet_on_the_floor() {
    let found = designed("tailed-runner", &[]);
    assert_eq!(found.fault, None);
    assert!(found.after.gaps.iter().all(|gap| gap.abs() <= TOLERANCE * found.length));
    assert!(found.before.gram[(0, 1)] > 0.1 && found.after.gram[(0, 1)].abs() <= TOLERANCE);
    for (before, after) in found.before.parameters.iter().zip(&found.after.parameters) {
        assert!((after.min..=after.max).contains(&after.value), "{after:?}");
        assert!(before.free || before.value == after.value, "{after:?}");
    }
    // Nearest: with any one parameter kept where it ends, or held at its start, the rest go no shorter way.
    let text = scene::builtin("tailed-runner").unwrap().text;
    for name in ["pitch", "tail", "tail_mass"] {
        let line = text.lines().find(|line| line.starts_with(&format!("{name} ="))).unwrap();
        let held = text.replace(line, &line.replace("free = true", "free = false"));
        let other = design(&Document::new("held", held, Format::Toml).unwrap(), &[], 0.2).unwrap();
        assert!(
            other.fault.is_none() && other.distance >= found.distance - 1e-6,
            "{name}: {}",
            other.distance
        );
    }
}

#[test]
fn what_cannot_be_designed() {
    let refused = |text: &str, spread: f64| {
        let format = if text.starts_with('{') { Format::Json } else { Format::Toml };
        design(&Document::new("file", text.to_string(), format).unwrap(), &[], spread)
            .map(|_| ())
            .expect_err(text)
    };
    let billiards = scene::builtin("billiard-break").unwrap().text;
    let error = refused(&billiards.replace("free = true", "free = false"), 0.2);
    assert!(error.kind == ErrorKind::Input && error.to_string().contains("no free parameter"), "{error}");
    let error = refused(r#"{"mass": [[1]], "normal": [[1]], "velocity": [-1]}"#, 0.2);
    assert!(error.to_string().contains("no free parameter"), "{error}");
    let single = "friction = 0\nparameters.x = { value = 1, free = true }\n[[walls]]\nname = \"w\"\nnormal = [0, 1]\n\
                  [[bodies]]\nname = \"b\"\nmass = 1\nshapes = [{ disk = \"x\" }]\nposition = [0, \"x\"]\n";
    assert!(refused(single, 0.2).to_string().contains("one contact only"));
    assert!(refused(billiards, f64::NAN).to_string().contains("spread"));

    // 90 deg is out of reach, and so is contact once the radius alone may change.
    let narrow = billiards.replace("max = 180.0", "max = 80.0");
    let found = design(&Document::new("file", narrow, Format::Toml).unwrap(), &[], 0.2).unwrap();
    assert!(found.fault.as_deref().is_some_and(|fault| fault.contains("no design was found")));
    assert!((parameter(&found, "theta") - 80.0).abs() < 1e-9 && found.after.indeterminacy.is_some());
    let fixed = billiards.replace("r_c = 1.0", "r_c = 1.0\nd = { value = 1.0, free = true }");
    let fixed =
        fixed.replace("free = true }   #", "free = false }   #").replace("disk = \"r_c\"", "disk = \"d\"");
    let found = design(&Document::new("file", fixed, Format::Toml).unwrap(), &[], 0.2).unwrap();
    assert!(found.fault.is_some() && found.distance < 1.0, "{found:?}");
}

#[cfg(feature = "cli")]
mod command {
    use std::path::Path;
    use std::process::{Command, Output};

    use serde_json::Value;

    use super::*;

    fn run(dir: &Path, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_carom")).args(args).current_dir(dir).output().unwrap()
    }

    fn text(bytes: &[u8]) -> String {
        String::from_utf8(bytes.to_vec()).unwrap()
    }

    #[test]
    fn the_written_runner_is_independent_of_the_order() {
        let dir = tempfile::tempdir().unwrap();
        let output = run(dir.path(), &["design", "tailed-runner", "-o", "new.toml", "--json"]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&report["accepted"], &report["fault"]), (&true.into(), &Value::Null));
        assert!(report["before"]["indeterminacy"]["scene"].as_f64().unwrap() > 0.1, "{report}");
        assert_eq!(report["after"]["indeterminacy"]["draws"], 256);

        let new = dir.path().join("new.toml");
        let (before, after) = (scene::load("tailed-runner").unwrap(), scene::read(&new).unwrap());
        let (xi_before, xi_after) = (xi(&before), xi(&after));
        assert!(xi_before > 0.1 && xi_after < 1e-5 * xi_before, "{xi_before} {xi_after}");
        assert!(xi_after < 1e-10, "{xi_after}");
        assert_eq!(before.contacts(), after.contacts());

        // The same text but for the values of free parameters.
        let (old, new) =
            (scene::builtin("tailed-runner").unwrap().text, std::fs::read_to_string(new).unwrap());
        assert_eq!(old.lines().count(), new.lines().count());
        for (old, new) in old.lines().zip(new.lines()).filter(|(old, new)| old != new) {
            assert_eq!(
                old.split(',').skip(1).collect::<Vec<_>>(),
                new.split(',').skip(1).collect::<Vec<_>>()
            );
            assert!(old.contains("free = true"), "{old}");
        }
        let names: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names, ["new.toml"]);
    }

    #[test]
    fn exit_codes_and_messages() {
        let dir = tempfile::tempdir().unwrap();
        let scene = scene::builtin("billiard-break").unwrap().text;
        let write = |name: &str, text: String| std::fs::write(dir.path().join(name), text).unwrap();
        write("narrow.toml", scene.replace("max = 180.0", "max = 80.0"));
        write("fixed.toml", scene.replace("free = true", "free = false"));
        std::fs::create_dir(dir.path().join("d.toml")).unwrap();
        let cases: &[(&[&str], i32, &[&str])] = &[
            (&["design", "billiard-break"], 0, &[]),
            (&["design", "billiard-break", "--set", "theta=128", "--spread", "0"], 0, &[]),
            (&["design", "narrow.toml", "-o", "x.toml"], 1, &["x.toml is not written"]),
            (&["design", "fixed.toml"], 3, &["fixed.toml", "no free parameter", "free = true"]),
            (&["design", "disk-stack"], 3, &["no free parameter"]),
            (&["design", "absent.toml"], 3, &["absent.toml"]),
            (&["design", "billiard-break", "-o", "x.json"], 2, &["x.json", ".toml"]),
            (&["design", "billiard-break", "-o", "none/x.toml"], 2, &["none"]),
            (&["design", "billiard-break", "-o", "d.toml"], 2, &["d.toml", "directory"]),
            (&["design", "billiard-break", "--spread", "-1"], 2, &["--spread", ">= 0"]),
            (&["design", "billiard-break", "--set", "theta"], 2, &["--set", "NAME=VALUE"]),
            (&["design", "billiard-break", "--set", "theta=nan"], 2, &["--set", "NAME=VALUE"]),
            (&["design", "billiard-break", "--set", "thet=90"], 2, &["thet", "did you mean `theta`?"]),
            (&["sample", "billiard-break", "--set", "theta=200"], 2, &["theta", "[30, 180]", "200"]),
            (&["sample", "disk-stack", "--set", "theta=90"], 2, &["theta", "disk-stack", "no parameters"]),
            (
                &["resolve", "billiard-break", "--law", "propagative", "--set", "r=1"],
                2,
                &["r", "no such parameter"],
            ),
            (&["scenes", "billiard-break", "--set", "r=1"], 2, &["no such parameter"]),
            (&["scenes", "--set", "r=1"], 2, &["NAME"]),
        ];
        for (args, code, words) in cases {
            let output = run(dir.path(), args);
            let message = text(&output.stderr);
            assert_eq!(output.status.code(), Some(*code), "{args:?}\n{message}");
            assert!(!message.contains("panicked"), "{message}");
            for word in *words {
                assert!(message.contains(word), "{args:?}: {word}\n{message}");
            }
        }
        let names: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names.len(), 3, "{names:?}");
    }

    #[test]
    fn parameters_on_the_command_line() {
        let dir = tempfile::tempdir().unwrap();
        let args = ["resolve", "billiard-break", "--law", "propagative", "--json", "--set", "theta=70"];
        let report: Value = serde_json::from_slice(&run(dir.path(), &args).stdout).unwrap();
        let found = report["uniqueness"]["indeterminacy"].as_f64().unwrap();
        assert!((found - 0.510176942619212).abs() < 1e-12, "{found}");
        let args = ["--samples", "100", "--device", "cpu", "--set", "theta=90", "--set", "r_a=2", "--json"];
        let output =
            run(dir.path(), &[&["sample", "billiard-break", "--law", "propagative"][..], &args].concat());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["accepted"], 100, "{}", text(&output.stderr));
        assert_eq!(
            text(&run(dir.path(), &["scenes", "tailed-runner"]).stdout),
            scene::builtin("tailed-runner").unwrap().text
        );
        let printed = text(&run(dir.path(), &["scenes", "billiard-break", "--set", "theta=90"]).stdout);
        assert_eq!(
            printed,
            scene::builtin("billiard-break").unwrap().text.replace("value = 65.0", "value = 90.0")
        );
    }
}
