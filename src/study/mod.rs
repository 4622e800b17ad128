//! What is asked of sampled sets: how far the outcomes of other laws are from one, how well sets predict measured impacts.

pub mod compare;
pub mod reality;

pub use compare::{Compared, Comparison};
pub use reality::{Event, Reality};
