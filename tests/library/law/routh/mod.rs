//! The law of \[HP23\]: planar contacts, and spatial ones with friction cones of facets.

mod facets;
mod published;
mod random_problems;
mod restitution;

use carom::internals::law::Routh;
use carom::internals::problem::{ContactProblem, ProblemSpec};

use super::uniform;

fn faceted(facets: u32) -> Routh {
    Routh { facets: Some(facets), ..uniform() }
}

fn bouncing(problem: &ContactProblem, e: f64) -> ContactProblem {
    let restitution = Some(vec![e; problem.contact_count()]);
    ContactProblem::new(ProblemSpec { restitution, ..problem.spec().clone() }).unwrap()
}
