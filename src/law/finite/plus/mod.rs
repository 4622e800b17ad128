//! PLUS: rounds of compression and expansion at all contacts at once, in intervals of sliding and
//! rolling. \[USD15\]
//!
//! `rounds` draws uncertain numbers; `impact` runs the rounds; `active_set` finds the acting and
//! the rolling contacts, starting from the published set in `interval`, which also determines the
//! length of an interval; `equations` solves for the impulse, `slip` for impending slip; `judge`
//! computes the residual.

mod active_set;
mod course;
mod describe;
mod equations;
mod impact;
mod interval;
mod judge;
mod options;
pub mod rounds;
mod slip;
mod start;
mod sweeps;

pub use course::{
    ContactPhase, PlusCourse, PlusEnd, Round, RoundInterval, TangentMode, Transition,
};
pub use impact::{GROWN, MAX_ASTRAY, MAX_INTERVALS, MAX_ROUNDS};
pub use options::{Phases, Plus};

use equations::{Acting, Friction};
use interval::Found;
use judge::Conditions;
use start::{IntervalLimits, IntervalStart};

use equations::IntervalEquations;

use carom_core::{ContactProblem, Limits, Outcome, OutcomeSet, Result, Status};

impl Plus {
    /// The outcome, with its course.
    ///
    /// # Errors
    /// Options outside their ranges: a usage error.
    pub fn resolve(&self, problem: &ContactProblem) -> Result<OutcomeSet<PlusCourse>> {
        self.resolve_within(problem, &Limits::default())
    }

    /// The outcome, with its course; if the work is spent before the impact ends, its state at that
    /// time.
    pub fn resolve_within(
        &self,
        problem: &ContactProblem,
        limits: &Limits,
    ) -> Result<OutcomeSet<PlusCourse>> {
        let least = self.checked(problem)?;
        let (equations, start) =
            (IntervalEquations::new(problem, limits), problem.contact_velocity().clone());
        let (course, u) = impact::impact(self, &equations, start, &least);
        let mut impulse = vec![0.0; u.len()];
        for round in &course.rounds {
            impulse.iter_mut().zip(&round.impulse).for_each(|(sum, l)| *sum += l);
        }
        let end = course.end;
        let mut outcome = Outcome::new(problem, impulse, course);
        let size = problem.contact_velocity().amax();
        let drift = outcome.drift(problem, 1.0, |i| u[i]);
        outcome.residual =
            judge::residual(problem, &equations, &outcome.details, &outcome.velocity);
        outcome.residual = outcome.residual.max(if size > 0.0 { drift / size } else { 0.0 });
        let mut warnings = Vec::new();
        let astray = outcome.details.astray;
        if outcome.status == Status::Terminated && (end != PlusEnd::Over || astray > 0) {
            (outcome.status, warnings) = match end {
                PlusEnd::Budget => (Status::Budget, Vec::new()),
                PlusEnd::Stuck => (Status::Unsolved, vec![stuck(problem, u.as_slice())]),
                PlusEnd::Over => (Status::Unsolved, Vec::new()),
                PlusEnd::Limit => (Status::StepLimit, vec![self.limit()]),
            };
        }
        let before = problem.kinetic_energy(problem.velocity().as_slice());
        if outcome.status == Status::Terminated && outcome.kinetic_energy > before * (1.0 + 1e-9) {
            let factor = outcome.kinetic_energy / before;
            warnings.push(format!(
                "Poisson's coefficient with friction adds energy: there is {factor:.4} times what there was"
            ));
        }
        if astray > 0 {
            let (count, off) = (astray, outcome.details.violation);
            warnings.push(format!(
                "in {count} intervals no active set meets all conditions: off by {off:.1e} of the speed"
            ));
        }
        Ok(OutcomeSet::new(Self::NAME, problem, vec![outcome], true, (), warnings))
    }

    /// The message if contacts approach at the end.
    fn limit(&self) -> String {
        match self.phases {
            Phases::Once => {
                "contacts approach after the one compression and expansion of `phases`".to_string()
            }
            Phases::Rounds => format!(
                "the impact does not end in {MAX_ROUNDS} rounds, {MAX_INTERVALS} intervals, or {MAX_ASTRAY} that miss \
                 their conditions, or changes a velocity by {GROWN:e} times the largest one"
            ),
        }
    }
}

/// The message for contacts that approach with velocity `u` but receive no impulse.
fn stuck(problem: &ContactProblem, u: &[f64]) -> String {
    let names =
        problem.contacts().iter().zip(u).filter(|(_, u)| **u < 0.0).map(|(name, _)| name.as_str());
    let names = names.collect::<Vec<_>>().join(", ");
    format!(
        "{names}: no impulse of sliding, rolling or jamming contacts was found that ends their approach"
    )
}
