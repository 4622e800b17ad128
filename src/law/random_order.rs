//! Single impacts in random order: the sampled form of the sequential and of the propagative law.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::contact_space::{ContactSpace, require_planar};
use super::ending::Ending;
use super::propagative::reflections::reflect;
use super::propagative::{Propagative, Rebound};
use super::restitution::require_inelastic;
use super::sequential::{Sequential, impact};
use crate::error::{Error, Result};
use crate::lcp::StepProblem;
use crate::problem::ContactProblem;
use crate::real::Real;
use crate::rng::{Purpose, Stream, stream};
use crate::status::Status;

/// What happens at the contact that is struck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strike {
    /// An inelastic impact with friction, see [`single_impact`](super::sequential::single_impact).
    Impact,
    /// A reflection of the momentum, see [`reflect`]; friction is ignored.
    Reflection,
}

/// Random orders of single impacts: while contacts approach, one of them, drawn uniformly, is struck.
///
/// Every admissible order has a positive probability. A sample is over when no contact approaches faster than
/// [`ContactProblem::rest_velocity`], as with the Routh law; its steps are its single impacts.
/// Source: \[SM14\] (14) for reflections, \[HP23\] Sec. 2.2.2 for impacts. Deviation: the order is drawn, instead of
/// enumerated or fixed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Orders {
    /// Most single impacts of a sample; `None`: 1000. The problem's own step limit does not apply: it counts steps of
    /// all contacts.
    pub max_steps: Option<u32>,
}

impl Orders {
    /// The limit on single impacts that a run uses.
    pub fn limit(&self) -> u32 {
        self.max_steps.unwrap_or(1000)
    }
}

/// Single impacts in random order on a problem.
#[derive(Clone, Debug)]
pub struct RandomOrder<R> {
    /// The problem's contact space; without friction for reflections.
    pub space: ContactSpace<R>,
    /// What happens at the contact that is struck.
    pub strike: Strike,
    /// How the impulse is changed at the end of a sample.
    pub rebound: Rebound,
}

/// The memory in which a sample is computed; at the end it holds the sample's impulse.
#[derive(Clone, Debug)]
pub struct Workspace<R> {
    /// Dimensionless total impulse (2m) of the last sample.
    pub total: Vec<R>,
    /// Once true, a sample in progress ends as [`Status::StepLimit`] within a few impacts.
    pub stop: Option<Arc<AtomicBool>>,
    /// Contact velocity (2m).
    u: Vec<R>,
}

impl<R: Real> RandomOrder<R> {
    /// Checks that the law applies to a problem and prepares all that is the same for every sample.
    ///
    /// # Errors
    /// A limit of 0, uncertain numbers. For impacts: a spatial problem, a coefficient of restitution above 0; for
    /// reflections: coefficients that differ from contact to contact.
    pub fn new(law: &Orders, strike: Strike, problem: &ContactProblem) -> Result<Self> {
        if !problem.uncertainty().is_none() {
            return Err(Error::input("single impacts in random order take a problem's numbers as they are")
                .at("uncertainty")
                .hint("leave it out, or take the law routh"));
        }
        let m = problem.contact_count();
        let (step, scaling, _) = match strike {
            Strike::Impact => {
                require_planar(problem, Sequential::NAME)?;
                require_inelastic(problem, Sequential::NAME)?;
                StepProblem::scaled(problem.delassus(), problem.friction(), problem.contact_velocity())
            }
            Strike::Reflection => {
                let normals = problem.delassus().view((0, 0), (m, m)).into_owned();
                StepProblem::scaled(&normals, &vec![0.0; m], problem.contact_velocity())
            }
        };
        let space = ContactSpace::new(&step, scaling, law.limit())?;
        let mut process = RandomOrder { space, strike, rebound: Rebound::NONE };
        process.approach(problem)?;
        Ok(process)
    }

    /// Sets the velocity before the impact to that of `problem`, whose mass matrix, Jacobians and friction must be
    /// those of the problem that this was prepared for.
    ///
    /// # Errors
    /// Coefficients of restitution that reflections do not support.
    pub fn approach(&mut self, problem: &ContactProblem) -> Result<()> {
        let m = problem.contact_count();
        self.space.approach(problem, if self.strike == Strike::Impact { 2 * m } else { m });
        if self.strike == Strike::Reflection {
            self.rebound = Propagative::default().rebound(problem)?;
        }
        Ok(())
    }

