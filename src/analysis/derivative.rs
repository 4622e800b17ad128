//! Derivatives of samples: the change of the velocity after an impact with the numbers of the
//! impact.

mod posed;
mod smooth;
mod wrt;

use crate::error::Result;
use crate::problem::ContactProblem;
use crate::run::Plan;
use posed::PosedDifferentiator;
use smooth::Smooth;

pub use wrt::{Jacobians, Wrt};

/// Computes the derivatives of samples of a problem, on the CPU and in f64.
///
/// The derivative of a sample is that of the velocity `v+` with the sample's draws held: its random
/// rates, the contacts that take part in each block, uncertain numbers, and the impulse step or the
/// length of blocks in N s, also where the law derives it from the velocity. Everything else
/// follows: modes of contacts, the times at which they change, reservoirs.
///
/// Method: the law is computed with numbers that carry a derivative, once for each column.
/// Guarantee: a sample counts as differentiable only if finite differences of the law
/// itself, forward and backward along an oblique direction and each column, agree with the
/// derivative; otherwise all its entries are NaN. At a branch, where an arbitrarily small change
/// lets other contacts strike, stick or slip, some finite difference disagrees. The inclusion is
/// integrated numerically, here with an accuracy of 1e-6 or that of the samples if it is finer; the
/// derivative is that of this solution, which must be the sample up to the accuracy of the latter.
///
/// A sample of a problem with an uncertain pose is differentiated in its own pose.
#[derive(Debug)]
pub struct Differentiator<'a>(Of<'a>);

#[derive(Debug)]
enum Of<'a> {
    Problem(Box<Smooth<'a>>),
    Poses(Box<PosedDifferentiator<'a>>),
}

impl<'a> Differentiator<'a> {
    /// Prepares derivatives of the samples of `plan`, from its law, seed and stop flag.
    ///
    /// # Errors
    /// A law whose samples have no derivatives, a number that the law does not have, and those of
    /// sampling.
    pub fn new(problem: &'a ContactProblem, plan: &'a Plan, wrt: Wrt) -> Result<Self> {
        Ok(Differentiator(match problem.uncertainty().poses() {
            true => Of::Poses(Box::new(PosedDifferentiator::new(problem, plan, wrt)?)),
            false => Of::Problem(Box::new(Smooth::new(problem, plan, wrt)?)),
        }))
    }

    /// The derivatives of samples `first .. first + count`, on all cores; `progress` is called
    /// after each of them, on any thread.
    ///
    /// # Errors
    /// An interrupted run.
    pub fn jacobians(
        &self,
        first: u64,
        count: usize,
        progress: impl Fn() + Sync,
    ) -> Result<Jacobians> {
        match &self.0 {
            Of::Problem(smooth) => smooth.jacobians(first, count, progress),
            Of::Poses(posed) => posed.jacobians(first, count, progress),
        }
    }
}
