//! `carom schema`: real files and reports have the form that the schemas say, broken ones have not.

use std::path::Path;

use serde_json::{Value, json};

use super::support::schema::faults;
use super::{BLOCK, directory, refused, run, text};

fn printed(dir: &Path, args: &[&str]) -> Value {
    let output = run(dir, args);
    assert_eq!(output.status.code(), Some(0), "{args:?}\n{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

pub fn schema(name: &str) -> Value {
    let schema = printed(Path::new("."), &["schema", name]);
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{name}");
    schema
}

fn shipped(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

#[test]
fn scenes_problems_and_events_have_the_form_of_their_schemas() {
    let [problem, scene, event] = ["problem", "scene", "event"].map(schema);
    let list = printed(Path::new("."), &["scenes", "--json"]);
    for name in
        list["scenes"].as_array().unwrap().iter().map(|scene| scene["name"].as_str().unwrap())
    {
        let numbers = printed(Path::new("."), &["scenes", name, "--json"]);
        assert_eq!(faults(&problem, &numbers), [""; 0], "{name}");
        let file: Value =
            toml::from_str(&text(&run(Path::new("."), &["scenes", name]).stdout)).unwrap();
        let form = if file.get("bodies").is_some() { &scene } else { &problem };
        assert_eq!(faults(form, &file), [""; 0], "{name}");
    }
    let motion = schema("motion");
    for name in
        list["motions"].as_array().unwrap().iter().map(|scene| scene["name"].as_str().unwrap())
    {
        let file = printed(Path::new("."), &["scenes", name, "--json"]);
        assert_eq!(faults(&motion, &file), [""; 0], "{name}");
    }
    assert_eq!(faults(&problem, &serde_json::from_str(BLOCK).unwrap()), [""; 0]);
    assert_eq!(
        faults(&event, &serde_json::from_str(&shipped("examples/impacts.json")).unwrap()),
        [""; 0]
    );
}

#[test]
fn reports_have_the_form_of_their_schemas() {
    let dir = directory();
    let cases: &[(&str, &[&str])] = &[
        ("sample", &["block.json", "-n", "50", "--device", "cpu"]),
        (
            "sample",
            &["cube-on-edge", "-n", "50", "--device", "cpu", "--uncertainty", "mu=0.1..0.2"],
        ),
        ("sample", &["cube-on-edge", "-n", "50", "--device", "cpu", "--facets", "8"]),
        ("sample", &["block.json", "-n", "50", "--device", "cpu", "--law", "sequential"]),
        // No sample is accepted: null where there is no number.
        (
            "sample",
            &["disk-stack", "-n", "5", "--device", "cpu", "--process", "steps", "--max-steps", "1"],
        ),
        ("sample", &["block.json", "-n", "50", "--law", "plus"]),
        ("sample", &["block.json", "-n", "500", "--explore", "0.1"]),
        ("sample", &["block.json", "--until-radius", "0.5"]),
        ("sample", &["block.json", "-n", "50", "--out", "x.npz", "--jacobian"]),
        ("resolve", &["rocking-block", "--law", "anitescu-potra"]),
        ("resolve", &["block.json", "--law", "sequential"]),
        ("resolve", &["billiard-break", "--law", "propagative"]),
        ("resolve", &["pin-ball", "--law", "darboux-keller"]),
        ("resolve", &["brick-flat", "--law", "plus"]),
        ("resolve", &["rocking-block", "--law", "compliant"]),
        ("resolve", &["cube-on-edge", "--law", "cone-complementarity", "--restitution", "0"]),
        ("compare", &["block.json", "-n", "50", "--device", "cpu"]),
        ("compare", &["pin-ball", "-n", "50", "--device", "cpu"]),
        ("guarantee", &["compass-gait"]),
        ("guarantee", &["billiard-break"]),
        ("design", &["tailed-runner"]),
        ("doctor", &[]),
        (
            "reality",
            &[concat!(env!("CARGO_MANIFEST_DIR"), "/examples/impacts.json"), "--samples", "50"],
        ),
        ("bound", &["block.json", "--direction", "1,0,0", "-n", "50"]),
        ("bound", &["block.json", "--cost", "abs(q0)", "-n", "50"]),
        ("query", &["rocking-block", "support", "--direction", "0,0,1", "-n", "50"]),
        ("query", &["rocking-block", "distance", "--velocity", "0,0,1", "-n", "50"]),
        ("query", &["rocking-block", "contains", "--velocity", "0,0,1", "-n", "50"]),
        ("query", &["rocking-block", "extents", "-n", "50"]),
        ("query", &["rocking-block", "modes", "-n", "50"]),
        ("query", &["cube-on-edge", "modes", "-n", "50"]),
        ("query", &["rocking-block", "representatives", "-n", "50"]),
        ("query", &["rocking-block", "clusters", "-n", "50"]),
        ("query", &["rocking-block", "invariants", "-n", "50"]),
        ("replay", &["rocking-block", "--sample", "3"]),
        ("replay", &["cube-on-edge", "--sample", "3"]),
        ("set", &["rocking-block"]),
        ("simulate", &["cube", "--steps", "700"]),
        ("simulate", &["bouncing-rod"]),
        ("simulate", &["cradle-pendulums", "--steps", "50", "--beside", "order=argmax"]),
        ("simulate", &["cube", "--steps", "20", "--beside", "mass=2"]),
        ("simulate", &["tossed-brick", "--steps", "20", "--branch", "2", "--branch-samples", "64"]),
        (
            "simulate",
            &[
                "falling-block",
                "--branch",
                "2",
                "--max-branches",
                "3",
                "--branch-samples",
                "64",
                "--steps",
                "25",
            ],
        ),
        ("simulate", &["ellipsoid", "--steps", "300", "--perturb", "5"]),
        ("set", &["block.json", "--unchecked", "--arithmetic", "doubles"]),
    ];
    for (command, args) in cases {
        let output = run(dir.path(), &[&[*command], *args, &["--json"]].concat());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(faults(&schema(command), &report), [""; 0], "{command} {args:?}");
    }
}

#[test]
fn plans_data_sets_and_benches_have_the_form_of_their_schemas() {
    let dir = directory();
    let [plan, dataset, bench] = ["plan", "dataset", "bench"].map(schema);
    let file = "problem = \"block.json\"\nsamples = 3\nstates = 4\nprecision = \"f32\"\n\
                [velocity]\nq0 = [0, 1]\nq2 = 0.4\n\
                [law]\nprocess = \"steps\"\nuncertainty = { friction = [0.1, 0.2] }\n\
                [files]\nrows = 6\n";
    let planned: Value = toml::from_str(file).unwrap();
    assert_eq!(faults(&plan, &planned), [""; 0]);
    for (key, value) in [
        ("rows", json!(6)),
        ("samples", json!(0)),
        ("law", json!({ "proces": "steps" })),
        ("law", json!({ "name": "foo" })),
    ] {
        let mut broken = planned.clone();
        broken[key] = value;
        assert_ne!(faults(&plan, &broken), [""; 0], "{key}");
        std::fs::write(dir.path().join("bad.json"), broken.to_string()).unwrap();
        refused(dir.path(), &["dataset", "bad.json", "--dry-run"], 3, &["bad.json", key]);
    }
    let mut endless = planned.clone();
    endless.as_object_mut().unwrap().remove("states");
    assert_ne!(faults(&plan, &endless), [""; 0]);
    std::fs::write(dir.path().join("plan.toml"), file).unwrap();
    let output = run(dir.path(), &["dataset", "plan.toml", "-o", "data"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let made = std::fs::read_to_string(dir.path().join("data/dataset.json")).unwrap();
    assert_eq!(faults(&dataset, &serde_json::from_str(&made).unwrap()), [""; 0]);
    let args = ["bench", "block.json", "--device", "cpu", "--quick", "--seconds", "0.001"];
    let args = [&args[..], &["--json"]].concat();
    let mut measured = printed(dir.path(), &args);
    assert_eq!(faults(&bench, &measured), [""; 0]);
    std::fs::write(dir.path().join("before.json"), measured.to_string()).unwrap();
    let compared = printed(dir.path(), &[&args[..], &["--baseline", "before.json"]].concat());
    assert_eq!(faults(&bench, &compared), [""; 0]);
    let args = ["bench", "block.json", "--device", "cpu", "--work", "100", "--json"];
    assert_eq!(faults(&bench, &printed(dir.path(), &args)), [""; 0]);
    measured["devices"][0]["peaks"] = json!("fast");
    assert_ne!(faults(&bench, &measured), [""; 0]);
}

#[test]
fn broken_files_do_not_have_the_form() {
    let dir = directory();
    let good: Value = serde_json::from_str(BLOCK).unwrap();
    let problem = schema("problem");
    let broken: [(&str, Value); 10] = [
        ("mas", json!(1)),
        ("velocity", json!([0.3, "fast", 0.4])),
        ("velocity", json!([])),
        ("mass", json!([1, 2, 3])),
        ("friction", json!([0.5, -0.5])),
        ("restitution", json!(1.5)),
        ("step", json!(0)),
        ("max_steps", json!(1.5)),
        ("contacts", json!(["left", "left"])),
        ("uncertainty", json!({ "friction": [0.1, 0.2, 0.3] })),
    ];
    for (key, value) in broken {
        let mut file = good.clone();
        file[key] = value;
        assert_ne!(faults(&problem, &file), [""; 0], "{key}");
        // The program refuses what the schema refuses.
        std::fs::write(dir.path().join("bad.json"), file.to_string()).unwrap();
        refused(dir.path(), &["guarantee", "bad.json"], 3, &["bad.json"]);
    }
    let event = schema("event");
    assert_ne!(faults(&event, &json!({ "events": [good] })), [""; 0], "no measured velocity");
    assert_ne!(faults(&event, &json!({ "events": [] })), [""; 0]);
    let ball = json!({ "name": "ball", "mass": 1, "shapes": [{ "disk": 1 }] });
    let scene = schema("scene");
    assert_eq!(faults(&scene, &json!({ "bodies": [ball] })), [""; 0]);
    for (key, value) in
        [("joint", json!("hinge")), ("mass", json!([1])), ("shapes", json!([{ "center": [0, 0] }]))]
    {
        let mut bent = ball.clone();
        bent[key] = value;
        assert_ne!(faults(&scene, &json!({ "bodies": [bent] })), [""; 0], "{key}");
    }
    let mut report = printed(dir.path(), &["set", "block.json", "--json"]);
    report["schema_version"] = json!(2);
    assert_eq!(faults(&schema("set"), &report).len(), 1);
    refused(dir.path(), &["schema", "everything"], 2, &["everything", "problem"]);
}

#[test]
fn the_shipped_impacts_are_scored() {
    let dir = directory();
    std::fs::write(dir.path().join("impacts.json"), shipped("examples/impacts.json")).unwrap();
    let args = ["reality", "impacts.json", "-n", "512", "--device", "cpu", "--json"];
    let report = printed(dir.path(), &args);
    let impacts = report["impacts"].as_array().unwrap();
    assert_eq!(impacts.len(), 4);
    // What was measured is a sample, with noise of 1 % of |v-|_M, of which three sigma is hardly
    // ever exceeded.
    assert!(impacts.iter().all(|impact| impact["distance"].as_f64().unwrap() < 0.03), "{report}");
    let clean = printed(dir.path(), &[&args[..], &["--clean"]].concat());
    assert_eq!(clean["impacts"].as_array().unwrap().len(), 3);
}
