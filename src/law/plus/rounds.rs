//! The law as a sampled process: outcomes of uncertain numbers and of noise of the velocity.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use nalgebra::{DMatrix, DVector};

use super::course::{PlusCourse, PlusEnd};
use super::equations::IntervalEquations;
use super::impact::{MAX_ROUNDS, impact};
use super::judge;
use super::options::Plus;
use crate::error::{Error, Result};
use crate::law::contact_space::ContactSpace;
use crate::law::draws::numbers::Numbers;
use crate::law::effort::Effort;
use crate::law::ending::Ending;
use crate::lcp::{Facets, Scaling, StepProblem};
use crate::problem::ContactProblem;
use crate::real::Real;
use crate::rng::Stream;
use crate::status::Status;

/// PLUS on a problem: each sample draws friction, least restitution and noise of the velocity, and
/// has one outcome. Steps of a sample are its rounds. Computed in `f64`; `R` is the precision in
/// which impulses are handed on.
#[derive(Clone, Debug)]
pub struct Rounds<R> {
    /// The problem's contact space; spatial contacts have the two tangents as axes.
    pub space: ContactSpace<R>,
    law: Plus,
    /// The Delassus matrix, 1/kg.
    delassus: DMatrix<f64>,
    /// Number of tangents of a contact.
    axes: usize,
    /// Friction, least restitution and noise in m/s.
    numbers: Numbers<f64>,
    /// Contact velocity before the impact, m/s, without noise.
    velocity: DVector<f64>,
}

/// The memory in which a sample is computed; at the end it holds the sample's impulse.
#[derive(Clone, Debug)]
pub struct RoundsWorkspace<R> {
    /// Dimensionless total impulse (K) of the last sample.
    pub total: Vec<R>,
    /// Once true, no further sample is begun, and each ends as [`Status::StepLimit`].
    pub stop: Option<Arc<AtomicBool>>,
    mu: Vec<f64>,
    e: Vec<f64>,
}

/// The scales of a problem with `rows` contact velocities in SI units.
fn si(rows: usize) -> Scaling {
    Scaling { velocity: 1.0, inverse_mass: 1.0, impulse: 1.0, sigma: vec![1.0; rows], facets: None }
}

impl<R: Real> Rounds<R> {
    /// Checks that the law applies to a problem and prepares all that is the same for every sample.
    ///
    /// # Errors
    /// Options outside their ranges, uncertain inertia, restitution that is both an option of the
    /// law and uncertain.
    pub fn new(law: &Plus, problem: &ContactProblem) -> Result<Self> {
        let least = law.checked(problem)?;
        let uncertainty = problem.uncertainty();
        if !uncertainty.inertia.is_empty() {
            return Err(Error::input("samples of the law plus take the mass matrix as it is")
                .at("uncertainty.inertia")
                .hint("leave it out, or take the law routh"));
        }
        if law.restitution.is_some() && !uncertainty.restitution.is_empty() {
            return Err(Error::usage("restitution is an option of the law or uncertain, not both")
                .at("restitution"));
        }
        let (w, mu, u) = (problem.delassus(), problem.friction(), problem.contact_velocity());
        let axes = problem.tangents_per_contact();
        let facets = if axes == 2 { Some(Facets::new(Facets::LEAST)?) } else { None };
        let (step, scaling) = StepProblem::of(w, mu, u, facets.as_ref());
        let mut numbers = Numbers::new(problem, &si(u.len()));
        if uncertainty.restitution.is_empty() {
            numbers.e = least.iter().map(|&e| [e, 0.0]).collect();
        }
        let mut process = Rounds {
            space: ContactSpace::new(&step, scaling, MAX_ROUNDS as u32)?,
            law: *law,
            delassus: w.clone(),
            axes,
            numbers,
            velocity: u.clone(),
        };
        process.approach(problem);
        Ok(process)
    }

