//! `carom design`, and `--set`.

use carom::scene;
use serde_json::Value;

use super::support::indeterminacy::xi;
use super::{names_in, run, text};

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

    // The text differs in the values of free parameters only.
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
    assert_eq!(names_in(dir.path()), ["new.toml"]);
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
        (
            &["sample", "cube-on-face", "--set", "theta=90"],
            2,
            &["theta", "cube-on-face", "no parameters"],
        ),
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
    assert_eq!(names_in(dir.path()), ["d.toml", "fixed.toml", "narrow.toml"]);
}

#[test]
fn parameters_on_the_command_line() {
    let dir = tempfile::tempdir().unwrap();
    let args = ["resolve", "billiard-break", "--law", "propagative", "--json", "--set", "theta=70"];
    let report: Value = serde_json::from_slice(&run(dir.path(), &args).stdout).unwrap();
    let found = report["uniqueness"]["indeterminacy"].as_f64().unwrap();
    assert!((found - 0.510176942619212).abs() < 1e-12, "{found}");
    let args =
        ["--samples", "100", "--device", "cpu", "--set", "theta=90", "--set", "r_a=2", "--json"];
    let output = run(
        dir.path(),
        &[&["sample", "billiard-break", "--law", "propagative"][..], &args].concat(),
    );
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
