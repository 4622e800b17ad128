//! What a law says so that it can be sampled.

use super::process::{Process, ProcessKind, most_residual};
use super::restitution::Hypothesis;
use crate::Solution;
use carom_core::{ContactProblem, Real, Result, Sampler};

/// The options of a law that can be sampled, and what follows from them on a problem. Their type
/// has the name of the law as its constant `NAME`: that of its variant of [`Law`](crate::Law) in
/// lower case, with hyphens between words.
pub trait SampledLaw {
    /// Checks that the law applies to a problem and prepares all that is the same for every sample.
    ///
    /// # Errors
    /// An option outside its range, which users of the library can set. Something in the problem
    /// that the law does not support: it refuses restitution and uncertain numbers, unless it has
    /// them.
    fn prepare<R: Real>(&self, problem: &ContactProblem) -> Result<Process<R>>
    where
        Self: Sized;

    /// The process that computes the samples.
    fn process_on(&self, problem: &ContactProblem) -> ProcessKind;

    /// The limit on steps, single impacts or rounds of a sample.
    fn max_steps_on(&self, problem: &ContactProblem) -> u32;

    /// The impulse step `h` in N s, if the law has one.
    fn step_on(&self, _problem: &ContactProblem) -> Option<f64> {
        None
    }

    /// The accuracy, a part of `max|u-|`, where the process has one.
    fn accuracy_on(&self, _problem: &ContactProblem) -> Option<f64> {
        None
    }

    /// The largest residual with which a sample is accepted, see [`most_residual`]; `residual`:
    /// [`Real::RESIDUAL`] of the precision.
    fn most_residual(&self, problem: &ContactProblem, residual: f64) -> f64 {
        most_residual(residual, self.accuracy_on(problem))
    }

    /// The meaning of the coefficient of restitution, where it may be above 0.
    fn hypothesis_on(&self, _problem: &ContactProblem) -> Option<Hypothesis> {
        None
    }

    /// Number of facets of the friction cones, where they have facets.
    fn facets(&self) -> Option<u32> {
        None
    }

    /// Number of steps that share one draw of the rates, for laws with steps.
    fn persistence(&self) -> Option<u32> {
        None
    }

    /// The choice among several solutions of a step, and the sampler of rates or orders.
    fn choices(&self) -> (Solution, Sampler) {
        (Solution::Random, Sampler::Uniform)
    }

    /// Refuses options that would do nothing on any of the problems, of which there is one or more.
    ///
    /// # Errors
    /// An idle option.
    fn check(&self, _problems: &[&ContactProblem]) -> Result<()> {
        Ok(())
    }
}
