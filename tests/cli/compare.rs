//! `carom compare` and `carom plot`.

use serde_json::Value;

use super::{directory, names_in, run, text};

#[test]
fn laws_are_compared_and_drawn() {
    let dir = directory();
    let args = ["compare", "block.json", "-n", "2000", "--device", "cpu"];
    let plain = run(dir.path(), &args);
    assert_eq!(plain.status.code(), Some(0), "{}", text(&plain.stderr));
    let plain = text(&plain.stdout);
    for word in ["anitescu-potra", "sequential", "propagative", "inside", "seed 0"] {
        assert!(plain.contains(word), "{word}: {plain}");
    }
    let drawn = run(dir.path(), &[&args[..], &["--json", "-o", "laws.svg"]].concat());
    let json: Value = serde_json::from_slice(&drawn.stdout).unwrap();
    assert_eq!(json["set"]["samples"], 2000);
    assert!(json["outcomes"].as_array().unwrap().iter().all(|outcome| outcome["distance"].is_number()));
    let plot =
        run(dir.path(), &["plot", "block.json", "-o", "set.svg", "-n", "2000", "--law", "propagative"]);
    assert_eq!(plot.status.code(), Some(0), "{}", text(&plot.stderr));
    assert_eq!(names_in(dir.path()), ["block.json", "laws.svg", "set.svg"]);
    for name in ["laws.svg", "set.svg"] {
        let svg = std::fs::read_to_string(dir.path().join(name)).unwrap();
        assert!(svg.starts_with("<svg") && svg.contains("normal (m/s)"), "{name}");
    }
}
