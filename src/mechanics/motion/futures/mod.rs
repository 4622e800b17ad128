//! A tree of futures: at each simultaneous impact several outcomes continue.
//!
//! `candidates` are the outcomes of a law, `grow` keeps few of them that lie far apart and
//! continues each, `tree` is the result.

mod candidates;
mod grow;
mod tree;

pub use candidates::Candidates;
pub use grow::{Futures, grow};
pub use tree::{Fork, Node, Range, Tree};
