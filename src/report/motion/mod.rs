//! The outputs of `carom simulate`: a report to read, one to parse, a picture, and files with every
//! state.

mod beside;
pub mod futures;
pub mod mechanism;
mod picture;
mod report;
mod trace;

use schemars::JsonSchema;

pub use beside::Beside;
pub use picture::{note, picture, title};
pub use report::{BodyReport, Perturbed, json, text};
pub use trace::Trace;

/// The report of a motion.
#[derive(JsonSchema)]
#[schemars(untagged, title = "What `carom simulate --json` prints")]
pub enum MotionReport<'a> {
    /// The motion of a rigid body.
    Rigid(BodyReport<'a>),
    /// The motion of a mechanism.
    Mechanism(mechanism::MechanismReport<'a>),
}
