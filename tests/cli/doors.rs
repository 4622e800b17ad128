//! Every door reads the same request: flags, the table `[law]` of a plan, and JSON give one `Run`,
//! and with it one law or one error.

use carom::cli::embedded;
use carom::{Error, Law, RouthProcess, Run, StepSolver, dataset};
use carom_engine::run::by_field;
use serde_json::{Map, Value, json};

use super::support::draws::Draws;
use super::support::schema::faults;

/// Values of each field, right ones and wrong ones.
fn values() -> Vec<(&'static str, Vec<Value>)> {
    let list = |value: Value| value.as_array().unwrap().clone();
    [
        ("law", json!(["routh", "routh", "sequential", "propagative", "plus", "plus", "newton"])),
        ("process", json!(["steps", "events", "exact", "inclusion", "leap"])),
        ("solution", json!(["random", "lemke", "both"])),
        ("solver", json!(["table", "table", "chart", "scalar", "scalar", "fast"])),
        ("sampler", json!(["uniform", "sobol", "coverage", "uniform:0.2,coverage:0.8", "even"])),
        ("persist", json!([1, 2, 0, 1.5])),
        ("step", json!([0.1, 1e-3, 0, -1])),
        ("block", json!([0.5, 2, 0])),
        ("accuracy", json!([1e-5, 0.5])),
        ("max_steps", json!([1, 1e5, 0])),
        ("facets", json!([8, 7])),
        ("last_step", json!([0.1, 0])),
        ("hypothesis", json!(["stronge", "poisson", "hooke"])),
        ("phases", json!(["rounds", "once", "twice"])),
        ("theta_max", json!([0.1, -0.1])),
        ("v_transition", json!([0.2, -0.1])),
        ("v_plastic", json!([0, -1])),
        ("v_capture", json!([0.3, -2])),
        ("restitution", json!([0, 0.5, 1, 1.5])),
        ("uncertainty", json!(["mu=0.1..0.3", "e=0.2..0.4,noise=0.01", "mu=0.3..0.1"])),
        ("samples", json!([1, 1000, 1e6, 0])),
        ("seed", json!([0, 7, u64::MAX])),
        ("device", json!(["auto", "cpu", "gpu", "llvmpipe", ""])),
        ("precision", json!(["f32", "f64", "f16"])),
    ]
    .map(|(field, values)| (field, list(values)))
    .to_vec()
}

/// A few fields with a value each.
fn drawn(case: usize) -> Map<String, Value> {
    let (mut draws, few) = (Draws::of(91, case), 2 + case % 6);
    let mut fields = Map::new();
    for (field, values) in values() {
        if draws.below(22) < few {
            fields.insert(field.to_string(), values[draws.below(values.len())].clone());
        }
    }
    fields
}

fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}

fn flags(fields: &Map<String, Value>) -> Result<Run, Error> {
    let flag = |(field, value): (&String, &Value)| {
        format!("--{}={}", field.replace('_', "-"), word(value))
    };
    let words = ["rocking-block".to_string()].into_iter().chain(fields.iter().map(flag));
    embedded::asked(&words.collect::<Vec<_>>())
}

/// The table of a plan, which has other places for samples, seed, device and precision.
fn table(fields: &Map<String, Value>) -> Result<Run, Error> {
    let line = |(field, value): (&String, &Value)| match (field.as_str(), value.as_str()) {
        ("law", _) => format!("name = {value}\n"),
        (_, Some("mu=0.1..0.3")) => format!("{field} = {{ friction = [0.1, 0.3] }}\n"),
        (_, Some("mu=0.3..0.1")) => format!("{field} = {{ friction = [0.3, 0.1] }}\n"),
        ("uncertainty", _) => format!("{field} = {{ restitution = [0.2, 0.4], noise = 0.01 }}\n"),
        _ => format!("{field} = {value}\n"),
    };
    let law = if fields.contains_key("law") { "" } else { "name = \"routh\"\n" };
    dataset::asked(&fields.iter().map(line).fold(law.to_string(), |text, line| text + &line))
}