    /// Sets the velocity before the impact to that of `problem`, whose mass matrix, Jacobians,
    /// friction and restitution must be those of the problem that this process was prepared for.
    pub fn approach(&mut self, problem: &ContactProblem) {
        self.space.approach(problem, usize::MAX);
        self.velocity.copy_from(problem.contact_velocity());
        self.numbers.disturb(problem, &si(self.velocity.len()));
    }

    /// A workspace for [`Rounds::sample`].
    pub fn workspace(&self) -> RoundsWorkspace<R> {
        let m = self.numbers.mu.len();
        RoundsWorkspace {
            total: vec![R::ZERO; self.space.step.width()],
            stop: None,
            mu: vec![0.0; m],
            e: vec![0.0; m],
        }
    }

    /// Computes one sample and leaves its total impulse in `work.total`. Allocates.
    pub fn sample(&self, stream: &Stream, work: &mut RoundsWorkspace<R>) -> Ending<R> {
        self.sample_observed(stream, work, |_| {})
    }

    /// Like [`Rounds::sample`], and calls `observe` with the dimensionless impulse (K) of each
    /// round.
    pub fn sample_observed(
        &self,
        stream: &Stream,
        work: &mut RoundsWorkspace<R>,
        mut observe: impl FnMut(&[R]),
    ) -> Ending<R> {
        work.total.fill(R::ZERO);
        if work.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Ending { status: Status::StepLimit, steps: 0, residual: R::ZERO };
        }
        let mut before = self.velocity.clone();
        self.numbers.draw(
            self.velocity.as_slice(),
            stream,
            [&mut work.mu, &mut work.e],
            before.as_mut_slice(),
        );
        let effort = work.stop.clone().map_or_else(Effort::default, Effort::until);
        let (delassus, axes) = (&self.delassus, self.axes);
        let equations = IntervalEquations { delassus, friction: &work.mu, axes, effort: &effort };
        let (course, after) = impact(&self.law, &equations, before.clone(), &work.e);
        let mut total = DVector::zeros(before.len());
        for round in &course.rounds {
            total += DVector::from_column_slice(&round.impulse);
            observe(&self.scaled(&round.impulse));
        }
        let scaled = self.scaled(total.as_slice());
        work.total.copy_from_slice(&scaled);
        let size = before.amax();
        let drift = (&before + &self.delassus * total - &after).amax()
            / if size > 0.0 { size } else { 1.0 };
        let residual = judge::of_rounds(&equations, &course).max(drift);
        let finite = scaled.iter().all(|l| l.is_finite());
        Ending {
            status: status(&course, finite),
            steps: course.rounds.len() as u32,
            residual: R::from_f64(residual),
        }
    }

    /// An impulse in N s ((1+d) m) in dimensionless form (K).
    fn scaled(&self, impulse: &[f64]) -> Vec<R> {
        let scaling = &self.space.scaling;
        let mut scaled = vec![R::ZERO; self.space.step.width()];
        for ((scaled, l), sigma) in scaled.iter_mut().zip(impulse).zip(&scaling.sigma) {
            *scaled = R::from_f64(l * sigma / scaling.impulse);
        }
        scaled
    }
}

impl Rounds<f64> {
    /// The process with impulses in another precision.
    pub fn cast<R: Real>(&self, problem: &ContactProblem) -> Rounds<R> {
        let mut process = Rounds {
            space: self.space.cast(),
            law: self.law,
            delassus: self.delassus.clone(),
            axes: self.axes,
            numbers: self.numbers.clone(),
            velocity: self.velocity.clone(),
        };
        process.approach(problem);
        process
    }
}

/// The status of a sample with this course.
fn status(course: &PlusCourse, finite: bool) -> Status {
    match course.end {
        _ if !finite => Status::NotFinite,
        PlusEnd::Over => Status::Terminated,
        PlusEnd::Limit => Status::StepLimit,
        PlusEnd::Effort => Status::Budget,
        PlusEnd::Stuck => Status::Unsolved,
    }
}
