//! `carom schema`: real files and reports have the form that the schemas say, broken ones have not.

use super::support::schema::faults;
use super::*;

pub fn schema(name: &str) -> Value {
    let schema = done(Path::new("."), &format!("schema {name}"));
    let schema: Value = serde_json::from_str(&schema).unwrap();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{name}");
    schema
}

fn shipped(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

#[test]
fn scenes_problems_and_events_have_the_form_of_their_schemas() {
    let [problem, scene, event] = ["problem", "scene", "event"].map(schema);
    let list = reported(Path::new("."), "scenes");
    let names = |of: &str| -> Vec<String> {
        let all = list[of].as_array().unwrap();
        all.iter().map(|scene| scene["name"].as_str().unwrap().to_string()).collect()
    };
    for name in names("scenes") {
        let numbers = reported(Path::new("."), &format!("scenes {name}"));
        assert_eq!(faults(&problem, &numbers), [""; 0], "{name}");
        let file: Value = toml::from_str(&done(Path::new("."), &format!("scenes {name}"))).unwrap();
        let form = if file.get("bodies").is_some() { &scene } else { &problem };
        assert_eq!(faults(form, &file), [""; 0], "{name}");
    }
    let motion = schema("motion");
    for name in names("motions") {
        let file = reported(Path::new("."), &format!("scenes {name}"));
        assert_eq!(faults(&motion, &file), [""; 0], "{name}");
    }
    assert_eq!(faults(&problem, &serde_json::from_str(BLOCK).unwrap()), [""; 0]);
    let impacts = serde_json::from_str(&shipped("examples/impacts.json")).unwrap();
    assert_eq!(faults(&event, &impacts), [""; 0]);
}

#[test]
fn reports_have_the_form_of_their_schemas() {
    let dir = directory();
    for line in [
        "sample block.json -n 50 --device cpu",
        "sample cube-on-edge -n 50 --device cpu --uncertainty mu=0.1..0.2",
        "sample cube-on-edge -n 50 --device cpu --facets 8",
        "sample block.json -n 50 --device cpu --law sequential",
        // No sample is accepted: null where there is no number.
        "sample disk-stack -n 5 --device cpu --process steps --max-steps 1",
        "sample block.json -n 50 --law plus",
        "sample block.json -n 500 --explore 0.1",
        "sample block.json --until-radius 0.5",
        "sample block.json -n 50 --out x.npz --jacobian",
        "resolve rocking-block --law anitescu-potra",
        "resolve block.json --law sequential",
        "resolve billiard-break --law propagative",
        "resolve pin-ball --law darboux-keller",
        "resolve brick-flat --law plus",
        "resolve rocking-block --law compliant",
        "resolve cube-on-edge --law cone-complementarity --restitution 0",
        "compare block.json -n 50 --device cpu",
        "compare pin-ball -n 50 --device cpu",
        "guarantee compass-gait",
        "guarantee billiard-break",
        "design tailed-runner",
        "doctor",
        concat!("reality '", env!("CARGO_MANIFEST_DIR"), "/examples/impacts.json' --samples 50"),
        "bound block.json --direction 1,0,0 -n 50",
        "bound block.json --cost abs(q0) -n 50",
        "query rocking-block support --direction 0,0,1 -n 50",
        "query rocking-block distance --velocity 0,0,1 -n 50",
        "query rocking-block contains --velocity 0,0,1 -n 50",
        "query rocking-block extents -n 50",
        "query rocking-block modes -n 50",
        "query cube-on-edge modes -n 50",
        "query rocking-block representatives -n 50",
        "query rocking-block clusters -n 50",
        "query rocking-block invariants -n 50",
        "replay rocking-block --sample 3",
        "replay cube-on-edge --sample 3",
        "set rocking-block",
        "simulate cube --steps 700",
        "simulate bouncing-rod",
        "simulate cradle-pendulums --steps 50 --beside order=argmax",
        "simulate cube --steps 20 --beside mass=2",
        "simulate tossed-brick --steps 20 --branch 2 --branch-samples 64",
        "simulate falling-block --branch 2 --max-branches 3 --branch-samples 64 --steps 25",
        "simulate ellipsoid --steps 300 --perturb 5",
        "set block.json --unchecked --arithmetic doubles",
    ] {
        let report = parsed(&dir, &format!("{line} --json"));
        let command = line.split(' ').next().unwrap();
        assert_eq!(faults(&schema(command), &report), [""; 0], "{line}");
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
        write(&dir, "bad.json", broken.to_string());
        refused(&dir, "dataset bad.json --dry-run", 3, &["bad.json", key]);
    }
    let mut endless = planned.clone();
    endless.as_object_mut().unwrap().remove("states");
    assert_ne!(faults(&plan, &endless), [""; 0]);
    write(&dir, "plan.toml", file);
    done(&dir, "dataset plan.toml -o data");
    let made = read(&dir, "data/dataset.json");
    assert_eq!(faults(&dataset, &serde_json::from_str(&made).unwrap()), [""; 0]);
    let args = "bench block.json --device cpu --quick --seconds 0.001";
    let mut measured = reported(&dir, args);
    assert_eq!(faults(&bench, &measured), [""; 0]);
    write(&dir, "before.json", measured.to_string());
    let compared = reported(&dir, &format!("{args} --baseline before.json"));
    assert_eq!(faults(&bench, &compared), [""; 0]);
    let work = reported(&dir, "bench block.json --device cpu --work 100");
    assert_eq!(faults(&bench, &work), [""; 0]);
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
        write(&dir, "bad.json", file.to_string());
        refused(&dir, "guarantee bad.json", 3, &["bad.json"]);
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
    let mut report = reported(&dir, "set block.json");
    report["schema_version"] = json!(2);
    assert_eq!(faults(&schema("set"), &report).len(), 1);
    refused(&dir, "schema everything", 2, &["everything", "problem"]);
}

#[test]
fn the_shipped_impacts_are_scored() {
    let dir = directory();
    write(&dir, "impacts.json", shipped("examples/impacts.json"));
    let args = "reality impacts.json -n 512 --device cpu";
    let report = reported(&dir, args);
    let impacts = report["impacts"].as_array().unwrap();
    assert_eq!(impacts.len(), 4);
    // What was measured is a sample, with noise of 1 % of |v-|_M, of which three sigma is hardly
    // ever exceeded.
    assert!(impacts.iter().all(|impact| impact["distance"].as_f64().unwrap() < 0.03), "{report}");
    let clean = reported(&dir, &format!("{args} --clean"));
    assert_eq!(clean["impacts"].as_array().unwrap().len(), 3);
}