#[test]
fn doors_read_the_same_request() {
    let elsewhere = ["samples", "seed", "device", "precision"];
    let schema = Run::schema();
    let [mut read, mut refused, mut foreign, mut planned] = [0; 4];
    for case in 0..2000 {
        let fields = drawn(case);
        let json = Run::from_json(&Value::Object(fields.clone()).to_string());
        let (flags, text) = (flags(&fields), json!(fields).to_string());
        let run = match (json, flags) {
            (Ok(json), Ok(flags)) => {
                assert_eq!(json, flags, "{text}");
                assert_eq!(faults(&schema, &json!(json)), [""; 0], "{text}");
                read += 1;
                json
            }
            (Err(json), Err(flags)) if json.what.contains("it belongs to") => {
                foreign += 1;
                assert!(flags.what.contains("it belongs to") || flags.what.contains("invalid"));
                continue;
            }
            (Err(json), Err(flags)) => {
                refused += 1;
                let field = json.at.unwrap();
                assert!(json.option && fields.contains_key(&field), "{text}: {field}");
                // Where several fields are wrong, a door may meet another one first.
                let named = |field: &String| {
                    flags.what.contains(&format!("'--{} <", field.replace('_', "-")))
                };
                assert!(fields.keys().any(named), "{text}: {flags:?}");
                continue;
            }
            (json, flags) => panic!("{text}: {json:?}, {flags:?}"),
        };
        // The words of a run are read back as this run.
        let words: Vec<String> = ["ball-row".to_string()].into_iter().chain(run.words()).collect();
        assert_eq!(embedded::asked(&words).as_ref(), Ok(&run), "{words:?}");
        let mut kept = fields.clone();
        kept.retain(|field, _| !elsewhere.contains(&field.as_str()));
        let here = Run::from_json(&Value::Object(kept.clone()).to_string()).unwrap();
        match table(&kept) {
            Ok(plan) => {
                assert_eq!(plan, here, "{text}");
                planned += 1;
            }
            // A flag may name the only choice that a law has, such as the sampler `uniform`.
            Err(error) if error.what.starts_with("unknown key") => {
                assert!(here.law.name() != "routh", "{text}: {error}");
            }
            Err(error) => {
                let two = here.has_two_restitutions();
                assert!(two && error.at.as_deref() == Some("restitution"), "{text}: {error}");
            }
        }
    }
    // All ways were taken.
    println!("{read} read, {refused} refused, {foreign} of another law, {planned} planned");
    assert!(read > 300 && refused > 300 && foreign > 300 && planned > 200);
}

/// One wrong value is named by its field at every door.
#[test]
fn doors_name_the_field_of_a_wrong_value() {
    let wrong = [
        ("process", json!("leap")),
        ("sampler", json!("even")),
        ("step", json!(-1)),
        ("max_steps", json!(0)),
        ("restitution", json!(1.5)),
        ("uncertainty", json!("mu=0.3..0.1")),
    ];
    for (field, value) in wrong {
        let fields = Map::from_iter([(field.to_string(), value)]);
        let json = Run::from_json(&Value::Object(fields.clone()).to_string()).unwrap_err();
        assert_eq!((json.at.as_deref(), json.option), (Some(field), true));
        let flag = format!("--{}", field.replace('_', "-"));
        assert!(flags(&fields).unwrap_err().what.contains(&flag), "{flag}");
        let table = table(&fields).unwrap_err();
        assert!(table.at.as_deref().unwrap().starts_with(field), "{table}");
        assert!(table.excerpt.is_some_and(|excerpt| !excerpt.span.is_empty()), "{field}");
    }
}

/// Solvers that are no longer there stand for the automatic choice, of which nothing is written.
#[test]
fn doors_read_former_solvers() {
    for name in ["tree", "cache"] {
        let fields = Map::from_iter([("solver".to_string(), json!(name))]);
        let run = flags(&fields).unwrap();
        assert_eq!(run.solver, Some(StepSolver::Former));
        assert_eq!(run.plan().known_solver(), None);
        assert_eq!(Run::from_json(&Value::Object(fields.clone()).to_string()).as_ref(), Ok(&run));
        assert_eq!(table(&fields).as_ref(), Ok(&run));
        assert_eq!((json!(run), run.words()), (json!(Run::default()), Vec::new()));
    }
}

/// A record is read back as the run whose defaults are filled in.
#[test]
fn a_record_is_a_run() {
    let record = json!({
        "law": "routh", "process": "exact", "solution": "random", "sampler": "coverage", "persist": 1, "facets": null,
        "device": { "kind": "cpu" }, "restitution": [0.5, 0.5], "solver": "chart", "samples": 20, "seed": 3, "precision": "f64",
    });
    let run = Run::recorded(&record).unwrap();
    assert!(run.is_within_reach());
    assert_eq!((run.samples, run.seed), (Some(20), 3));
    let Law::Routh(law) = &run.law else { panic!() };
    assert_eq!((law.persist, law.facets, law.process), (Some(1), None, Some(RouthProcess::Events)));
    let steps = Run::recorded(&json!({ "law": "routh", "process": "steps" })).unwrap();
    assert!(!steps.is_within_reach());
    let orders = Run::recorded(&json!({ "law": "sequential", "process": "random-order" })).unwrap();
    assert!(!orders.is_within_reach() && matches!(orders.law, Law::Sequential(_)));
    assert_eq!(Run::recorded(&json!({ "law": "of tomorrow" })), None);
}

#[test]
fn fields_stand_for_flags() {
    for (text, expected) in [
        ("leave --max-steps out, or take --facets K", "leave `max_steps` out, or take `facets` K"),
        ("`carom sample --samples N` has them", "`carom sample --samples N` has them"),
        ("a -- b", "a -- b"),
    ] {
        let error = by_field(Error::usage(text).option("facets").hint(text));
        assert_eq!((error.what.as_str(), error.hint.as_deref()), (expected, Some(expected)));
    }
}
