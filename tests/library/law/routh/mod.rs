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
