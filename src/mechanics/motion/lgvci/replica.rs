use super::body::RigidBody;
use super::state::BodyState;
use super::step::{Struck, step};
use crate::motion::ending::MotionEnding;
use carom_core::real::Real;

/// The data that all copies of a motion share, in all steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// The body and the plane.
    pub body: RigidBody,
    /// The time step h, in s.
    pub time_step: f64,
    /// Most collisions of a step.
    pub max_collisions: u32,
}

/// A motion in progress.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Replica {
    /// The state after the last completed step.
    pub state: BodyState,
    /// The energy at the start, in J.
    pub initial: f64,
    /// Largest deviation of the energy from the initial energy, after steps and collisions, in J.
    pub energy_error: f64,
    /// Number of completed steps.
    pub steps: u64,
    /// Number of collisions since the start.
    pub collisions: u64,
    /// [`MotionEnding::Done`] while the motion can go on.
    pub ending: MotionEnding,
}

impl Replica {
    /// The motion at its start.
    pub fn new(body: &RigidBody, start: &BodyState) -> Self {
        let initial = body.total_energy(start);
        Replica {
            state: *start,
            initial,
            energy_error: 0.0,
            steps: 0,
            collisions: 0,
            ending: MotionEnding::Done,
        }
    }

    /// Whether the motion can go on and has taken fewer than `until` steps.
    pub fn goes_on(&self, until: u64) -> bool {
        self.ending == MotionEnding::Done && self.steps < until
    }

    /// Takes a [`step`], if the motion can go on; `struck` is called with each of its collisions.
    pub fn step(&mut self, setting: &Setting, mut struck: impl FnMut(Struck)) {
        let Setting { body, time_step, max_collisions } = setting;
        let start = self.state;
        let mut hit = |hit: Struck| {
            self.collisions += 1;
            self.observe(body, &hit.state);
            struck(hit);
        };
        match step(body, &start, *time_step, *max_collisions, &mut hit) {
            Ok(next) if next.is_finite() => {
                self.state = next;
                self.steps += 1;
                self.observe(body, &next);
            }
            Ok(_) => self.ending = MotionEnding::NotFinite,
            Err(ending) => self.ending = ending,
        }
    }

    fn observe(&mut self, body: &RigidBody, state: &BodyState) {
        let error = (body.total_energy(state) - self.initial).abs();
        self.energy_error = Real::max(error, self.energy_error);
    }
}
