//! Derivatives of samples with uncertain poses: each sample has its own problem.

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::smooth::{Derived, Smooth};
use super::wrt::{Jacobians, Wrt};
use carom_core::error::{Error, Result};
use carom_core::problem::{ContactProblem, Poses};
use carom_core::rng::Stream;
use carom_engine::run::Plan;

/// Differentiates samples at fixed individual poses. With a second impact, `dv+/dx = dv+/dv1 dv1/dx
/// + dv+/dx`, with `v1` the velocity between the impacts.
#[derive(Debug)]
pub(super) struct PosedDifferentiator<'a> {
    problem: &'a ContactProblem,
    poses: Poses,
    plan: &'a Plan,
    wrt: Wrt,
    held: bool,
    /// Whether a kink gets the derivative of a branch.
    branches: bool,
}

impl<'a> PosedDifferentiator<'a> {
    /// Prepares derivatives of samples of a problem with an uncertain pose.
    pub fn new(problem: &'a ContactProblem, plan: &'a Plan, wrt: Wrt, held: bool) -> Result<Self> {
        Smooth::new(&problem.unposed(), plan, wrt, held)?;
        let poses = Poses::new(problem);
        Ok(PosedDifferentiator { problem, poses, plan, wrt, held, branches: false })
    }

    pub fn of_branches(self) -> Self {
        PosedDifferentiator { branches: true, ..self }
    }

    pub fn jacobians(&self, first: u64, count: usize, tell: impl Fn() + Sync) -> Result<Jacobians> {
        let (n, columns) = (self.problem.coordinate_count(), self.wrt.columns(self.problem));
        let one = |i: u64| {
            let found = self.one(i)?;
            tell();
            if self.plan.stopped() { Err(Error::interrupted()) } else { Ok(found) }
        };
        let all: Vec<_> =
            (first..first + count as u64).into_par_iter().map(one).collect::<Result<_>>()?;
        let own = |found: &Option<(_, bool)>| matches!(found, Some((_, true)));
        let differentiable = all.iter().map(own).collect();
        let row_by_row = |found: Option<(DMatrix<f64>, _)>| match found {
            Some((found, _)) => found.transpose().as_slice().to_vec(),
            None => vec![f64::NAN; n * columns],
        };
        let values = all.into_iter().flat_map(row_by_row).collect();
        Ok(Jacobians { first, columns, values, differentiable })
    }

    /// Derivative (n,p) of sample `i` or of a branch, if any, and whether it is the sample's own.
    fn one(&self, i: u64) -> Result<Option<(DMatrix<f64>, bool)>> {
        let posed = self.poses.draw(self.plan.seed, i)?;
        let Some(first) = self.of_impact(&posed.first, self.wrt, i)? else { return Ok(None) };
        let slope = self.whole(first.slope, &posed.order[..posed.first.contact_count()]);
        let Some(late) = posed.late::<f64>(&first.velocity)? else {
            return Ok(Some((slope, first.differentiable)));
        };
        let of = |wrt| self.of_impact(&late, wrt, Stream::second(i));
        let Some(second) = of(Wrt::Velocity)? else { return Ok(None) };
        let chained = second.slope * slope;
        let differentiable = first.differentiable && second.differentiable;
        Ok(match self.wrt {
            Wrt::Velocity => Some((chained, differentiable)),
            wrt => of(wrt)?.map(|own| {
                let slope = chained + self.whole(own.slope, &posed.order);
                (slope, differentiable && own.differentiable)
            }),
        })
    }

    /// Derivative of one impact of a sample.
    fn of_impact(&self, problem: &ContactProblem, wrt: Wrt, i: u64) -> Result<Option<Derived>> {
        let smooth = Smooth::new(problem, self.plan, wrt, self.held)?;
        let smooth = if self.branches { smooth.of_branches() } else { smooth };
        Ok(smooth.of_sample(i))
    }

    /// Scatters per-contact columns from `order` into all m contacts; other derivatives pass
    /// unchanged.
    fn whole(&self, own: DMatrix<f64>, order: &[usize]) -> DMatrix<f64> {
        if matches!(self.wrt, Wrt::Velocity | Wrt::Step) {
            return own;
        }
        let mut all = DMatrix::zeros(own.nrows(), self.problem.contact_count());
        for (column, &i) in own.column_iter().zip(order) {
            all.set_column(i, &column);
        }
        all
    }
}
