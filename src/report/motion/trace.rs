//! The states of a motion that its picture and its report show.

use carom_mechanics::motion::lgvci::{BodyMoment, BodyState, Lgvci, RigidBody};

/// Points of a curve, about.
const DRAWN: u64 = 4000;

/// The height of the mass centre of a body over its plane, in m.
pub(super) fn height(body: &RigidBody<f64>, state: &BodyState<f64>) -> f64 {
    body.normal.iter().zip(state.position).map(|(n, x)| n * x).sum::<f64>() + body.offset
}
/// The states of a motion that a picture shows.
#[derive(Clone, Debug)]
pub struct Trace {
    stride: u64,
    /// Time; height and gap; total, translational and potential, and rotational energy.
    points: Vec<[f64; 6]>,
    states: Vec<BodyState<f64>>,
}

impl Trace {
    /// The trace of a motion of `steps` steps, still without states.
    pub fn new(steps: u64) -> Self {
        Trace { stride: steps.div_ceil(DRAWN).max(1), points: Vec::new(), states: Vec::new() }
    }

    /// Takes a state, or leaves it out.
    pub fn look(&mut self, motion: &Lgvci, moment: &BodyMoment<'_>) {
        if moment.step.is_multiple_of(self.stride) {
            let (height, energy) = (height(motion.body(), moment.state), moment.energy);
            let lifted = energy.translational + energy.potential;
            let gap = motion.body().gap(moment.state).value;
            self.points.push([moment.time, height, gap, energy.total(), lifted, energy.rotational]);
            self.states.push(*moment.state);
        }
    }

    /// Time in s, and one of height and gap in m, and total, translational and potential, and
    /// rotational energy in J, by its number from 1 on.
    pub fn curve(&self, i: usize) -> Vec<[f64; 2]> {
        self.points.iter().map(|point| [point[0], point[i]]).collect()
    }

    /// Time in s, and the height of the mass centre over the plane, in m.
    pub fn heights(&self) -> Vec<[f64; 2]> {
        self.curve(1)
    }

    /// Time in s, and the energy minus that at the start, in J.
    pub fn errors(&self) -> Vec<[f64; 2]> {
        let first = self.points.first().map_or(0.0, |point| point[3]);
        self.points.iter().map(|point| [point[0], point[3] - first]).collect()
    }

    /// Time in s, and the [distance](BodyState::distance) of the states of two motions with the
    /// same time step.
    pub fn apart(&self, other: &Trace) -> Vec<[f64; 2]> {
        let both = self.states.iter().zip(&other.states);
        self.points.iter().zip(both).map(|(point, (a, b))| [point[0], a.distance(b)]).collect()
    }
}
