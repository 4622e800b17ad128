//! The outputs of `carom simulate`: a report to read, one to parse, a picture, and files with every
//! state.

mod beside;
mod body;
mod body_picture;
mod body_text;
mod curves;
mod futures;
mod mechanism;
mod mechanism_picture;
mod mechanism_text;

use carom_core::text::{count, short};
use carom_mechanics::motion::futures::{Futures, Tree};
use carom_mechanics::motion::lgvci::{CopySpread, Perturbation};
use carom_mechanics::motion::{Course, Simulation};
use schemars::JsonSchema;
use serde_json::{Value, json};

use crate::plot::Picture;
pub use beside::Beside;
pub use body::BodyReport;
pub use curves::Curves;
pub use mechanism::MechanismReport;
pub use mechanism_text::place;

/// The report of a motion.
#[derive(JsonSchema)]
#[schemars(untagged, title = "What `carom simulate --json` prints")]
pub enum MotionReport<'a> {
    /// The motion of a rigid body.
    Rigid(BodyReport<'a>),
    /// The motion of a mechanism.
    Mechanism(MechanismReport<'a>),
}

/// A motion that was computed.
#[derive(Clone, Copy)]
pub struct Simulated<'a> {
    /// The motion.
    pub motion: &'a Simulation,
    /// The course of the motion.
    pub course: &'a Course,
    /// Number of requested steps.
    pub steps: u64,
    /// The curves of the motion and of overlaid motions or branches.
    pub curves: &'a Curves,
    /// The overlaid motions.
    pub beside: &'a [Beside],
    /// The perturbation of copies of a rigid body, and the spread of the copies.
    pub perturbed: Option<(&'a Perturbation, &'a CopySpread)>,
    /// The branches of a mechanism.
    pub futures: Option<(&'a Futures, &'a Tree)>,
}

impl Simulated<'_> {
    /// The report as JSON, `schema_version` 1; attitudes as rows, angular momenta in the frame of
    /// the body, the rest in the world.
    pub fn json(&self) -> Value {
        match self.motion {
            Simulation::Lgvci(motion) => json!(body::report(motion, self)),
            Simulation::Midpoint(motion) => json!(mechanism::report(motion, self)),
            Simulation::Inclusion(motion) => json!(mechanism::report(motion.given(), self)),
        }
    }

    /// The report as text.
    pub fn text(&self) -> String {
        match self.motion {
            Simulation::Lgvci(motion) => body_text::text(motion, self),
            Simulation::Midpoint(motion) => mechanism_text::text(motion, self),
            Simulation::Inclusion(motion) => mechanism_text::text(motion.given(), self),
        }
    }

    /// The curves as a picture.
    pub fn picture(&self) -> Picture {
        let (panels, series) = (Vec::new(), Vec::new());
        let mut picture = Picture { title: self.title(), panels, series, note: self.note() };
        match self.motion {
            Simulation::Lgvci(motion) => body_picture::draw(&mut picture, motion, self),
            Simulation::Midpoint(motion) => mechanism_picture::draw(&mut picture, motion, self),
            Simulation::Inclusion(motion) => {
                mechanism_picture::draw(&mut picture, motion.given(), self);
            }
        }
        picture
    }

    /// A summary of the motion in a few words.
    pub fn title(&self) -> String {
        let what = match (self.futures, self.motion.given()) {
            (Some((_, tree)), _) => {
                return format!("{}: {}", self.motion.name(), futures::ends(tree));
            }
            (_, None) => "collision",
            _ => "impact",
        };
        let (impacts, time) =
            (count(self.course.impacts.len(), what), short(self.course.last.time));
        format!("{}: {impacts} in {time} s", self.motion.name())
    }

    /// The way the motion was computed, and its ending.
    pub fn note(&self) -> String {
        let law = self.motion.given().map(|given| format!(", law {}", given.law().name()));
        let ending = match self.futures {
            Some((futures, _)) => {
                format!("up to {} outcomes of each simultaneous impact", futures.branch)
            }
            None => format!("status {}", self.course.ending.name()),
        };
        let (integrator, law) = (self.motion.integrator(), law.unwrap_or_default());
        let (step, version) = (short(self.motion.time_step()), env!("CARGO_PKG_VERSION"));
        format!("{integrator}{law}, time step {step} s, {ending}; carom {version}")
    }
}
