//! The midpoint variational integrator: a planar mechanism in generalized coordinates that moves
//! through impacts. \[SM14\]
//!
//! `flow` moves the mechanism without impacts, `step` finds impacts, `impact` resolves them by a
//! law, `rest` takes over where contacts are sustained.

mod flow;
mod given;
mod impact;
mod rest;
mod run;
mod state;
mod step;

pub use flow::flow;
pub use given::{Midpoint, MidpointSpec};
pub use impact::{Coefficients, Impact, ImpactLaw, StrikeOutcome, problem, strike};
pub use run::{Accumulation, Augmented, Change, MechanismCourse, MechanismEnergy, MechanismMoment};
pub use state::MechanismState;
pub use step::Advance;
