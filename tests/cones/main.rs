//! Contacts in space: random problems, planar ones in space, and what is shared by the tests of friction cones with facets
//! and circular ones.

mod bouncing;
mod circular;
mod facets;
mod inertia;
mod samplers;

use carom::engine::{Device, Engine, Plan, Precision};
use carom::law::{Law, Routh};
use carom::outcome::Samples;
use carom::outcome::distance::PointSet;
use carom::problem::{ContactProblem, ProblemSpec};
use carom::scene;
use carom::status::Status;
use proptest::prelude::*;

fn sampled(problem: &ContactProblem, law: Routh, precision: Precision, count: u64) -> Samples {
    let plan = Plan { law: Law::Routh(law), samples: count, precision: Some(precision), ..Plan::default() };
    Engine::open(&Device::Cpu).unwrap().collect(problem, &plan).unwrap().1
}

fn planar_scenes() -> impl Iterator<Item = (&'static str, ContactProblem)> {
    let scenes = scene::BUILTIN.iter().map(|scene| (scene.name, scene::load(scene.name).unwrap()));
    scenes.filter(|(_, problem)| problem.tangents_per_contact() == 1 && problem.contact_count() <= 3)
}

/// The share of the first samples of `points` that lie as near to the set of `others` as those lie to each other.
fn within(problem: &ContactProblem, points: &Samples, others: &Samples) -> f64 {
    let ended = |s: &Samples| -> Vec<f64> {
        let ended = (0..s.len()).filter(|&i| s.status[i] == Status::Terminated);
        ended.flat_map(|i| s.row(&s.velocity, i).to_vec()).collect()
    };
    let set = PointSet::new(problem.mass(), problem.velocity(), &ended(others)).unwrap();
    let points = ended(points);
    let rows: Vec<&[f64]> = points.chunks(problem.coordinate_count()).take(500).collect();
    let near = |v: &&&[f64]| {
        let (distance, spacing) = set.distance(v);
        distance <= spacing.max(1e-6)
    };
    rows.iter().filter(near).count() as f64 / rows.len() as f64
}

/// Spatial problems: M = A A' + d I, tangents of any length and direction, contacts that copy earlier ones, frictions
/// over many decades, scaled units.
fn problems(most: usize) -> impl Strategy<Value = ProblemSpec> {
    let friction = prop_oneof![
        Just(0.0),
        (-6.0..5.0f64).prop_map(|x| 10f64.powf(x)),
        0.1..1.5f64,
        0.1..1.5f64,
        Just(1e5)
    ];
    (1usize..=most, 1usize..=12).prop_flat_map(move |(m, n)| {
        (
            prop::collection::vec(-1.0..1.0f64, n * n),
            prop::collection::vec(-1.0..1.0f64, 3 * m * n),
            prop::collection::vec(friction.clone(), m),
            prop::collection::vec(-1.0..1.0f64, n),
            prop::collection::vec(0..4usize, m),
            (-6.0..6.0f64, -6.0..6.0f64, -6.0..6.0f64),
        )
            .prop_map(move |(a, j, friction, velocity, copy, (mass, length, speed))| {
                let (mass, length, speed) = (10f64.powf(mass), 10f64.powf(length), 10f64.powf(speed));
                let entry = |i: usize, k: usize| {
                    let product: f64 = (0..n).map(|l| a[i * n + l] * a[k * n + l]).sum();
                    mass * (product + if i == k { 0.1 } else { 0.0 })
                };
                let row = |r: usize| (0..n).map(|k| length * j[r * n + k]).collect::<Vec<f64>>();
                let source = |c: usize| if copy[c] == 0 && c > 0 { c - 1 } else { c };
                let tangents = |c: usize| [row(m + 2 * source(c)), row(m + 2 * source(c) + 1)];
                ProblemSpec {
                    mass: (0..n).map(|i| (0..n).map(|k| entry(i, k)).collect()).collect(),
                    normal: (0..m).map(|c| row(source(c))).collect(),
                    tangent: (0..m).flat_map(tangents).collect(),
                    friction: Some(friction),
                    velocity: velocity.iter().map(|v| speed * v).collect(),
                    ..ProblemSpec::default()
                }
            })
    })
}
