//! The interface of a sampled law.

use super::process::{Process, ProcessKind, most_residual};
use super::restitution::Hypothesis;
use crate::Solution;
use carom_core::{ContactProblem, Real, Result, Sampler};

/// The options of a sampled law, and their consequences for a problem. Each type has a constant
/// `NAME`, the name of the law: its variant of [`Law`](crate::Law) in lower case, with hyphens
/// between words.
pub trait SampledLaw {
    /// Checks that the law applies to a problem, and prepares the data common to all samples.
    ///
    /// # Errors
    /// An option outside its range, as users of the library can set it. A property of the problem
    /// that the law does not support; restitution and uncertain numbers, unless the law has them.
    fn prepare<R: Real>(&self, problem: &ContactProblem) -> Result<Process<R>>
    where
        Self: Sized;

    /// The process that computes the samples.
    fn process_on(&self, problem: &ContactProblem) -> ProcessKind;

    /// The limit on steps, single impacts or rounds per sample.
    fn max_steps_on(&self, problem: &ContactProblem) -> u32;

    /// The impulse step `h` in N s, if the law has one.
    fn step_on(&self, _problem: &ContactProblem) -> Option<f64> {
        None
    }

    /// The accuracy relative to `max|u-|`, where the process has one.
    fn accuracy_on(&self, _problem: &ContactProblem) -> Option<f64> {
        None
    }

    /// The acceptance tolerance of a sample's residual, see [`most_residual`]; `residual`:
    /// [`Real::RESIDUAL`] of the precision.
    fn most_residual(&self, problem: &ContactProblem, residual: f64) -> f64 {
        most_residual(residual, self.accuracy_on(problem))
    }

    /// The meaning of the coefficient of restitution, where it may be above 0.
    fn hypothesis_on(&self, _problem: &ContactProblem) -> Option<Hypothesis> {
        None
    }

    /// Number of facets of polyhedral friction cones.
    fn facets(&self) -> Option<u32> {
        None
    }

    /// Number of steps that share one draw of the relative impulse rates, for laws with steps.
    fn persistence(&self) -> Option<u32> {
        None
    }

    /// The choice among several solutions of a step, and the sampler of rates or orders.
    fn choices(&self) -> (Solution, Sampler) {
        (Solution::Random, Sampler::Uniform)
    }

    /// Refuses options without effect on every one of the problems (one or more).
    ///
    /// # Errors
    /// An option without effect.
    fn check(&self, _problems: &[&ContactProblem]) -> Result<()> {
        Ok(())
    }
}
