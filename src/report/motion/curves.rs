//! The states of motions that pictures show.

use carom_core::error::Result;
use carom_mechanics::motion::lgvci::{BodyState, RigidBody};
use carom_mechanics::motion::{Moment, Simulation};
use nalgebra::DVector;

/// Points of a curve, about.
const DRAWN: u64 = 4000;

/// Curves of a motion and its branches, or of overlaid motions: rows of some of their states.
#[derive(Clone, Debug)]
pub struct Curves {
    stride: u64,
    pub(super) branches: Vec<Vec<Vec<f64>>>,
}

impl Curves {
    /// The curves of a motion of `steps` steps, still without states.
    pub fn new(steps: u64) -> Self {
        Curves { stride: steps.div_ceil(DRAWN).max(1), branches: Vec::new() }
    }

    /// Records the first state of a branch, and then one state per stride.
    pub fn look(&mut self, branch: usize, moment: &Moment) {
        self.branches.resize(self.branches.len().max(branch + 1), Vec::new());
        let rows = &mut self.branches[branch];
        if rows.is_empty() || moment.step.is_multiple_of(self.stride) {
            rows.push(moment.row());
        }
    }

    /// Time in s and distance of a branch from the first one, until either ends. Mechanisms:
    /// [xi](carom_mechanics::motion::Midpoint::indeterminacy); rigid bodies:
    /// [distance](BodyState::distance).
    pub(super) fn apart(&self, motion: &Simulation, branch: usize) -> Result<Vec<[f64; 2]>> {
        let both = self.branches[0].iter().zip(&self.branches[branch]);
        let row = |(a, b): (&Vec<f64>, &Vec<f64>)| {
            let Some(given) = motion.given() else {
                let [one, other] = [a, b].map(|row| BodyState::of(&row[1..], &row[13..]));
                return Ok([a[0], one.distance(&other)]);
            };
            let (n, first) = (given.mechanism().size(), 1 + given.start().q.len());
            let q = DVector::from_column_slice(&a[1..first]);
            let [p, r] = [a, b].map(|row| DVector::from_column_slice(&row[first..first + n]));
            Ok([a[0], given.indeterminacy(&q, &p, &r)?])
        };
        both.filter(|(a, b)| a[0] == b[0]).map(row).collect()
    }

    /// One curve per branch: state entry `x` against `y`.
    pub(super) fn of(&self, x: usize, y: impl Fn(&[f64]) -> f64) -> Vec<Vec<[f64; 2]>> {
        let curve = |rows: &Vec<Vec<f64>>| rows.iter().map(|row| [row[x], y(row)]).collect();
        self.branches.iter().map(curve).collect()
    }

    /// A quantity of a branch over time, in s.
    pub(super) fn over_time(&self, branch: usize, y: impl Fn(&[f64]) -> f64) -> Vec<[f64; 2]> {
        self.branches[branch].iter().map(|row| [row[0], y(row)]).collect()
    }
}

/// The height of the mass centre of a body over its plane at a position, in m.
pub(super) fn height(body: &RigidBody, position: &[f64]) -> f64 {
    body.normal.iter().zip(position).map(|(n, x)| n * x).sum::<f64>() + body.offset
}
