//! Single impacts in random order: the sampled form of the sequential and the propagative law.

use std::sync::atomic::Ordering;

use super::propagative::Propagative;
use super::rates::Sampler;
use super::reflections::reflect;
use super::routh::{Bound, Ending, Solution, Workspace};
use super::sequential::{Sequential, impact};
use super::{require_inelastic, require_planar};
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
    /// A reflection of the momentum, see [`reflect`]; friction is left out.
    Reflection,
}

/// Randomised orderings: while contacts approach, one of them, uniformly drawn, is struck.
///
/// Every admissible ordering has a positive probability. A sample is over when nothing approaches by more than
/// [`ContactProblem::rest_velocity`], as with the Routh law; its steps are its single impacts.
/// Source: \[SM14\] (14) for reflections, \[HP23\] Sec. 2.2.2 for impacts. Deviation: the order is drawn, instead of
/// enumerated or fixed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Orders {
    /// Most single impacts of a sample; `None`: 1000. The problem's own step limit is about steps of all contacts.
    pub max_steps: Option<u32>,
}

/// What is made of the impulse `L` that a sampled process ends with: `restitution L + plastic`.
#[derive(Clone, Debug, PartialEq)]
pub struct Rebound {
    /// 1, but for reflections with a coefficient of restitution `R` below 1.
    pub restitution: f64,
    /// `1 - R` times the impulse of the plastic outcome, in N s: normals first. Empty: nothing.
    pub plastic: Vec<f64>,
    /// The kinetic energy after the impact, in J, where all orderings have the same.
    pub energy: Option<f64>,
}

impl Rebound {
    /// The impulse as it is.
    pub const NONE: Rebound = Rebound { restitution: 1.0, plastic: Vec::new(), energy: None };
}

impl Orders {
    /// The limit on single impacts that a run uses.
    pub fn limit(&self) -> u32 {
        self.max_steps.unwrap_or(1000)
    }

    /// Validates the law against a problem and prepares all that is the same for every sample.
    ///
    /// # Errors
    /// A limit of 0. For impacts: a spatial problem, a coefficient of restitution above 0; for reflections:
    /// coefficients that differ from contact to contact.
    pub(super) fn bind<R: Real>(&self, strike: Strike, problem: &ContactProblem) -> Result<Bound<R>> {
        let max_steps = self.limit();
        if max_steps == 0 {
            return Err(Error::usage("a step limit is at least 1, found 0").at("max_steps"));
        }
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
        let mut bound = Bound {
            step: step.cast(),
            start: vec![R::ZERO; 2 * m],
            caps: vec![R::ZERO; m],
            rest: vec![R::ZERO; m],
            scaling,
            table: None,
            solution: Solution::Random,
            sampler: Sampler::Uniform,
            persist: 1,
            max_steps,
            strike: Some(strike),
            inclusion: None,
            bounce: None,
            rebound: Rebound::NONE,
        };
        self.approach(problem, &mut bound)?;
        Ok(bound)
    }

    /// Takes over the velocity of `problem`, which has the mass, Jacobians and friction that `bound` was made for.
    pub(super) fn approach<R: Real>(&self, problem: &ContactProblem, bound: &mut Bound<R>) -> Result<()> {
        let m = problem.contact_count();
        let u = problem.contact_velocity();
        bound.scaling.rescale(u);
        let rows = if bound.strike == Some(Strike::Impact) { u.len() } else { m };
        let rest = problem.rest_velocity::<R>() / bound.scaling.velocity;
        for i in 0..rows {
            bound.start[i] = R::from_f64(u[i] / bound.scaling.velocity / bound.scaling.sigma[i]);
        }
        for i in 0..m {
            bound.rest[i] = R::from_f64(-rest / bound.scaling.sigma[i]);
        }
        if bound.strike == Some(Strike::Reflection) {
            bound.rebound = Propagative::default().rebound(problem)?;
        }
        Ok(())
    }
}

/// The velocities after sampled orders of reflections, those that end: samples `0 .. count` of seed 0.
pub(super) fn sampled_velocities(
    problem: &ContactProblem,
    rebound: Rebound,
    count: u64,
) -> Result<Vec<Vec<f64>>> {
    let bound = Orders::default().bind::<f64>(Strike::Reflection, problem)?;
    let mut work = bound.workspace();
    let mut velocities = Vec::new();
    for i in 0..count {
        if bound.sample(&Stream::new(0, i), &mut work).status != Status::Terminated {
            continue;
        }
        let mut velocity = problem.velocity().clone();
        for (j, column) in problem.response().column_iter().enumerate() {
            let elastic = bound.scaling.impulse_along(&work.total, j);
            let plastic = rebound.plastic.get(j).copied().unwrap_or(0.0);
            velocity.axpy(rebound.restitution * elastic + plastic, &column, 1.0);
        }
        velocities.push(velocity.as_slice().to_vec());
    }
    Ok(velocities)
}

impl<R: Real> Bound<R> {
    /// [`Bound::sample`] by single impacts. Twin: `shaders/law/orders.wgsl`.
    pub(super) fn sample_order(&self, strike: Strike, stream: &Stream, work: &mut Workspace<R>) -> Ending<R> {
        let m = self.step.contacts;
        let Workspace { total, x, stop, .. } = work;
        let u = &mut x[..2 * m];
        total.fill(R::ZERO);
        u.copy_from_slice(&self.start);
        let mut residual = R::ZERO;
        let mut steps = 0;
        let status = loop {
            let approaches = |i: &usize| u[*i] < self.rest[*i];
            let count = (0..m).filter(approaches).count();
            if count == 0 {
                break if u.iter().all(|u| u.is_finite()) { Status::Terminated } else { Status::NotFinite };
            }
            if steps == self.max_steps
                || steps % 64 == 63 && stop.as_ref().is_some_and(|s| s.load(Ordering::Relaxed))
            {
                break Status::StepLimit;
            }
            let word = stream.block(steps, Purpose::Order, 0)[0];
            let rank = stream::index(word, count as u32) as usize;
            let i = (0..m).filter(approaches).nth(rank).unwrap_or(0);
            match strike {
                Strike::Impact => residual = Real::max(residual, self.impact(i, u, total)),
                Strike::Reflection => reflect(&self.step, i, u, total),
            }
            steps += 1;
            if !total.iter().all(|l| l.is_finite()) {
                break Status::NotFinite;
            }
        };
        Ending { status, steps, residual }
    }

    /// An impact at contact `i`; its residual.
    fn impact(&self, i: usize, u: &mut [R], total: &mut [R]) -> R {
        let (k, t) = (u.len(), u.len() / 2 + i);
        let before = u[i];
        let [ln, lt] = impact(&self.step, i, u, total);
        let after = before + self.step.w[i * k + i] * ln + self.step.w[i * k + t] * lt;
        self.step.contact_residual(i, R::HUGE, (ln, &[lt]), (after, &[u[t]]))
    }
}
