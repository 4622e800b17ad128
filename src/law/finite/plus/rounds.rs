//! The law as a sampled process: outcomes of uncertain numbers and of noise of the velocity.

use std::sync::Arc;

use nalgebra::{DMatrix, DVector};

use super::impact::impact;
use super::{IntervalEquations, MAX_ROUNDS, Plus, PlusEnd, judge};
use crate::sampling::plain::{Plain, PlainKind, PlainLaw, PlainSample};
use crate::{Hypothesis, Process, ProcessKind, SampledLaw};
use carom_core::{ContactProblem, Error, Limits, Numbers, Real, Result, Scaling, Status, Stream};

/// Rounds of compression and expansion.
pub const ROUNDS: PlainKind = PlainKind {
    name: "rounds",
    words: "rounds of compression and expansion, one outcome a draw",
    on_the_cpu: "the law plus runs on the CPU",
    alternative: "--law routh has the set of all orders of impulses instead",
};

/// PLUS on a problem: each sample draws friction, least restitution and velocity noise, and has one
/// outcome. The steps of a sample are its rounds.
#[derive(Clone, Debug)]
struct Rounds {
    law: Plus,
    /// The Delassus matrix, 1/kg.
    delassus: DMatrix<f64>,
    /// Number of tangents per contact.
    axes: usize,
    /// Friction, least restitution and noise in m/s.
    numbers: Numbers<f64>,
    /// Contact velocity before the impact, m/s, without noise.
    velocity: DVector<f64>,
}

/// The scales of a problem with `rows` contact velocities in SI units.
fn si(rows: usize) -> Scaling {
    Scaling { velocity: 1.0, inverse_mass: 1.0, impulse: 1.0, sigma: vec![1.0; rows], facets: None }
}

/// Checks that the law applies to a problem, and prepares the data common to all samples.
pub fn rounds<R: Real>(law: &Plus, problem: &ContactProblem) -> Result<Plain<R>> {
    let least = law.checked(problem)?;
    let uncertainty = problem.uncertainty();
    if !uncertainty.inertia.is_empty() {
        return Err(Error::input("samples of the law plus take the mass matrix as it is")
            .at("uncertainty.inertia")
            .hint("leave it out, or take the law routh"));
    }
    if law.restitution.is_some() && !uncertainty.restitution.is_empty() {
        let what = "restitution is an option of the law or uncertain, not both";
        return Err(Error::usage(what).at("restitution"));
    }
    let velocity = problem.contact_velocity().clone();
    let mut numbers = Numbers::new(problem, &si(velocity.len()));
    if uncertainty.restitution.is_empty() {
        numbers.e = least.iter().map(|&e| [e, 0.0]).collect();
    }
    let (delassus, axes) = (problem.delassus().clone(), problem.tangents_per_contact());
    let rounds = Rounds { law: *law, delassus, axes, numbers, velocity };
    Plain::new(rounds, MAX_ROUNDS as u32, problem)
}

impl PlainLaw for Rounds {
    fn kind(&self) -> &'static PlainKind {
        &ROUNDS
    }

    fn approaching(&self, problem: &ContactProblem) -> Arc<dyn PlainLaw> {
        let mut rounds = self.clone();
        rounds.velocity.copy_from(problem.contact_velocity());
        rounds.numbers.disturb(problem, &si(self.velocity.len()));
        Arc::new(rounds)
    }

    fn sample(
        &self,
        stream: &Stream,
        limits: &Limits,
        note: &mut dyn FnMut(&[f64]),
    ) -> PlainSample {
        let m = self.numbers.mu.len();
        let (mut mu, mut e) = (vec![0.0; m], vec![0.0; m]);
        let mut before = self.velocity.clone();
        let drawn = [&mut mu[..], &mut e];
        self.numbers.draw(self.velocity.as_slice(), stream, drawn, before.as_mut_slice());
        let (delassus, axes) = (&self.delassus, self.axes);
        let equations = IntervalEquations { delassus, friction: &mu, axes, limits };
        let (course, after) = impact(&self.law, &equations, before.clone(), &e);
        let mut total = DVector::zeros(before.len());
        for round in &course.rounds {
            total += DVector::from_column_slice(&round.impulse);
            note(&round.impulse);
        }
        let impulse = total.as_slice().to_vec();
        let size = before.amax();
        let drift = (&before + &self.delassus * total - &after).amax()
            / if size > 0.0 { size } else { 1.0 };
        PlainSample {
            impulse,
            status: match course.end {
                PlusEnd::Over => Status::Terminated,
                PlusEnd::Limit => Status::StepLimit,
                PlusEnd::Budget => Status::Budget,
                PlusEnd::Stuck => Status::Unsolved,
            },
            steps: course.rounds.len() as u32,
            residual: judge::of_rounds(&equations, &course).max(drift),
        }
    }
}

impl SampledLaw for Plus {
    fn prepare<R: Real>(&self, problem: &ContactProblem) -> Result<Process<R>> {
        Ok(Process::Plain(rounds(self, problem)?))
    }

    fn process_on(&self, _problem: &ContactProblem) -> ProcessKind {
        ProcessKind::Plain(&ROUNDS)
    }

    fn max_steps_on(&self, _problem: &ContactProblem) -> u32 {
        MAX_ROUNDS as u32
    }

    fn hypothesis_on(&self, _problem: &ContactProblem) -> Option<Hypothesis> {
        Some(Hypothesis::Poisson)
    }
}
