//! Measured impacts, made up.

use carom_core::problem::{ContactProblem, ProblemSpec};
use carom_engine::{Device, Engine, Plan};
use nalgebra::DVector;
use serde_json::{Value, json};

/// A block on two corners.
pub fn block() -> Value {
    json!({
        "name": "block", "mass": [[1, 0, 0], [0, 1, 0], [0, 0, 0.2]], "normal": [[0, 1, -0.5], [0, 1, 0.5]],
        "tangent": [[1, 0, 0.5], [1, 0, 0.5]], "friction": [0.5, 0.5], "velocity": [0.3, -1, 0.4]
    })
}

/// A rod on one end.
pub fn rod() -> Value {
    json!({
        "mass": [[1, 0, 0], [0, 1, 0], [0, 0, 0.1]], "normal": [[0, 1, 0.4]], "tangent": [[1, 0, 0.5]],
        "friction": [0.3], "velocity": [0.2, -1, 0.1]
    })
}

/// A ball between two walls, in space.
pub fn wedge() -> Value {
    json!({
        "mass": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "normal": [[1, 0, 0], [0.6, 0.8, 0]],
        "tangent": [[0, 1, 0], [0, 0, 1], [-0.8, 0.6, 0], [0, 0, 1]], "friction": [0.2, 0.3], "velocity": [-1, -0.5, 0.7]
    })
}

/// The event of a problem.
pub fn event(mut problem: Value, measured: &[f64], more: Value) -> Value {
    problem["measured"] = measured.into();
    for (key, value) in more.as_object().unwrap() {
        problem[key] = value.clone();
    }
    problem
}

pub fn file(events: &[Value]) -> String {
    json!({ "schema": "impacts of things that fall", "events": events }).to_string()
}

pub fn problem(value: &Value) -> ContactProblem {
    ContactProblem::new(serde_json::from_value::<ProblemSpec>(value.clone()).unwrap()).unwrap()
}

/// The velocities of the samples that `plan` says.
pub fn samples(problem: &ContactProblem, plan: &Plan) -> Vec<Vec<f64>> {
    let (_, samples) = Engine::open(&Device::Cpu).unwrap().collect(problem, plan).unwrap();
    (0..samples.len()).map(|i| samples.row(&samples.velocity, i).to_vec()).collect()
}

/// `|a - b|_M / |v-|_M`, straight from its definition.
pub fn distance(problem: &ContactProblem, a: &[f64], b: &[f64]) -> f64 {
    let norm = |x: DVector<f64>| (x.transpose() * problem.mass() * &x)[0].sqrt();
    norm(DVector::from_column_slice(a) - DVector::from_column_slice(b))
        / norm(problem.velocity().clone())
}

/// Three events that the tests score: one at a sample, one between two of them, one far off.
pub fn some_events(plan: &Plan) -> Vec<Value> {
    let (block, rod) = (block(), rod());
    let drawn = samples(&problem(&block), plan);
    // The middle of two samples that is farthest from all others.
    let middle = |pair: &[Vec<f64>]| {
        pair[0].iter().zip(&pair[1]).map(|(a, b)| 0.5 * (a + b)).collect::<Vec<f64>>()
    };
    let alone = |v: &Vec<f64>| {
        drawn.iter().map(|other| distance(&problem(&block), v, other)).fold(f64::INFINITY, f64::min)
    };
    let between =
        drawn.windows(2).map(middle).max_by(|a, b| alone(a).total_cmp(&alone(b))).unwrap();
    vec![
        event(block.clone(), &drawn[17], json!({ "clean": true, "noise": 0.01 })),
        event(rod, &[0.1, 0.05, -2.0], json!({ "clean": false, "gap": [0.001], "toss": 3 })),
        event(block, &between, json!({ "unknown": { "to": "everyone" } })),
    ]
}
