//! A tree of futures: at each simultaneous impact several outcomes go on.
//!
//! `candidates` are the outcomes that a law has, `grow` keeps few of them that lie far apart and
//! goes on with each, `tree` is what results.

mod candidates;
mod grow;
mod tree;

pub use candidates::Candidates;
pub use grow::{Futures, grow};
pub use tree::{Fork, Node, Range, Tree};
