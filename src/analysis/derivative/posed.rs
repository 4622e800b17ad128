//! Derivatives of samples whose poses are uncertain: each is one of a problem of its own.

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::smooth::Smooth;
use super::wrt::{Jacobians, Wrt};
use crate::error::{Error, Result};
use crate::problem::{ContactProblem, Poses};
use crate::rng::Stream;
use crate::run::Plan;

/// Differentiates samples with poses of their own, which stay as they were drawn. Where a second
/// impact follows, `dv+/dx = dv+/dv1 dv1/dx + dv+/dx`, with `v1` the velocity between the impacts.
#[derive(Debug)]
pub(super) struct PosedDifferentiator<'a> {
    problem: &'a ContactProblem,
    poses: Poses,
    plan: &'a Plan,
    wrt: Wrt,
}

impl<'a> PosedDifferentiator<'a> {
    /// Prepares derivatives of samples of a problem with an uncertain pose.
    ///
    /// # Errors
    /// Those of a problem without one.
    pub fn new(problem: &'a ContactProblem, plan: &'a Plan, wrt: Wrt) -> Result<Self> {
        Smooth::new(&problem.unposed(), plan, wrt)?;
        Ok(PosedDifferentiator { problem, poses: Poses::new(problem), plan, wrt })
    }

    /// See [`Differentiator::jacobians`](super::Differentiator::jacobians).
    pub fn jacobians(
        &self,
        first: u64,
        count: usize,
        progress: impl Fn() + Sync,
    ) -> Result<Jacobians> {
        let (n, columns) = (self.problem.coordinate_count(), self.wrt.columns(self.problem));
        let one = |i: u64| {
            let found = self.one(i)?;
            progress();
            if self.plan.stopped() { Err(Error::interrupted()) } else { Ok(found) }
        };
        let all: Vec<_> =
            (first..first + count as u64).into_par_iter().map(one).collect::<Result<_>>()?;
        let differentiable = all.iter().map(Option::is_some).collect();
        let row_by_row = |found: Option<DMatrix<f64>>| match found {
            Some(found) => found.transpose().as_slice().to_vec(),
            None => vec![f64::NAN; n * columns],
        };
        let values = all.into_iter().flat_map(row_by_row).collect();
        Ok(Jacobians { first, columns, values, differentiable })
    }

    /// The derivative (n,p) of sample `i`, if it has one.
    fn one(&self, i: u64) -> Result<Option<DMatrix<f64>>> {
        let posed = self.poses.draw(self.plan.seed, i)?;
        let first = Smooth::new(&posed.first, self.plan, self.wrt)?.of_sample(i);
        let Some((velocity, own)) = first else { return Ok(None) };
        let slope = self.whole(own, &posed.order[..posed.first.contact_count()]);
        let Some(late) = posed.late::<f64>(&velocity)? else { return Ok(Some(slope)) };
        let of = |wrt| -> Result<_> {
            let found = Smooth::new(&late, self.plan, wrt)?.of_sample(Stream::second(i));
            Ok(found.map(|(_, own)| own))
        };
        let Some(of_velocity) = of(Wrt::Velocity)? else { return Ok(None) };
        let chained = of_velocity * slope;
        Ok(match self.wrt {
            Wrt::Velocity => Some(chained),
            wrt => of(wrt)?.map(|own| chained + self.whole(own, &posed.order)),
        })
    }

    /// A derivative with a column for each contact of the problem, from one with those of `order`;
    /// one by other numbers is complete.
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
