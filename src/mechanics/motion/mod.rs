//! Motion through impacts: integrators between impacts.
//!
//! An integrator is a folder here with its method, and a variant of [`Simulation`]; a file names it
//! in its key `integrator`.

mod course;
mod ending;
pub mod futures;
pub mod inclusion;
pub mod lgvci;
pub mod mechanism;
pub mod midpoint;
pub mod watch;

use std::sync::atomic::AtomicBool;

use carom_core::error::{Error, Result};

pub use course::{Accumulation, Augmented, Change, Course, Impact, Moment, Standing, Turn};
pub use ending::MotionEnding;
use futures::{Futures, Tree};
pub use inclusion::InclusionMotion;
pub use lgvci::{Lgvci, LgvciSpec};
use midpoint::ImpactLaw;
pub use midpoint::{Midpoint, MidpointSpec, Stepping};

/// Default gravitational acceleration, in m/s^2.
pub const GRAVITY: f64 = 9.80665;

/// One expression for a rigid body and for the mechanism of a motion.
macro_rules! each {
    ($of:expr, $motion:ident => $value:expr) => {
        match $of {
            Simulation::Lgvci($motion) => $value,
            Simulation::Midpoint($motion) => $value,
            Simulation::Inclusion(motion) => {
                let $motion = motion.given();
                $value
            }
        }
    };
}

/// A motion, with its integrator.
#[derive(Clone, Debug)]
pub enum Simulation {
    /// A rigid body that bounces on a plane, elastic and without friction.
    Lgvci(Box<Lgvci>),
    /// A mechanism that moves through impacts.
    Midpoint(Box<Midpoint>),
    /// A mechanism that moves by the time-augmented inclusion.
    Inclusion(Box<InclusionMotion>),
}

impl Simulation {
    /// The names of the integrators.
    pub const INTEGRATORS: &'static [&'static str] =
        &[Lgvci::NAME, Midpoint::NAME, InclusionMotion::NAME];

    /// The mechanism, its start and its law; `None`: a rigid body.
    pub fn given(&self) -> Option<&Midpoint> {
        match self {
            Simulation::Lgvci(_) => None,
            Simulation::Midpoint(motion) => Some(motion),
            Simulation::Inclusion(motion) => Some(motion.given()),
        }
    }

    /// The name of the motion.
    pub fn name(&self) -> &str {
        each!(self, motion => motion.name())
    }

    /// The name of the motion's integrator.
    pub fn integrator(&self) -> &'static str {
        self.given().map_or(Lgvci::NAME, Midpoint::integrator)
    }

    /// The time step in s.
    pub fn time_step(&self) -> f64 {
        each!(self, motion => motion.time_step())
    }

    /// Number of steps unless the caller sets it.
    pub fn steps(&self) -> u64 {
        each!(self, motion => motion.steps())
    }

    /// The names of the columns of a [`Moment`].
    pub fn columns(&self) -> Vec<String> {
        each!(self, motion => motion.columns())
    }

    /// Motion over `steps` steps. Calls `look` with the start and the end of each step, and `tell`
    /// with the progress of a mechanism within a step.
    ///
    /// # Errors
    /// See [`Stepping::run`]; for a rigid body only errors of `look`.
    pub fn run(
        &self,
        steps: u64,
        stop: Option<&AtomicBool>,
        tell: impl FnMut(&Standing),
        look: impl FnMut(&Moment) -> Result<()>,
    ) -> Result<Course> {
        match self {
            Simulation::Lgvci(motion) => motion.run(steps, stop, look),
            Simulation::Midpoint(motion) => motion.run_and_tell(steps, stop, tell, look),
            Simulation::Inclusion(motion) => motion.run_and_tell(steps, stop, tell, look),
        }
    }

    /// The motion with another impact law; a rigid body has none.
    pub fn with_law(self, law: ImpactLaw) -> Self {
        match self {
            Simulation::Midpoint(motion) => Simulation::Midpoint(Box::new(motion.with_law(law))),
            Simulation::Inclusion(motion) => {
                let given = motion.given().clone().with_law(law);
                Simulation::Inclusion(Box::new(InclusionMotion::new(given)))
            }
            body => body,
        }
    }

    /// Scenario tree of this motion: see [`futures::grow`].
    ///
    /// # Errors
    /// A rigid body, whose impacts have one outcome; errors of [`futures::grow`].
    pub fn grow(
        &self,
        futures: &Futures,
        steps: u64,
        stop: Option<&AtomicBool>,
        look: impl FnMut(usize, &Moment) -> Result<()>,
    ) -> Result<Tree> {
        match self {
            Simulation::Lgvci(_) => Err(Error::usage("impacts of a rigid body have one outcome")),
            Simulation::Midpoint(motion) => futures::grow(&**motion, futures, steps, stop, look),
            Simulation::Inclusion(motion) => futures::grow(&**motion, futures, steps, stop, look),
        }
    }
}
