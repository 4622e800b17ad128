//! PLUS: rounds of compression and expansion at all contacts at once, in intervals of sliding and rolling. \[USD15\]
//!
//! `sampled` draws uncertain numbers; `impact` runs the rounds; `interval` finds which contacts act and roll, and how far an interval goes; `equations` and
//! `least_norm` solve for its impulse, `slip` where slip is impending; `judge` computes the residual.

mod course;
mod describe;
mod equations;
mod impact;
mod interval;
mod judge;
mod least_norm;
mod options;
pub mod sampled;
mod slip;

pub use course::{Course, End, Interval, Phase, Round, Tangent, Transition};
pub use impact::{MAX_INTERVALS, MAX_ROUNDS};
pub use options::Plus;

use equations::Equations;

use super::outcome::{Outcome, OutcomeSet};
use crate::error::Result;
use crate::problem::ContactProblem;
use crate::status::Status;

impl Plus {
    /// The outcome, with its course.
    ///
    /// # Errors
    /// Options outside their ranges: a usage error.
    pub fn resolve(&self, problem: &ContactProblem) -> Result<OutcomeSet<Course>> {
        let least = self.checked(problem)?;
        let start = problem.contact_velocity().clone();
        let (course, u) = impact::impact(self, &Equations::new(problem), start, &least);
        let mut impulse = vec![0.0; u.len()];
        for round in &course.rounds {
            impulse.iter_mut().zip(&round.impulse).for_each(|(sum, l)| *sum += l);
        }
        let end = course.end;
        let mut outcome = Outcome::new(problem, impulse, course);
        let size = problem.contact_velocity().amax();
        let drift = outcome.drift(problem, 1.0, |i| u[i]);
        outcome.residual = judge::residual(problem, &outcome.details, &outcome.velocity);
        outcome.residual = outcome.residual.max(if size > 0.0 { drift / size } else { 0.0 });
        outcome.impacts = usize::from(outcome.impulse.iter().any(|&l| l != 0.0));
        let mut warnings = Vec::new();
        if outcome.status == Status::Terminated && end != End::Over {
            (outcome.status, warnings) = match end {
                End::Stuck => (Status::Unsolved, vec![stuck(problem, u.as_slice())]),
                _ => (
                    Status::StepLimit,
                    vec![format!(
                        "the impact does not end in {MAX_ROUNDS} rounds and {MAX_INTERVALS} intervals"
                    )],
                ),
            };
        }
        let before = problem.kinetic_energy(problem.velocity().as_slice());
        if outcome.status == Status::Terminated && outcome.kinetic_energy > before * (1.0 + 1e-9) {
            let factor = outcome.kinetic_energy / before;
            warnings.push(format!(
                "Poisson's coefficient with friction adds energy: there is {factor:.4} times what there was"
            ));
        }
        if outcome.details.astray > 0 {
            warnings.push(format!(
                "in {} intervals friction of impending slip is at its limit, but its direction was not found",
                outcome.details.astray
            ));
        }
        Ok(OutcomeSet::new(Self::NAME, problem, vec![outcome], true, (), warnings))
    }
}

/// What to say where contacts approach with velocity `u` and get no impulse.
fn stuck(problem: &ContactProblem, u: &[f64]) -> String {
    let names = problem.contacts().iter().zip(u).filter(|(_, u)| **u < 0.0).map(|(name, _)| name.as_str());
    let names = names.collect::<Vec<_>>().join(", ");
    format!(
        "{names}: friction of sliding would drive the contact together; no impulse along a constant direction ends its \
         approach, and the law has no other"
    )
}
