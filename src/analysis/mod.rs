//! What is proved of the laws on a problem: exact sets of outcomes, bounds that no outcome exceeds,
//! and what theorems promise.

pub mod bounds;
pub mod guarantee;
pub mod reach;

pub use bounds::{Bound, BoundKind};
pub use guarantee::Guarantee;
pub use reach::{
    Arithmetic, Certificate, ExactSet, Leg, OutcomePolytope, PossibleModes, Reach, State,
    possible_modes,
};
