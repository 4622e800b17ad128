//! Derivatives of samples: sensitivity of the velocity after an impact to the inputs of the impact.

mod direction;
mod directional;
mod posed;
mod smooth;
mod wrt;

use carom_core::error::{Error, Result};
use carom_core::problem::ContactProblem;
use carom_engine::run::Plan;
use posed::PosedDifferentiator;
use smooth::Smooth;

pub use wrt::{Jacobians, Wrt};

/// Differentiates the samples of a problem, on the CPU and in f64.
///
/// The derivative of a sample is the derivative of the velocity `v+` at fixed draws of the sample:
/// relative impulse rates, participating contacts of each block, uncertain numbers and noise. All
/// other quantities vary: contact modes, the times of their changes, stored impulses and energies,
/// and, unless prescribed, the impulse step or block length, which the law takes from the velocity.
/// [`Differentiator::at_held_step`] fixes the latter too.
///
/// Method: forward-mode automatic differentiation of the law, once for each direction of velocity
/// that moves a contact, or for each column. Guarantee: a sample counts as differentiable only if
/// finite differences of the law itself, forward and backward along an oblique direction and each
/// of the columns, agree with the derivative; otherwise all its entries are NaN. At a branch, where
/// an arbitrarily small change lets other contacts strike, stick or slip, some finite difference
/// disagrees. The inclusion is integrated numerically, here with an accuracy of 1e-6, or with the
/// samples' accuracy if it is finer. The derivative belongs to this solution, which must agree with
/// the sample up to the sample's accuracy.
///
/// Samples of a problem with an uncertain pose are differentiated in their own poses.
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
    /// A law without derivatives of its samples, a number missing in the problem, errors of
    /// sampling.
    pub fn new(problem: &'a ContactProblem, plan: &'a Plan, wrt: Wrt) -> Result<Self> {
        Self::prepared(problem, plan, wrt, wrt == Wrt::Step)
    }

    /// Prepares derivatives with respect to the velocity at a fixed impulse step or block length in
    /// N s.
    ///
    /// # Errors
    /// See [`Differentiator::new`].
    pub fn at_held_step(problem: &'a ContactProblem, plan: &'a Plan) -> Result<Self> {
        Self::prepared(problem, plan, Wrt::Velocity, true)
    }

    fn prepared(problem: &'a ContactProblem, plan: &'a Plan, wrt: Wrt, held: bool) -> Result<Self> {
        Ok(Differentiator(match problem.uncertainty().poses() {
            true => Of::Poses(Box::new(PosedDifferentiator::new(problem, plan, wrt, held)?)),
            false => Of::Problem(Box::new(Smooth::new(problem, plan, wrt, held)?)),
        }))
    }

    /// Prepares one-sided directional derivatives of the samples of `plan` along a change of the
    /// velocity before the impact (n): `(v+(v + h d) - v+(v)) / h` for `h` from above to 0. See
    /// [`Differentiator::directional`].
    ///
    /// # Errors
    /// See [`Differentiator::new`]; a wrong number of entries; an uncertain pose.
    pub fn along(problem: &'a ContactProblem, plan: &'a Plan, velocity: &[f64]) -> Result<Self> {
        if problem.uncertainty().poses() {
            return Err(of_one_pose());
        }
        Ok(Differentiator(Of::Problem(Box::new(Smooth::along(problem, plan, velocity)?))))
    }

    /// Gives samples that are not differentiable the derivative of an adjacent branch: at a nearby
    /// point along the oblique direction, forward or else backward, if its outcome is near.
    /// [`Jacobians::differentiable`] tells the two apart.
    pub fn of_branches(self) -> Self {
        Differentiator(match self.0 {
            Of::Problem(smooth) => Of::Problem(Box::new(smooth.of_branches())),
            Of::Poses(posed) => Of::Poses(Box::new(posed.of_branches())),
        })
    }

    /// Derivatives of samples `first .. first + count`, on all cores. Calls `tell` after each
    /// sample, on any thread.
    ///
    /// # Errors
    /// An interrupted run.
    pub fn jacobians(&self, first: u64, count: usize, tell: impl Fn() + Sync) -> Result<Jacobians> {
        match &self.0 {
            Of::Problem(smooth) => smooth.jacobians(first, count, tell),
            Of::Poses(posed) => posed.jacobians(first, count, tell),
        }
    }

    /// One-sided derivatives of samples `first .. first + count`, from a differentiator of
    /// [`Differentiator::along`]: one column, NaN if the outcome jumps.
    /// [`Jacobians::differentiable`] says whether two finite differences confirm the automatic
    /// derivative. At a kink the result is the finite difference.
    ///
    /// # Errors
    /// An interrupted run; an uncertain pose.
    pub fn directional(&self, first: u64, count: usize) -> Result<Jacobians> {
        match &self.0 {
            Of::Problem(smooth) => smooth.directional(first, count),
            Of::Poses(_) => Err(of_one_pose()),
        }
    }
}

fn of_one_pose() -> Error {
    let what = "samples with uncertain poses have no derivatives along a direction";
    let hint = "take `jacobian`, which differentiates each sample in its own pose";
    Error::usage(what).at("direction").hint(hint)
}
