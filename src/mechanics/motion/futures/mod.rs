//! Scenario tree: several outcomes of each simultaneous impact continue.
//!
//! `candidates` computes the outcomes of a law, `grow` selects a few distant ones and continues
//! each, `tree` is the result.

mod candidates;
mod grow;
mod tree;

pub use candidates::Candidates;
pub use grow::{Futures, grow};
pub use tree::{Fork, Node, Range, Tree};
