//! The midpoint variational integrator: a mechanism in generalized coordinates that moves through
//! impacts. \[SM14\]
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
pub use run::{
    Accumulation, Augmented, Change, Going, MechanismCourse, MechanismEnergy, MechanismMoment,
    Stepping, Strike,
};
pub use state::MechanismState;
