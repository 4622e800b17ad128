//! The law of \[HP23\], process by process.

mod events;
mod events_numbers;
mod facets;
mod inclusion;
mod integrator;
mod last_step;
mod light_feet;
mod published;
mod random_problems;
mod restitution;
mod table;

use carom_core::rng::stream::unit;
use carom_law::routh::events::Events;

use super::*;

fn faceted(facets: u32) -> Routh {
    Routh { facets: Some(facets), ..uniform() }
}

fn bouncing(problem: &ContactProblem, e: f64) -> ContactProblem {
    let restitution = Some(vec![e; problem.contact_count()]);
    ContactProblem::new(ProblemSpec { restitution, ..problem.spec().clone() }).unwrap()
}
