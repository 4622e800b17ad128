//! Designs: the order of impacts stops to matter, by little change.

use super::*;
use crate::support::indeterminacy::xi;
use carom::scene::design::{Design, TOLERANCE, design};

fn designed(name: &str, set: &[(&str, f64)]) -> Design {
    design(&Document::open(name).unwrap(), set, 0.2).unwrap()
}

fn parameter(design: &Design, name: &str) -> f64 {
    design.after.parameters.iter().find(|parameter| parameter.name == name).unwrap().value
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
        assert!(found.after.gram[(0, 1)].abs() <= TOLERANCE);
        assert!(found.before.gram[(0, 1)].abs() > 0.01);
        let (before, after) =
            (found.before.indeterminacy.unwrap(), found.after.indeterminacy.unwrap());
        assert!(before.scene > 0.01, "{before:?}");
        assert!(before.largest >= before.mean && before.draws == 256, "{before:?}");
        assert!(after.scene == 0.0 && after.largest == 0.0 && after.draws == 256, "{after:?}");
    }
    let found = designed("billiard-break", &[]);
    assert!((found.distance - 2.5).abs() < 1e-8);
    let before = found.before.indeterminacy.unwrap().scene;
    assert!((before - xi(&load("billiard-break"))).abs() < 1e-12);
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
    // Nearest: with one parameter kept at its end or start the rest go no shorter way.
    let text = scene::builtin("tailed-runner").unwrap().text;
    for name in ["pitch", "tail", "tail_mass"] {
        let line = text.lines().find(|line| line.starts_with(&format!("{name} ="))).unwrap();
        let held = text.replace(line, &line.replace("free = true", "free = false"));
        let other = design(&Document::new("held", held, Format::Toml).unwrap(), &[], 0.2).unwrap();
        assert!(other.fault.is_none(), "{name}: {}", other.distance);
        assert!(other.distance >= found.distance - 1e-6, "{name}: {}", other.distance);
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
    assert!(error.kind == ErrorKind::Input, "{error}");
    assert!(error.to_string().contains("no free parameter"), "{error}");
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
    assert!((parameter(&found, "theta") - 80.0).abs() < 1e-9);
    assert!(found.after.indeterminacy.is_some());
    let fixed = billiards.replace("r_c = 1.0", "r_c = 1.0\nd = { value = 1.0, free = true }");
    let fixed = fixed
        .replace("free = true }   #", "free = false }   #")
        .replace("disk = \"r_c\"", "disk = \"d\"");
    let found = design(&Document::new("file", fixed, Format::Toml).unwrap(), &[], 0.2).unwrap();
    assert!(found.fault.is_some() && found.distance < 1.0, "{found:?}");
}
