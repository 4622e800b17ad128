//! Warnings of what a problem says.

use super::*;

const JSON: &str = r#"{ "mass": [[1, 0, 0], [0, 1, 0], [0, 0, 0.2]], "normal": [[0, 1, -0.5], [0, 1, 0.5]],
  "tangent": [[1, 0, 0.3], [1, 0, 0.3]], "friction": [0.5, 0.5], "velocity": [0.3, -1, 0.4],
  "coordinates": ["x", "y", "theta"], "contacts": ["left", "right"] }"#;

/// What the command line says of a problem that has a contact twice, or nearly.
#[test]
fn every_command_warns_once() {
    every_command_says("-0.5", "repeats");
    every_command_says("-0.50001", "nearly repeats");
}

/// A solver that is no longer there means the automatic choice, and a warning says so.
#[test]
fn former_solvers_are_read() {
    let dir = Folder::new();
    let how = "sample rocking-block --process steps --samples 64 --device cpu --json";
    let expected = parsed(&dir, how);
    for solver in ["tree", "cache"] {
        let line = format!("{how} --solver {solver}");
        let (found, said) = (parsed(&dir, &line), run(&dir, &line).stderr);
        let warning = "the solvers `tree` and `cache` are no longer there";
        assert_eq!(String::from_utf8_lossy(&said).matches(warning).count(), 1);
        assert!(found["warnings"][0].as_str().unwrap().contains(warning));
        assert_eq!(
            (&found["solver"], &found["velocity"]),
            (&"table".into(), &expected["velocity"])
        );
    }
}

/// Every command says once that the contact with this lever `repeats` the other.
fn every_command_says(lever: &str, repeats: &str) {
    let dir = Folder::new();
    let twice = JSON.replace("-0.5], [0, 1, 0.5]", &format!("-0.5], [0, 1, {lever}]"));
    write(&dir, "twice.json", &twice);
    let event = twice.replacen('{', "{ \"measured\": [0, 0, 0], ", 1);
    let plain = event.replace(&format!("[0, 1, {lever}]]"), "[0, 1, 0.5]]");
    write(&dir, "events.json", format!("{{ \"events\": [{plain}, {event}, {event}] }}"));
    for args in [
        "sample twice.json --samples 16 --json --device cpu",
        "resolve twice.json --json --law anitescu-potra",
        "compare twice.json --samples 16 --json --device cpu",
        "plot twice.json --samples 16 -o x.svg",
        "reality events.json --samples 16 --json --device cpu",
    ] {
        let output = run(&dir, args);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args:?}\n{message}");
        let warning = format!("contact `right` (number 1) {repeats} contact `left` (number 0)");
        assert_eq!(message.matches(&warning).count(), 1, "{args:?}\n{message}");
        assert!(message.lines().any(|line| line.starts_with("warning: ")), "{args:?}\n{message}");
        let of_two = message.contains("events[1], the first of 2 with warnings");
        assert_eq!(of_two, args.starts_with("reality"), "{message}");
        assert!(!String::from_utf8_lossy(&output.stdout).contains("warning: "), "{args:?}");
    }
}
