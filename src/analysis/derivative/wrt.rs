use schemars::JsonSchema;

use super::direction::Direction;
use carom_core::named;
use carom_core::problem::ContactProblem;

named! {
    /// The numbers by which samples are differentiated.
    #[derive(JsonSchema)]
    pub enum Wrt {
        /// The velocity before the impact: n columns. The matrix is the saltation matrix of the
        /// sample's order of impulses.
        Velocity = "velocity",
        /// The coefficients of friction: m columns.
        Friction = "friction",
        /// The coefficients of restitution: m columns.
        Restitution = "restitution",
        /// The impulse step, or the length of a block, in N s: one column.
        Step = "step",
    }
}

impl Wrt {
    /// Number p of columns for a problem.
    pub fn columns(self, problem: &ContactProblem) -> usize {
        match self {
            Wrt::Velocity => problem.coordinate_count(),
            Wrt::Friction | Wrt::Restitution => problem.contact_count(),
            Wrt::Step => 1,
        }
    }

    /// Direction in which the differentiated numbers change by `entries`.
    pub(super) fn direction(self, problem: &ContactProblem, entries: &[f64]) -> Direction {
        let mut direction = Direction::none(problem);
        match self {
            Wrt::Velocity => direction.velocity = entries.to_vec(),
            Wrt::Friction => direction.friction = entries.to_vec(),
            Wrt::Restitution => direction.restitution = entries.to_vec(),
            Wrt::Step => direction.step = entries[0],
        }
        direction
    }
}

/// Derivatives of samples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Jacobians {
    /// Number of the first sample.
    pub first: u64,
    /// Number p of columns of each derivative.
    pub columns: usize,
    /// `dv+/dx` (N,n,p), row by row, in units of `v` over units of `x`; NaN without a derivative.
    pub values: Vec<f64>,
    /// Whether each sample is differentiable (N).
    pub differentiable: Vec<bool>,
}
