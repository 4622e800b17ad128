//! How far a set reaches in a direction: what samples reach, and what is proved that they cannot exceed.

use super::require_samples;
use crate::engine::{Engine, Plan, Run};
use crate::error::Result;
use crate::law::bounds::{Bound, BoundKind, applies, bound, check_direction};
use crate::problem::ContactProblem;

/// The sampled reach in a direction `c` (n), and bounds of it.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// The run that sampled the set.
    pub run: Run,
    /// `c`.
    pub direction: Vec<f64>,
    /// `c.v-`, before the impact.
    pub before: f64,
    /// The accepted sample that goes farthest.
    pub farthest: Farthest,
    /// What `c.v+` does not exceed, from the narrowest kind to the widest.
    pub bounds: Vec<Bound>,
}

/// A sample that goes farthest in a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Farthest {
    /// Its `c.v+`.
    pub value: f64,
    /// Its number; the first of those that go as far.
    pub sample: u64,
}

impl Engine {
    /// Samples the set as `plan` says and bounds its reach in the direction `c` (n), by every kind of `kinds`, or by all that
    /// apply where it is empty. Uncertain numbers are to be settled before.
    ///
    /// # Errors
    /// Those of [`bound`] and of [`Engine::sample`]; a set without accepted samples.
    pub fn bounds(
        &self,
        problem: &ContactProblem,
        plan: &Plan,
        c: &[f64],
        kinds: &[BoundKind],
    ) -> Result<Bounds> {
        check_direction(problem, c)?;
        let all = BoundKind::ALL.into_iter().filter(|kind| applies(*kind, problem)).collect();
        let kinds = if kinds.is_empty() { all } else { kinds.to_vec() };
        let bounds = kinds.into_iter().map(|kind| bound(problem, c, kind)).collect::<Result<Vec<_>>>()?;
        let reach = |v: &[f64]| v.iter().zip(c).map(|(v, c)| v * c).sum::<f64>();
        let most = plan.law.prepare::<f64>(problem)?.most_residual::<f64>();
        let mut farthest = Farthest { value: f64::NEG_INFINITY, sample: 0 };
        let run = self.sample(problem, plan, |samples| {
            for i in samples.accepted(most) {
                let value = reach(samples.row(&samples.velocity, i));
                if value > farthest.value {
                    farthest = Farthest { value, sample: samples.first + i as u64 };
                }
            }
            Ok(())
        })?;
        require_samples(&run)?;
        let before = reach(problem.velocity().as_slice());
        Ok(Bounds { run, direction: c.to_vec(), before, farthest, bounds })
    }
}
