//! A motion under way: where it is, and what it has met so far.

use super::body::Body;
use super::state::State;
use super::step::{Struck, step};
use crate::motion::ending::Ending;
use crate::real::Real;

/// What is the same for all copies of a motion, and in all of its steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting<T> {
    /// The body and the plane.
    pub body: Body<T>,
    /// h, in s.
    pub time_step: T,
    /// Most collisions of a step.
    pub max_collisions: u32,
}

/// One motion under way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Replica<T> {
    /// After the last completed step.
    pub state: State<T>,
    /// Its energy at first, in J.
    pub initial: T,
    /// The largest difference of the energy from it, after steps and collisions, in J.
    pub energy_error: T,
    /// Completed steps.
    pub steps: u64,
    /// Collisions so far.
    pub collisions: u64,
    /// [`Ending::Done`] as long as it can go on.
    pub ending: Ending,
}

impl<T: Real> Replica<T> {
    /// A motion that begins.
    pub fn new(body: &Body<T>, start: &State<T>) -> Self {
        let initial = body.total_energy(start);
        Replica {
            state: *start,
            initial,
            energy_error: T::ZERO,
            steps: 0,
            collisions: 0,
            ending: Ending::Done,
        }
    }

    /// Whether it has steps before it.
    pub fn goes_on(&self, until: u64) -> bool {
        self.ending == Ending::Done && self.steps < until
    }

    /// One [`step`], if nothing hinders it; `struck` is told of its collisions.
    pub fn step(&mut self, setting: &Setting<T>, mut struck: impl FnMut(Struck<T>)) {
        let Setting { body, time_step, max_collisions } = setting;
        let start = self.state;
        let mut hit = |hit: Struck<T>| {
            self.strike(body, &hit.state);
            struck(hit);
        };
        match step(body, &start, *time_step, *max_collisions, &mut hit) {
            Ok(next) if next.is_finite() => self.arrive(body, next),
            Ok(_) => self.ending = Ending::NotFinite,
            Err(ending) => self.ending = ending,
        }
    }

    /// Counts a collision that leaves the body in a state.
    pub(super) fn strike(&mut self, body: &Body<T>, after: &State<T>) {
        self.collisions += 1;
        self.observe(body, after);
    }

    /// Completes a step.
    pub(super) fn arrive(&mut self, body: &Body<T>, next: State<T>) {
        self.state = next;
        self.steps += 1;
        self.observe(body, &next);
    }

    fn observe(&mut self, body: &Body<T>, state: &State<T>) {
        let error = (body.total_energy(state) - self.initial).abs();
        self.energy_error = Real::max(error, self.energy_error);
    }
}
