//! `carom import` of robots.

use std::path::Path;

use serde_json::Value;

use super::{directory, refused, run, text};

fn model(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden/models")
        .join(name)
        .to_string_lossy()
        .into_owned()
}

#[test]
fn a_robot_is_imported_sampled_and_printed_as_a_problem() {
    let dir = directory();
    let file = model("quadruped.xml");
    let output = run(dir.path(), &["import", &file, "--keyframe", "stand", "-o", "robot.toml"]);
    let notes = text(&output.stderr);
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(0), ""), "{notes}");
    assert!(notes.contains("left out") && notes.contains("actuators (2 times)"), "{notes}");
    let problem = run(dir.path(), &["scenes", "robot.toml", "--json"]);
    std::fs::write(dir.path().join("problem.json"), &problem.stdout).unwrap();
    let sampled = |what: &str| {
        let args =
            ["sample", what, "--json", "-n", "20", "--device", "cpu", "--velocity", "fl_knee=2"];
        let output = run(dir.path(), &args);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["velocity"].clone()
    };
    assert_eq!(sampled("robot.toml"), sampled("problem.json"));
}

#[test]
fn the_root_element_says_which_format_a_robot_has() {
    let dir = directory();
    std::fs::copy(model("quadruped.urdf"), dir.path().join("robot.xml")).unwrap();
    let options =
        ["--floating", "--ground", "--set-down", "--friction", "0.4", "--pose", "x=1,yaw=0.5"];
    let output = run(dir.path(), &[&["import", "robot.xml"], &options[..]].concat());
    let scene = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(scene.contains("friction = 0.4") && scene.contains("name = \"ground\""), "{scene}");
}

#[test]
fn what_is_wrong_with_a_robot_is_shown_in_its_file() {
    let dir = directory();
    let line =
        "<joint name=\"knee\" type=\"screw\"><parent link=\"a\"/><child link=\"b\"/></joint>";
    let robot =
        format!("<robot name=\"r\">\n<link name=\"a\"/><link name=\"b\"/>\n{line}\n</robot>");
    std::fs::write(dir.path().join("r.urdf"), robot).unwrap();
    let words = ["joint `knee`", "`screw` is not supported", "r.urdf:3", "revolute"];
    refused(dir.path(), &["import", "r.urdf", "-o", "r.toml"], 3, &words);
    refused(dir.path(), &["import", &model("arm.urdf"), "-o", "r.json"], 2, &["TOML"]);
    refused(dir.path(), &["import", "block.json", "--ground"], 2, &["--ground", "robots"]);
    refused(dir.path(), &["import", "none.urdf"], 3, &["none.urdf"]);
}
