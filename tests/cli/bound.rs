//! `carom bound`.

use super::*;

fn report(dir: &Path, args: &str) -> Value {
    reported(dir, &format!("bound {args} -n 200"))
}

fn kinds(bounds: &Value) -> Vec<&Value> {
    bounds.as_array().unwrap().iter().map(|bound| &bound["kind"]).collect()
}

#[test]
fn a_direction_has_a_sample_and_a_proof() {
    let dir = directory();
    let report = report(&dir, "block.json --direction -1,0.5,0 --seed 4");
    let form = json!({
        "schema_version": 1, "direction": [0.0], "sampled": { "value": 0.0, "sample": 0 },
        "bounds": [{ "kind": "conic", "value": 0.0, "excludes": "" }], "law": "routh", "seed": 0,
    });
    has_form(&report, &form, "");
    assert_eq!(report["direction"], json!([-1.0, 0.5, 0.0]));
    assert_eq!(kinds(&report["bounds"]), ["exact", "certified", "conic"]);
    let conic = report["bounds"].as_array().unwrap().last().unwrap();
    assert_eq!((&conic["kind"], &conic["certified"]), (&json!("conic"), &json!(true)));
    assert!(report["sampled"]["value"].as_f64().unwrap() <= conic["value"].as_f64().unwrap());
    assert!(report["sampled"]["sample"].as_u64().unwrap() < 200);
}

/// Only outcomes have a cost.
#[test]
fn a_cost_may_have_no_value_before_the_impact() {
    let dir = directory();
    let args = "rocking-block --cost 'sqrt(y + 1e-9)'";
    let found = report(&dir, args);
    assert!(found["before"].is_null(), "{found}");
    let sampled = found["sampled"]["value"].as_f64().unwrap();
    let bounds = found["bounds"].as_array().unwrap();
    assert!(bounds.iter().any(|bound| bound["certified"] == true), "{found}");
    for bound in bounds.iter().filter(|bound| bound["certified"] == true) {
        assert!(sampled <= bound["value"].as_f64().unwrap() + 1e-9, "{found}");
    }
    let plain = run(&dir, &format!("bound {args} -n 200"));
    let plain = text(&plain.stdout);
    let line = plain.lines().find(|line| line.contains("before the impact")).unwrap();
    assert!(line.trim_end().ends_with("none"), "{line}");
}

/// The sample that is named is the one that `carom sample` has under this number.
#[test]
fn coordinates_have_names_and_kinds_can_be_chosen() {
    let dir = directory();
    let numbers = report(&dir, "rocking-block --direction 1,0,-0.5");
    let names = "rocking-block --direction 'block.theta = -0.5, block.x=1' --kind conic";
    let named = report(&dir, names);
    assert_eq!(numbers["direction"], named["direction"]);
    assert_eq!(numbers["sampled"], named["sampled"]);
    assert_eq!(named["bounds"].as_array().unwrap().len(), 1);
}

#[test]
fn the_text_says_what_is_sampled_and_what_is_proved() {
    let dir = directory();
    let output = run(&dir, "bound rocking-block --direction 0,0,1 -n 100");
    let report = text(&output.stdout);
    has(&report, "sampled, at least|conic, at most|proved|the largest block.theta|adds no energy");
}

#[test]
fn uncertain_numbers_are_taken_as_given_and_it_says_so() {
    let dir = directory();
    let noise = "\"uncertainty\": {\"noise\": 0.1}, \"velocity\"";
    write(&dir, "vague.json", BLOCK.replacen("\"velocity\"", noise, 1));
    let [vague, block] =
        ["vague.json", "block.json"].map(|file| report(&dir, &format!("{file} --direction 1,2,3")));
    assert_eq!(vague["bounds"], block["bounds"]);
    assert!(vague["warnings"].to_string().contains("as it is given"), "{vague}");
    let told = run(&dir, "bound vague.json --direction 1,2,3");
    has(&text(&told.stdout), "proved for the numbers as given");
}

