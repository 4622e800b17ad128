//! The midpoint variational integrator: a mechanism in generalized coordinates that moves through
//! impacts. \[SM14\]
//!
//! `flow` moves the mechanism without impacts, `step` locates impacts, `strike` selects their
//! contacts, `impact` resolves them by a law, `sustain` decides on sustained contacts, `rest`
//! integrates with sustained contacts.

mod flow;
mod given;
mod impact;
mod rest;
mod run;
mod state;
mod step;
mod strike;
mod sustain;

pub use flow::flow;
pub use given::{Midpoint, MidpointSpec};
pub use impact::{Coefficients, ImpactLaw, StrikeOutcome, impact, problem, strike};
pub use run::{Going, Stepping};
pub use state::{Hit, MechanismState};
pub use strike::Strike;
