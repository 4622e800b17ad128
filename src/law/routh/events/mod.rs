//! The planar set-valued Routh law without a time step: from event to event.
//!
//! [`Events`] in `process` prepares a problem and computes a sample, block by block (a block is an
//! interval of constant impulse rates). `segment` divides a block into segments of constant contact
//! modes. `solve` finds the modes of a segment: it tries all combinations in `maps`, or pivots in
//! `walk`. `table` lists the forces of all combinations, `chart` is the explicit solution for one
//! or two contacts. `check` computes the residual from the impulses alone. Coefficients of
//! restitution are Stronge's; Poisson's are in [`inclusion`](super::inclusion) and in
//! [`steps`](super::steps).

pub mod chart;
pub mod check;
mod maps;
pub mod process;
pub mod segment;
pub mod solve;
pub mod table;
pub mod walk;

pub use process::Events;