/// A rod that comes to rest on both ends: bounds of its turn are rounding, which is no defect.
#[test]
fn bounds_near_zero_are_not_withdrawn() {
    let dir = directory();
    let rod = "friction = [0.4, 0.7]\n\
        [[bodies]]\nname = \"left\"\nmass = 0\njoint = \"fixed\"\n\
        shapes = [{ disk = 0.02, center = [-0.5, -0.02] }]\n\
        [[bodies]]\nname = \"right\"\nmass = 0\njoint = \"fixed\"\n\
        shapes = [{ disk = 0.02, center = [0.5, -0.02] }]\n\
        [[bodies]]\nname = \"rod\"\nmass = 1\nvelocity = [0.3, -1]\n\
        shapes = [{ rod = [[-0.5, 0], [0.5, 0]] }]\n";
    write(&dir, "rod.toml", rod);
    for cost in ["abs(rod.theta)", "rod.theta^2"] {
        let report = report(&dir, &format!("rod.toml --cost '{cost}'"));
        for bound in report["bounds"].as_array().unwrap() {
            assert!(bound["withdrawn"].is_null() && bound["value"].is_number(), "{cost}: {bound}");
        }
    }
}

/// The report says that a proof had little time; the bound is no tighter than the whole proof, and
/// no wider than the conic one.
#[test]
fn a_proof_may_have_a_limit_in_time() {
    let dir = directory();
    let args = "bound compass-gait --direction hip.x=1 -n 50";
    let value = |more: &str| {
        let report = parsed(&dir, &format!("{args} {more} --json"));
        (report["bounds"][0]["value"].as_f64().unwrap(), report["within"].clone())
    };
    let (soon, within) = value("--kind certified --within 1e-9");
    assert_eq!(within, 1e-9);
    let (whole, within) = value("--kind certified");
    assert_eq!(within, Value::Null);
    let (conic, _) = value("--kind conic");
    assert!(whole <= soon && soon <= conic, "{whole} {soon} {conic}");
    let told = run(&dir, &format!("{args} --kind certified --within 0.05"));
    assert!(text(&told.stdout).contains("proved, within 50ms"), "{}", text(&told.stdout));
    for wrong in ["0", "-1", "nan", "4000"] {
        refused(&dir, &format!("{args} --within {wrong}"), 2, &["--within"]);
    }
    // A cost has the bounds that are found in time: always the conic one.
    let cost = "compass-gait --cost hip.x^2 --within 1e-9";
    let found = report(&dir, cost);
    assert_eq!((&found["strongest"], &found["within"]), (&json!("conic"), &json!(1e-9)));
    assert_eq!(kinds(&found["missing"]), ["exact", "certified"], "{found}");
}

/// The certified bound of a brick on four corners is not found in a moment: it equals the conic
/// one, which holds for more laws and is named. The gap is that to the smallest proof.
#[test]
fn a_certified_bound_that_equals_the_conic_one_is_not_stronger() {
    let dir = directory();
    let args = "brick-flat --direction brick.z=1 --within 1e-9";
    let found = report(&dir, args);
    let [certified, conic] = &found["bounds"].as_array().unwrap()[..] else { panic!("{found}") };
    assert_eq!([&certified["kind"], &conic["kind"]], [&json!("certified"), &json!("conic")]);
    assert_eq!(certified["value"], conic["value"]);
    assert_eq!(found["strongest"], "conic");
    let gap = conic["value"].as_f64().unwrap() - found["sampled"]["value"].as_f64().unwrap();
    assert_eq!(found["gap"].as_f64().unwrap(), gap);
    let told = text(&run(&dir, &format!("bound {args} -n 200")).stdout);
    let line = |name: &str| told.lines().find(|line| line.trim().starts_with(name)).unwrap();
    assert!(line("certified, at most").ends_with("no lower than conic"), "{told}");
    assert!(line("gap").contains("from the sample to conic"), "{told}");
    assert!(!told.contains("strongest") && !told.contains("open, at most"), "{told}");
}

