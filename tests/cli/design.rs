//! `carom design`, and `--set`.

use carom::scene;

use super::support::indeterminacy::xi;
use super::*;

#[test]
fn the_written_runner_is_independent_of_the_order() {
    let dir = Folder::new();
    let report = reported(&dir, "design tailed-runner -o new.toml");
    assert_eq!((&report["accepted"], &report["fault"]), (&true.into(), &Value::Null));
    assert!(report["before"]["indeterminacy"]["scene"].as_f64().unwrap() > 0.1, "{report}");
    assert_eq!(report["after"]["indeterminacy"]["draws"], 256);

    let new = dir.join("new.toml");
    let (before, after) = (scene::load("tailed-runner").unwrap(), scene::read(&new).unwrap());
    let (xi_before, xi_after) = (xi(&before), xi(&after));
    assert!(xi_before > 0.1 && xi_after < 1e-5 * xi_before, "{xi_before} {xi_after}");
    assert!(xi_after < 1e-10, "{xi_after}");
    assert_eq!(before.contacts(), after.contacts());

    // The text differs in the values of free parameters only.
    let (old, new) = (scene::builtin("tailed-runner").unwrap().text, read(&dir, "new.toml"));
    assert_eq!(old.lines().count(), new.lines().count());
    for (old, new) in old.lines().zip(new.lines()).filter(|(old, new)| old != new) {
        assert!(old.split(',').skip(1).eq(new.split(',').skip(1)), "{old}\n{new}");
        assert!(old.contains("free = true"), "{old}");
    }
    assert_eq!(names_in(&dir), ["new.toml"]);
}

#[test]
fn exit_codes_and_messages() {
    let dir = Folder::new();
    let scene = scene::builtin("billiard-break").unwrap().text;
    let write = |name: &str, text: String| write(&dir, name, text);
    write("narrow.toml", scene.replace("max = 180.0", "max = 80.0"));
    write("fixed.toml", scene.replace("free = true", "free = false"));
    std::fs::create_dir(dir.join("d.toml")).unwrap();
    done(&dir, "design billiard-break");
    done(&dir, "design billiard-break --set theta=128 --spread 0");
    let [_, said] = ended(&dir, "design narrow.toml -o x.toml", 1);
    has(&said, "x.toml is not written");
    let cases = "
        3 design fixed.toml => fixed.toml | no free parameter | free = true
        3 design disk-stack => no free parameter
        3 design absent.toml => absent.toml
        2 design billiard-break -o x.json => x.json | .toml
        2 design billiard-break -o none/x.toml => none
        2 design billiard-break -o d.toml => d.toml | directory
        2 design billiard-break --spread -1 => --spread | >= 0
        2 design billiard-break --set theta => --set | NAME=VALUE
        2 design billiard-break --set theta=nan => --set | NAME=VALUE
        2 design billiard-break --set thet=90 => thet | did you mean `theta`?
        2 sample billiard-break --set theta=200 => theta | [30, 180] | 200
        2 sample cube-on-face --set theta=90 => theta | cube-on-face | no parameters
        2 resolve billiard-break --law propagative --set r=1 => r | no such parameter
        2 scenes billiard-break --set r=1 => no such parameter
        2 scenes --set r=1 => NAME";
    refusals(&dir, "", cases);
    assert_eq!(names_in(&dir), ["d.toml", "fixed.toml", "narrow.toml"]);
}

#[test]
fn parameters_on_the_command_line() {
    let dir = Folder::new();
    let args = "resolve billiard-break --law propagative --json --set theta=70";
    let report = parsed(&dir, args);
    let found = report["uniqueness"]["indeterminacy"].as_f64().unwrap();
    assert!((found - 0.510176942619212).abs() < 1e-12, "{found}");
    let args = "--samples 100 --device cpu --set theta=90 --set r_a=2 --json";
    let output = run(&dir, &format!("sample billiard-break --law propagative {args}"));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["accepted"], 100, "{}", text(&output.stderr));
    let printed = text(&run(&dir, "scenes tailed-runner").stdout);
    assert_eq!(printed, scene::builtin("tailed-runner").unwrap().text);
    let printed = text(&run(&dir, "scenes billiard-break --set theta=90").stdout);
    let given = scene::builtin("billiard-break").unwrap().text;
    assert_eq!(printed, given.replace("value = 65.0", "value = 90.0"));
}
