//! Numbers of other implementations and of papers. Their origin: `tests/golden/README.md`.

use carom_core::problem::{ContactProblem, ProblemSpec};
use serde_json::Value;

pub fn golden(name: &str) -> Value {
    let path = format!("{}/tests/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

pub fn rows(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(numbers).collect()
}

pub fn indices(value: &Value) -> Vec<usize> {
    value.as_array().unwrap().iter().map(|x| x.as_u64().unwrap() as usize).collect()
}

/// A robot on flat feet.
pub fn feet(name: &str) -> ContactProblem {
    ContactProblem::new(serde_json::from_value(golden(&format!("feet/{name}"))).unwrap()).unwrap()
}

/// An example of `halm_posa_examples`.
pub fn example(example: &Value) -> ContactProblem {
    ContactProblem::new(ProblemSpec {
        mass: rows(&example["M"]),
        normal: rows(&example["Jn"]),
        tangent: rows(&example["Jt"]),
        friction: Some(numbers(&example["mu"])),
        velocity: numbers(&example["v_minus"]),
        step: example["h"].as_f64(),
        max_steps: example["N_Routh"].as_u64().map(|n| n as u32),
        ..ProblemSpec::default()
    })
    .unwrap()
}

/// A case of `jia_wang`.
pub fn spatial_impact<'a>(file: &'a Value, name: &str) -> &'a Value {
    file["cases"].as_array().unwrap().iter().find(|case| case["inputs"]["name"] == name).unwrap()
}