/// A body that strikes the floor with two corners and a wall with a third: its exact set is sought
/// without asking for it, and not for longer than a limit in time.
#[test]
fn three_contacts_have_an_exact_bound() {
    let dir = directory();
    let corner = BLOCK
        .replace("[0, 1, 0.5]]", "[0, 1, 0.5], [1, 0, 0.25]]")
        .replace("[1, 0, 0.5]]", "[1, 0, 0.5], [0, 1, -0.5]]")
        .replace("[0.5, 0.5]", "[0.5, 0.5, 0.3]")
        .replace("[0.3,", "[-0.3,")
        .replace("\"right\"]", "\"right\", \"wall\"]");
    write(&dir, "corner.json", corner);
    let asked = "corner.json --direction 0.3,-0.2,1";
    let found = report(&dir, asked);
    let [exact, certified, _] = &found["bounds"].as_array().unwrap()[..] else { panic!("{found}") };
    assert_eq!((&exact["kind"], &exact["certified"]), (&json!("exact"), &json!(true)));
    let [exact, certified, sampled] =
        [exact, certified, &found["sampled"]].map(|part| part["value"].as_f64().unwrap());
    assert!(sampled <= exact && exact < certified, "{found}");
    let hurried = report(&dir, &format!("{asked} --within 1e-6"));
    assert_eq!(hurried["missing"][0]["kind"], "exact");
    assert_eq!(hurried["bounds"].as_array().unwrap().len(), 2);
}

#[test]
fn what_is_no_direction_is_refused() {
    let dir = directory();
    let cases = "
        2 block.json => --direction
        2 block.json --direction 1,2 => --direction | 2 numbers for 3 coordinates
        2 block.json --direction 0,0,0 => --direction | no direction
        2 block.json --direction 1,NaN,0 => --direction | finite | NaN
        2 block.json --direction 1,,0 => --direction | expected finite numbers
        2 block.json --direction q9=1 => --direction | q9 | the coordinates are
        2 block.json --direction q0=1,q0=2 => --direction | given twice
        2 block.json --direction 1e300,1,0 => --direction | 1e100
        2 block.json --direction 1,0,0 --kind wild => --kind";
    refusals(&dir, "bound", cases);
    let many = "bound box-pile --direction top.x=1 --kind certified";
    refused(&dir, many, 2, &["--kind", "up to 8 contacts", "conic"]);
    let exact = "bound disk-stack --direction top.x=1 --kind exact";
    refused(&dir, exact, 3, &["up to 7 coordinates"]);
    refused(&dir, "bound none.json --direction 1", 3, &["none.json"]);
}

#[test]
fn costs_are_bounded_like_directions() {
    let dir = directory();
    let cost = "0.5*(block.theta - 1)^2 + block.x";
    let report = report(&dir, &format!("rocking-block --cost '{cost}' --explore 0.5"));
    assert_eq!((&report["cost"], &report["explore"]), (&json!(cost), &json!(0.5)));
    assert!(report.get("direction").is_none());
    let sampled = report["sampled"]["value"].as_f64().unwrap();
    for bound in report["bounds"].as_array().unwrap() {
        assert!(sampled <= bound["value"].as_f64().unwrap() + 1e-9, "{bound}");
        assert_eq!(bound["certified"], true, "{bound}");
    }
    let output = run(&dir, &format!("bound rocking-block --cost '{cost}' -n 100"));
    assert!(text(&output.stdout).contains(&format!("the largest {cost} after the impact")));
    let cases = "
        2 --cost block.z => no coordinate is called `block.z`
        2 --cost 1 --direction 1,0,0 => cannot be used with
        2 => --direction
        2 --cost 1 --explore 2 => a share above 0 and below 1";
    refusals(&dir, "bound rocking-block", cases);
}