    /// A workspace for [`RandomOrder::sample`].
    pub fn workspace(&self) -> Workspace<R> {
        let width = self.space.step.width();
        Workspace { total: vec![R::ZERO; width], stop: None, u: vec![R::ZERO; width] }
    }

    /// Computes one sample; its total impulse is then in `work.total`. Does not allocate.
    /// Twin: `shaders/law/orders.wgsl::order_step`.
    pub fn sample(&self, stream: &Stream, work: &mut Workspace<R>) -> Ending<R> {
        self.sample_observed(stream, work, |_, _| {})
    }

    /// Like [`RandomOrder::sample`], and calls `observe` with the contact of every impact and the total impulse (K) after it.
    pub fn sample_observed(
        &self,
        stream: &Stream,
        work: &mut Workspace<R>,
        mut observe: impl FnMut(usize, &[R]),
    ) -> Ending<R> {
        let ContactSpace { step: problem, start, rest, max_steps, .. } = &self.space;
        let m = problem.contacts;
        let Workspace { total, u, stop } = work;
        total.fill(R::ZERO);
        u.copy_from_slice(start);
        let mut residual = R::ZERO;
        let mut steps = 0;
        let status = loop {
            let approaches = |i: &usize| u[*i] < rest[*i];
            let count = (0..m).filter(approaches).count();
            if count == 0 {
                break if u.iter().all(|u| u.is_finite()) { Status::Terminated } else { Status::NotFinite };
            }
            if steps == *max_steps
                || steps % 64 == 63 && stop.as_ref().is_some_and(|s| s.load(Ordering::Relaxed))
            {
                break Status::StepLimit;
            }
            let word = stream.block(steps, Purpose::Order, 0)[0];
            let rank = stream::index(word, count as u32) as usize;
            let i = (0..m).filter(approaches).nth(rank).unwrap_or(0);
            match self.strike {
                Strike::Impact => residual = Real::max(residual, self.impact(i, u, total)),
                Strike::Reflection => reflect(problem, i, u, total),
            }
            steps += 1;
            observe(i, total);
            if !total.iter().all(|l| l.is_finite()) {
                break Status::NotFinite;
            }
        };
        Ending { status, steps, residual }
    }

    /// Applies an impact at contact `i` and returns its residual.
    fn impact(&self, i: usize, u: &mut [R], total: &mut [R]) -> R {
        let step = &self.space.step;
        let (k, t) = (u.len(), u.len() / 2 + i);
        let before = u[i];
        let [ln, lt] = impact(step, i, u, total);
        let after = before + step.w[i * k + i] * ln + step.w[i * k + t] * lt;
        step.contact_residual(i, R::HUGE, (ln, &[lt]), (after, &[u[t]]))
    }
}

impl RandomOrder<f64> {
    /// The same in another precision.
    ///
    /// # Errors
    /// Those of [`RandomOrder::approach`].
    pub fn cast<R: Real>(&self, problem: &ContactProblem) -> Result<RandomOrder<R>> {
        let mut process =
            RandomOrder { space: self.space.cast(), strike: self.strike, rebound: self.rebound.clone() };
        process.approach(problem)?;
        Ok(process)
    }
}

/// The velocities after random sequences of reflections, as far as these end: samples `0 .. count` of seed 0.
pub(super) fn sampled_velocities(
    problem: &ContactProblem,
    rebound: Rebound,
    count: u64,
) -> Result<Vec<Vec<f64>>> {
    let process = RandomOrder::<f64>::new(&Orders::default(), Strike::Reflection, problem)?;
    let mut work = process.workspace();
    let mut velocities = Vec::new();
    for i in 0..count {
        if process.sample(&Stream::new(0, i), &mut work).status != Status::Terminated {
            continue;
        }
        let mut velocity = problem.velocity().clone();
        for (j, column) in problem.response().column_iter().enumerate() {
            let elastic = process.space.scaling.impulse_along(&work.total, j);
            let plastic = rebound.plastic.get(j).copied().unwrap_or(0.0);
            velocity.axpy(rebound.restitution * elastic + plastic, &column, 1.0);
        }
        velocities.push(velocity.as_slice().to_vec());
    }
    Ok(velocities)
}
