//! The planar set-valued Routh law without a time step: from event to event.
//!
//! [`Events`] in `process` prepares a problem and computes a sample. `walk` goes through the blocks
//! of constant rates of a sample, `segment` through the pieces of a block on which no contact
//! changes its state. The next state is looked up in a `table` of what `solve` found for all
//! combinations of states, or by a `chart` of linear `maps`; `check` judges a walk by itself.
//! Coefficients of restitution are Stronge's; Poisson's are in [`inclusion`](super::inclusion) and
//! in [`steps`](super::steps).

pub mod chart;
pub mod check;
mod maps;
pub mod process;
pub mod segment;
pub mod solve;
pub mod table;
pub mod walk;

pub use process::Events;
