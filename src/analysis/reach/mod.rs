//! The exact set of outcomes of an impact whose friction cones have edges: a union of polytopes.
//!
//! Within a cell of contact states the law lets the contact velocity move in a cone of directions,
//! so what is reached from a polyhedron is a polyhedron. For two contacts a list of a few dozen
//! polyhedra is the whole set: [`fixpoint::reach`] finds it, [`certificate::certify`] proves that
//! it is complete.

mod automaton;
mod certificate;
mod compute;
mod contact;
mod ends;
mod fixpoint;
mod modes;
mod path;
pub mod rationals;
mod set;
mod state;
mod velocities;
mod widening;

pub use certificate::Certificate;
pub use compute::Reach;
pub use modes::{PossibleModes, possible_modes};
pub use path::Leg;
pub use set::{Arithmetic, ExactSet, OutcomePolytope};
pub use state::{Phase, State};
