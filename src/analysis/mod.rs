//! What is known of the laws on a problem: exact sets of outcomes, bounds that no outcome exceeds,
//! what theorems promise, and derivatives of samples.

pub mod bounds;
pub mod derivative;
pub mod guarantee;
pub mod reach;
pub mod wedge;
pub mod within;

pub use bounds::{Bound, BoundKind};
pub use derivative::{Differentiator, Jacobians, Wrt};
pub use guarantee::Guarantee;
pub use reach::{
    Arithmetic, Certificate, ExactSet, Leg, OutcomePolytope, Phase, PossibleModes, Reach, State,
    possible_modes,
};
pub use within::{bound_within, in_time};
