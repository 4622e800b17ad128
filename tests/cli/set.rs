//! `carom set`: the exact set in text, JSON, files and pictures.

use super::*;

fn json(args: &str) -> Value {
    reported(&directory(), args)
}

#[test]
fn the_rocking_block_has_a_set_of_two_segments() {
    let report = json("set rocking-block --seconds 100");
    assert_eq!([&report["schema_version"], &report["dimension"]], [1, 1]);
    assert_eq!(report["complete"], true);
    let polytopes = report["polytopes"].as_array().unwrap();
    assert_eq!(polytopes.len(), 2);
    assert_eq!(polytopes[0]["contacts"], json!(["lift", "stick"]));
    assert_eq!(polytopes[0]["vertices"].as_array().unwrap().len(), 2);
    assert!(polytopes[0]["paths"][0][0]["impulse"].is_array());
    let shown = |args: &str| text(&run(&directory(), args).stdout);
    let exact = shown("set rocking-block --seconds 100");
    has(&exact, "the union of 2 polytopes, dimension 1|yes: the law has no other outcome");
    let doubles = shown("set rocking-block --arithmetic doubles");
    assert!(doubles.contains("not proved: doubles are rounded"), "{doubles}");
}

#[test]
fn files_hold_what_is_printed() {
    let dir = directory();
    let printed = reported(&dir, "set box-and-wall --unchecked --out set.json -o set.svg");
    let read = |name: &str| read(&dir, name);
    assert_eq!(printed, serde_json::from_str::<Value>(&read("set.json")).unwrap());
    says(&printed, json!({ "complete": false, "certificate": null }));
    assert!(read("set.svg").starts_with("<svg"));
}

#[test]
fn a_frictionless_row_of_balls_has_its_set() {
    let report = json("set newtons-cradle --restitution 0 --seconds 100");
    assert_eq!(report["complete"], true);
}

#[test]
fn what_has_no_exact_set_is_bad_input() {
    let dir = directory();
    let cases = "
        3 set cube-on-edge --restitution 0 => circular | --facets
        3 set disk-stack => up to 7 coordinates
        3 set humanoid --facets 4 => up to 4096 combinations
        3 set rocking-block --restitution 0.5 => inelastic | --hypothesis poisson
        2 set rocking-block --out nowhere/set.json => nowhere
        2 set rocking-block -o set.eps => svg";
    refusals(&dir, "", cases);
}

/// A block that falls flat with Poisson's restitution: what its corners store goes with the states.
#[test]
fn poissons_restitution_has_its_set() {
    let args = "set rocking-block --restitution 0.5 --hypothesis poisson";
    let args = format!("{args} --unchecked --seconds 100");
    let report = json(&args);
    says(&report, json!({ "hypothesis": "poisson", "tight": true }));
    let most = report["velocity"]["max"][1].as_f64().unwrap();
    assert!((0.291..0.292).contains(&most), "{most}");
    let phases: Vec<&Value> = report["polytopes"][0]["phases"].as_array().unwrap().iter().collect();
    assert!(phases.contains(&&json!(["restitution", "restitution"])));
    let shown = text(&run(&directory(), &args).stdout);
    assert!(shown.contains("^ gives back") && shown.contains("S^"), "{shown}");
    let out = directory();
    let args = "bound rocking-block --direction block.y=1 --restitution 0.5";
    let args = format!("{args} --hypothesis poisson -n 200 --json");
    let bound = parsed(&out, &args);
    let [exact] = &bound["bounds"].as_array().unwrap()[..] else { panic!("{bound}") };
    assert_eq!(exact["kind"], "exact");
    assert!((exact["value"].as_f64().unwrap() - most).abs() < 1e-9, "{bound}");
    assert!(bound["sampled"]["value"].as_f64().unwrap() <= most + 1e-9);
    refused(&out, &format!("{args} --kind conic"), 2, &["conic", "law"]);
}

/// A brick on one vertex, in space with a cone of four facets.
#[test]
fn a_cone_with_facets_has_its_set() {
    let args = "set brick-on-vertex --restitution 0 --facets 4 --unchecked";
    let report = json(&format!("{args} --seconds 100"));
    assert_eq!([&report["facets"], &report["dimension"]], [4, 0]);
    let shown = text(&run(&directory(), args).stdout);
    assert!(shown.contains("one polytope, dimension 0"), "{shown}");
    refused(&directory(), "set rocking-block --facets 4", 2, &["spatial"]);
    refused(&directory(), "set brick-on-vertex --restitution 0 --facets 5", 2, &["even"]);
}

/// Text and JSON agree on whether all of a set are outcomes, in doubles too; two contacts with
/// spirals.
#[test]
fn a_set_says_whether_all_of_it_are_outcomes() {
    let dir = directory();
    let problem = r#"{"mass": [[0.33, 0, 0, 0], [0, 4.67, 0, 0], [0, 0, 2.54, 0], [0, 0, 0, 0.4]],
        "normal": [[0.99, 0.17, 0.49, -1.41], [-0.78, -0.16, 1.32, 0.54]],
        "tangent": [[-1.27, -0.29, -1.72, -0.42], [-0.87, -0.55, 0.95, -0.06]],
        "friction": [1, 1], "velocity": [0.37, -2.12, -1.03, 0.24]}"#;
    write(&dir, "spirals.json", problem);
    let args = "set spirals.json --unchecked --arithmetic doubles --seconds 100";
    let shown = text(&run(&dir, args).stdout);
    let report = parsed(&dir, &format!("{args} --json"));
    let tight = report["tight"].as_bool().unwrap();
    let said = if tight { "yes, but for the rounding" } else { "no: motions without end" };
    has(&shown, &format!("tight       {said}"));
}
