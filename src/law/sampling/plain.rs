//! Processes that compute samples one by one, in f64 on the CPU; each law supplies only the sample.

use std::fmt::Debug;
use std::sync::Arc;

use super::ending::Ending;
use carom_core::{
    ContactProblem, ContactSpace, Facets, Limits, Real, Result, Status, StepProblem, Stop, Stream,
    stopped,
};

/// Texts that describe a process.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct PlainKind {
    /// The name that reports, JSON and files use.
    pub name: &'static str,
    /// Description of the computation.
    pub words: &'static str,
    /// Why it runs on the CPU only.
    pub on_the_cpu: &'static str,
    /// Advice on how to choose another process.
    pub alternative: &'static str,
}

/// One sample.
#[derive(Clone, Debug)]
pub struct PlainSample {
    /// The total impulse ((1+d) m) in N s, normals first.
    pub impulse: Vec<f64>,
    /// The status of the sample.
    pub status: Status,
    /// Number of steps, in the sense of the law.
    pub steps: u32,
    /// The residual, dimensionless.
    pub residual: f64,
}

/// A law prepared for a problem.
pub trait PlainLaw: Debug + Send + Sync {
    /// The texts that describe the process.
    fn kind(&self) -> &'static PlainKind;

    /// The law with the velocity before the impact of `problem`.
    fn approaching(&self, problem: &ContactProblem) -> Arc<dyn PlainLaw>;

    /// Computes one sample from the draws of `stream`. Calls `note` with the impulse ((1+d) m) in N
    /// s of each step.
    fn sample(&self, stream: &Stream, limits: &Limits, note: &mut dyn FnMut(&[f64]))
    -> PlainSample;
}

/// A law as a process; `R` is the precision of the impulses it returns.
#[derive(Clone, Debug)]
pub struct Plain<R> {
    /// The problem's contact space; spatial contacts have the two tangents as axes.
    pub space: ContactSpace<R>,
    /// The law.
    pub law: Arc<dyn PlainLaw>,
}

/// The memory of a sample; at the end it contains the sample's impulse.
#[derive(Clone, Debug)]
pub struct PlainWorkspace<R> {
    /// Dimensionless total impulse (K) of the last sample.
    pub total: Vec<R>,
    /// Once true, no further sample begins, and each ends as [`Status::StepLimit`].
    pub stop: Stop,
}

impl<R: Real> Plain<R> {
    /// The process of a law on a problem, with at most `max_steps` steps per sample.
    pub fn new(law: impl PlainLaw + 'static, max_steps: u32, of: &ContactProblem) -> Result<Self> {
        let axes = of.tangents_per_contact();
        // With four facets, the facet directions are the tangents and their opposites.
        let facets = if axes == 2 { Some(Facets::new(Facets::LEAST)?) } else { None };
        let (step, scaling) =
            StepProblem::of(of.delassus(), of.friction(), of.contact_velocity(), facets.as_ref());
        let space = ContactSpace::new(&step, scaling, max_steps)?;
        let mut process = Plain { space, law: Arc::new(law) };
        process.approach(of)?;
        Ok(process)
    }

    /// Sets the velocity before the impact from `problem`, which must have the mass matrix,
    /// Jacobians, friction and restitution of the prepared problem.
    pub fn approach(&mut self, problem: &ContactProblem) -> Result<()> {
        self.space.approach(problem, usize::MAX);
        self.law = self.law.approaching(problem);
        Ok(())
    }

    /// A workspace for [`Plain::sample`].
    pub fn workspace(&self) -> PlainWorkspace<R> {
        PlainWorkspace { total: vec![R::ZERO; self.space.step.width()], stop: None }
    }

    /// Computes one sample and writes its total impulse to `work.total`. Allocates.
    pub fn sample(&self, stream: &Stream, work: &mut PlainWorkspace<R>) -> Ending<R> {
        self.sample_observed(stream, work, |_| {})
    }

    /// As [`Plain::sample`]; calls `observe` with the dimensionless impulse (K) of each step.
    pub fn sample_observed(
        &self,
        stream: &Stream,
        work: &mut PlainWorkspace<R>,
        mut observe: impl FnMut(&[R]),
    ) -> Ending<R> {
        work.total.fill(R::ZERO);
        if stopped(&work.stop) {
            return Ending { status: Status::StepLimit, steps: 0, residual: R::ZERO };
        }
        let limits = Limits::until(work.stop.clone());
        let PlainSample { impulse, status, steps, residual } =
            self.law.sample(stream, &limits, &mut |impulse| observe(&self.scaled(impulse)));
        work.total.copy_from_slice(&self.scaled(&impulse));
        let finite = work.total.iter().all(|l| l.is_finite());
        let status = if finite { status } else { Status::NotFinite };
        Ending { status, steps, residual: R::from_f64(residual) }
    }

    /// Makes an impulse ((1+d) m) in N s dimensionless (K).
    fn scaled(&self, impulse: &[f64]) -> Vec<R> {
        let scaling = &self.space.scaling;
        let mut scaled = vec![R::ZERO; self.space.step.width()];
        for ((scaled, l), sigma) in scaled.iter_mut().zip(impulse).zip(&scaling.sigma) {
            *scaled = R::from_f64(l * sigma / scaling.impulse);
        }
        scaled
    }
}
