//! `carom import` of robots.

use super::*;

fn model(name: &str) -> String {
    format!("{}/tests/golden/models/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_robot_is_imported_sampled_and_printed_as_a_problem() {
    let dir = directory();
    let file = model("quadruped.xml");
    let output = run(&dir, &format!("import '{file}' --keyframe stand -o robot.toml"));
    let notes = text(&output.stderr);
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(0), ""), "{notes}");
    assert!(notes.contains("left out") && notes.contains("actuators (2 times)"), "{notes}");
    let problem = run(&dir, "scenes robot.toml --json");
    write(&dir, "problem.json", &problem.stdout);
    let sampled = |what: &str| {
        let args = format!("sample {what} -n 20 --device cpu --velocity fl_knee=2");
        reported(&dir, &args)["velocity"].clone()
    };
    assert_eq!(sampled("robot.toml"), sampled("problem.json"));
}

#[test]
fn the_root_element_says_which_format_a_robot_has() {
    let dir = directory();
    std::fs::copy(model("quadruped.urdf"), dir.join("robot.xml")).unwrap();
    let options = "--floating --ground --set-down --friction 0.4 --pose x=1,yaw=0.5";
    let scene = done(&dir, &format!("import robot.xml {options}"));
    assert!(scene.contains("friction = 0.4") && scene.contains("name = \"ground\""), "{scene}");
}

#[test]
fn what_is_wrong_with_a_robot_is_shown_in_its_file() {
    let dir = directory();
    let robot = "<robot name=\"r\">\n<link name=\"a\"/><link name=\"b\"/>\n\
        <joint name=\"knee\" type=\"screw\"><parent link=\"a\"/><child link=\"b\"/></joint>\n</robot>";
    write(&dir, "r.urdf", robot);
    let words = ["joint `knee`", "`screw` is not supported", "r.urdf:3", "revolute"];
    refused(&dir, "import r.urdf -o r.toml", 3, &words);
    refused(&dir, &format!("import '{}' -o r.json", model("arm.urdf")), 2, &["TOML"]);
    refused(&dir, "import block.json --ground", 2, &["--ground", "robots"]);
    refused(&dir, "import none.urdf", 3, &["none.urdf"]);
}
