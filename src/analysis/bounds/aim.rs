use super::cost_bound::most_of_set;
use super::exact::support;
use super::{
    Bound, BoundKind, Cost, Limits, WRONG, bound_cost_until, bound_until, check_direction, energy,
    most_cost,
};
use crate::reach::ExactSet;
use carom_core::error::Result;
use carom_core::problem::ContactProblem;

/// Objective to be maximised.
#[derive(Clone, Debug, PartialEq)]
pub enum Aim {
    /// `c.v+` for a direction `c` (n).
    Direction(Vec<f64>),
    /// Cost of `v+`.
    Cost(Cost),
}

impl Aim {
    /// Checks that the objective fits a problem.
    ///
    /// # Errors
    /// See [`check_direction`].
    pub fn check(&self, problem: &ContactProblem) -> Result<()> {
        match self {
            Aim::Direction(c) => check_direction(problem, c),
            Aim::Cost(_) => Ok(()),
        }
    }

    /// Objective at a velocity (n).
    ///
    /// # Errors
    /// See [`Cost::of`].
    pub fn value(&self, velocity: &[f64]) -> Result<f64> {
        match self {
            Aim::Direction(c) => Ok(velocity.iter().zip(c).map(|(v, c)| v * c).sum()),
            Aim::Cost(cost) => cost.of(velocity),
        }
    }

    /// Tolerance for values above a bound before the bound is [wrong](WRONG). `seen`: magnitude of
    /// the values, used where intervals give no maximum cost.
    pub fn room(&self, problem: &ContactProblem, seen: f64) -> f64 {
        match self {
            Aim::Direction(c) => WRONG * energy(problem, c),
            Aim::Cost(cost) => WRONG * most_cost(problem, cost).unwrap_or(seen),
        }
    }

    /// Upper bound on the objective after an impact.
    ///
    /// # Errors
    /// See [`bound_until`].
    pub fn bound(
        &self,
        problem: &ContactProblem,
        kind: BoundKind,
        limits: &Limits,
    ) -> Result<Bound> {
        match self {
            Aim::Direction(c) => bound_until(problem, c, kind, limits),
            Aim::Cost(cost) => bound_cost_until(problem, cost, kind, limits),
        }
    }

    /// Upper bound on the objective over an exact set of the problem.
    pub fn bound_on(&self, problem: &ContactProblem, set: &ExactSet) -> Bound {
        match self {
            Aim::Direction(c) => support(problem, c, set),
            Aim::Cost(cost) => most_of_set(problem, cost, set),
        }
    }
}
