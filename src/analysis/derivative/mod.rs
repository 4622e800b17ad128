//! Derivatives of samples: the change of the velocity after an impact with the numbers of the
//! impact.

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

/// Computes the derivatives of samples of a problem, on the CPU and in f64.
///
/// The derivative of a sample is that of the velocity `v+` with the sample's draws held: its random
/// rates, the contacts that take part in each block, uncertain numbers and noise. Everything else
/// follows: modes of contacts, the times at which they change, reservoirs, and, where it is not
/// prescribed, the impulse step or the length of blocks, which the law takes from the velocity.
/// With [`Differentiator::at_held_step`] these are held too.
///
/// Method: the law is computed with numbers that carry a derivative, once for each
/// direction of velocity that moves a contact, or for each column. Guarantee: a sample counts as
/// differentiable only if finite differences of the law itself, forward and backward along an
/// oblique direction and each of these, agree with the derivative; otherwise all its entries are
/// NaN. At a branch, where an arbitrarily small change lets other contacts strike, stick or slip,
/// some finite difference disagrees. The inclusion is integrated numerically, here with an
/// accuracy of 1e-6 or that of the samples if it is finer; the derivative is that of this solution,
/// which must be the sample up to the accuracy of the latter.
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
    /// A law whose samples have no derivatives, a number that it does not have, those of sampling.
    pub fn new(problem: &'a ContactProblem, plan: &'a Plan, wrt: Wrt) -> Result<Self> {
        Self::prepared(problem, plan, wrt, wrt == Wrt::Step)
    }

    /// Prepares derivatives with respect to the velocity, where the impulse step or the length of
    /// blocks keeps its value in N s.
    ///
    /// # Errors
    /// Those of [`Differentiator::new`].
    pub fn at_held_step(problem: &'a ContactProblem, plan: &'a Plan) -> Result<Self> {
        Self::prepared(problem, plan, Wrt::Velocity, true)
    }

    fn prepared(problem: &'a ContactProblem, plan: &'a Plan, wrt: Wrt, held: bool) -> Result<Self> {
        Ok(Differentiator(match problem.uncertainty().poses() {
            true => Of::Poses(Box::new(PosedDifferentiator::new(problem, plan, wrt, held)?)),
            false => Of::Problem(Box::new(Smooth::new(problem, plan, wrt, held)?)),
        }))
    }

    /// Prepares one-sided derivatives of the samples of `plan` along a change of the velocity
    /// before the impact (n): `(v+(v + h d) - v+(v)) / h` for `h` from above to 0. See
    /// [`Differentiator::directional`].
    ///
    /// # Errors
    /// Those of [`Differentiator::new`]; another number of entries; an uncertain pose.
    pub fn along(problem: &'a ContactProblem, plan: &'a Plan, velocity: &[f64]) -> Result<Self> {
        if problem.uncertainty().poses() {
            return Err(of_one_pose());
        }
        Ok(Differentiator(Of::Problem(Box::new(Smooth::along(problem, plan, velocity)?))))
    }

    /// Gives samples that are not differentiable the derivative of a branch that they may take:
    /// that of a point beside them, forward or else backward along the oblique direction, if its
    /// outcome is near. [`Jacobians::differentiable`] tells them apart.
    pub fn of_branches(self) -> Self {
        Differentiator(match self.0 {
            Of::Problem(smooth) => Of::Problem(Box::new(smooth.of_branches())),
            Of::Poses(posed) => Of::Poses(Box::new(posed.of_branches())),
        })
    }

    /// The derivatives of samples `first .. first + count`, on all cores; `tell` is called
    /// after each of them, on any thread.
    ///
    /// # Errors
    /// An interrupted run.
    pub fn jacobians(&self, first: u64, count: usize, tell: impl Fn() + Sync) -> Result<Jacobians> {
        match &self.0 {
            Of::Problem(smooth) => smooth.jacobians(first, count, tell),
            Of::Poses(posed) => posed.jacobians(first, count, tell),
        }
    }

    /// The one-sided derivatives of samples `first .. first + count`, of a differentiator of
    /// [`Differentiator::along`]: one column, NaN where the outcome jumps.
    /// [`Jacobians::differentiable`] says where two finite differences confirm the slope that
    /// arithmetic finds; elsewhere, at a kink, the derivative is that of the differences.
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
