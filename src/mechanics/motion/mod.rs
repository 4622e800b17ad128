//! Motion through impacts: what comes between one impact and the next.
//!
//! An integrator is a folder here with its method, and a variant of [`Simulation`]; a file names it
//! in its key `integrator`.

mod ending;
pub mod futures;
pub mod inclusion;
pub mod lgvci;
pub mod mechanism;
pub mod midpoint;
pub mod watch;

pub use ending::MotionEnding;
pub use inclusion::InclusionMotion;
pub use lgvci::{Lgvci, LgvciSpec};
pub use midpoint::{Midpoint, MidpointSpec};

/// The acceleration of free fall where a file sets none, in m/s^2.
pub const GRAVITY: f64 = 9.80665;

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

    /// The name of the motion.
    pub fn name(&self) -> &str {
        match self {
            Simulation::Lgvci(motion) => motion.name(),
            Simulation::Midpoint(motion) => motion.name(),
            Simulation::Inclusion(motion) => motion.given().name(),
        }
    }

    /// The name of the motion's integrator.
    pub fn integrator(&self) -> &'static str {
        match self {
            Simulation::Lgvci(_) => Lgvci::NAME,
            Simulation::Midpoint(_) => Midpoint::NAME,
            Simulation::Inclusion(_) => InclusionMotion::NAME,
        }
    }
}
