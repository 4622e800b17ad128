//! Exact outcome set of an impact with polyhedral friction cones: a union of polytopes.
//!
//! In a cell (a combination of contact states, a mode of the hybrid automaton) the contact velocity
//! moves in a convex cone of directions. The reachable set from a polyhedron is therefore a
//! polyhedron. For two contacts a few dozen polyhedra make up the whole set: [`fixpoint::reach`]
//! computes them, [`certificate::certify`] proves them complete.

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
