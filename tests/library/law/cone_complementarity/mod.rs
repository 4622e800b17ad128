//! The simultaneous impact with circular friction cones, and its convex relaxation.

mod known;
mod oracle;
mod random_problems;
mod relaxation;
mod symmetries;

use super::*;
use proptest::prelude::*;

/// The velocities that the law lists; all of them are solutions.
fn velocities(problem: &ContactProblem) -> Vec<Vec<f64>> {
    let set = ConeComplementarity::default().resolve(problem).unwrap();
    assert!(set.outcomes.iter().all(|outcome| outcome.residual <= 1e-10));
    set.outcomes.into_iter().map(|outcome| outcome.velocity).collect()
}

/// `|a - b|` over `|v-|`.
fn distance(problem: &ContactProblem, a: &[f64], b: &[f64]) -> f64 {
    let square: f64 = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum();
    square.sqrt() / problem.velocity().norm()
}

fn nearest(problem: &ContactProblem, v: &[f64], of: &[Vec<f64>]) -> f64 {
    of.iter().map(|other| distance(problem, v, other)).fold(f64::INFINITY, f64::min)
}

/// Spatial problems with friction up to `most`, in ordinary units; some contacts repeat others.
fn ordinary(contacts: usize, coordinates: usize, most: f64) -> impl Strategy<Value = ProblemSpec> {
    let friction = (0.0..most).boxed();
    Problems { contacts, coordinates, tangents: 2, friction, decades: [1e-9; 3] }.strategy()
}
