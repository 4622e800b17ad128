//! The laws with finitely many outcomes, against independent oracles. Origin of the numbers: `tests/golden/README.md`.

mod alternating;
mod darboux;
mod finite;
mod integration;
mod orders;
mod propagative;
mod random;

use carom::problem::{ContactProblem, ProblemSpec};
use serde_json::Value;

fn golden(name: &str) -> Value {
    let path = format!("{}/tests/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn rows(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(numbers).collect()
}

fn indices(value: &Value) -> Vec<usize> {
    value.as_array().unwrap().iter().map(|x| x.as_u64().unwrap() as usize).collect()
}

/// The largest difference of two vectors' entries.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |worst: f64, (a, b)| worst.max((a - b).abs()))
}

fn problem(spec: ProblemSpec) -> ContactProblem {
    ContactProblem::new(spec).unwrap()
}

/// `p = M v`.
fn momentum(problem: &ContactProblem, v: &[f64]) -> Vec<f64> {
    (problem.mass() * nalgebra::DVector::from_column_slice(v)).as_slice().to_vec()
}
