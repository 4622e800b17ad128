//! Impacts that propagate from contact to contact: elastic reflections in every order, plastic and
//! inelastic outcomes.

mod impact;
mod plastic;
pub mod reflections;
pub mod uniqueness;

pub use impact::Rebound;
pub use uniqueness::{Theorem, Uniqueness};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::sampling::restitution::shared_coefficient;
use crate::{Describe, DescribeOutcome};
use carom_core::named;
use carom_core::outcome::listed::MAX_IMPACTS;
use carom_core::{ContactProblem, Limits, OutcomeSet, Result, Status};
use impact::{ReflectedImpact, ReflectedOutcome};
use reflections::Sequences;
use uniqueness::indeterminacy;

/// The propagative law: frictionless impacts, resolved as sequences of single reflections.
///
/// With `p` the momentum and `u_i` the normals, row vectors that have the unit length in the
/// kinetic metric:
///
/// ```text
/// elastic    p+ = p- Gamma(w_1) ... Gamma(w_n),  w the normals in their order,
///            Gamma(u) = I - 2 M^-1 u' u / (u M^-1 u')
/// plastic    p+ = p- projected onto <p,u_i> = 0 for every contact,
///            or the outcome whose contacts only push
/// inelastic  p+ = R p_elastic + (1 - R) p_plastic,  R the energetic coefficient of restitution
/// ```
///
/// A contact is violated where `<p,u_i> < -1e-11 |p|`; a momentum that violates none is feasible,
/// and ends the impact. The outcomes listed are every minimal and every admissible sequence up to a
/// length, each with its outcome, the two greedy sequences ([`Kind::Argmin`], [`Kind::Argmax`]),
/// and both plastic outcomes. Source: \[SM14\] (7), (11), (14), (17). Deviations: the weight of the
/// elastic part is `R`, because `R^2 = 1 - dE/E_p` gives that and not `sqrt(1 - R^2)`; all contacts
/// of the problem take part, not only those violated at `p-`, because Newton's cradle with its
/// balls at rest would stop after one reflection. Friction is left out, with a warning. Guarantee:
/// every sequence up to the length; for two contacts, by default, every sequence there is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(inline)]
pub struct Propagative {
    /// Energetic coefficient of restitution `R`; `None`: the problem's, else 1.
    #[serde(skip)]
    pub restitution: Option<f64>,
    /// [`Kind::Minimal`] or [`Kind::Admissible`], to list only these sequences beside the greedy
    /// ones; one of the others, to list only its outcome.
    #[serde(skip)]
    pub sequences: Option<Kind>,
    /// The names of contacts for [`Kind::Listed`]; contacts that are not in the list come last, in
    /// the order of the problem.
    #[serde(skip)]
    pub order: Vec<String>,
    /// Length of the longest sequence; `None`: for up to two contacts the bound on their length,
    /// for more contacts as long as [`Propagative::SEQUENCES`] sequences allow.
    #[serde(skip)]
    pub max_length: Option<usize>,
    /// The limit on single impacts of a sample; 1000 by default. The problem's own step limit does
    /// not apply: it counts steps of all contacts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_steps: Option<u32>,
}

impl Propagative {
    /// The law's name.
    pub const NAME: &'static str = "propagative";
    /// Default limit of examined sequences of three and more contacts, without repetitions.
    pub const SEQUENCES: f64 = 1e5;

    /// The outcomes of all sequences, of the greedy sequences, and of plastic impacts.
    ///
    /// # Errors
    /// Coefficients of restitution that differ between contacts or lie outside [0, 1].
    pub fn resolve(
        &self,
        problem: &ContactProblem,
    ) -> Result<OutcomeSet<PropagativeDetails, Uniqueness>> {
        self.resolve_within(problem, &Limits::default())
    }

    /// The sequences found within the limits.
    pub fn resolve_within(
        &self,
        problem: &ContactProblem,
        limits: &Limits,
    ) -> Result<OutcomeSet<PropagativeDetails, Uniqueness>> {
        let impact = ReflectedImpact::new(problem, self.restitution_on(problem)?);
        let mut uniqueness = Uniqueness::of(problem);
        if let Some(kind @ (Kind::Argmin | Kind::Argmax | Kind::Listed)) = self.sequences {
            let outcomes = vec![impact.reflected(self.greedy(kind, problem, &impact), kind)];
            let warnings = warnings(problem, &impact, &outcomes);
            return Ok(OutcomeSet::new(Self::NAME, problem, outcomes, false, uniqueness, warnings));
        }
        let longest = self.longest(problem.contact_count(), &uniqueness);
        let reflections = &impact.reflections;

        let admissible = reflections.admissible(longest, limits);
        let minimal = match self.sequences {
            Some(Kind::Admissible) => {
                Sequences { found: Vec::new(), length: longest, complete: true }
            }
            _ => reflections.minimal(longest, limits),
        };
        let rows = problem.jacobian().nrows() * problem.velocity().len();
        let each = |sequences: &Sequences, kind: Kind| -> Vec<ReflectedOutcome> {
            let work = |sequence: &&Vec<usize>| ((sequence.len() + 8) * rows) as f64;
            let within = sequences.found.iter().take_while(|sequence| limits.spend(work(sequence)));
            within.map(|sequence| impact.reflected(sequence.clone(), kind)).collect()
        };
        let mut outcomes = each(&minimal, Kind::Minimal);
        let reached = each(&admissible, Kind::Admissible);
        let ended = reached.iter().filter(|outcome| outcome.status == Status::Terminated);
        uniqueness.indeterminacy =
            indeterminacy(problem, ended.map(|outcome| &outcome.velocity[..]), limits);
        if self.sequences != Some(Kind::Minimal) {
            outcomes.extend(reached);
        }
        for kind in [Kind::Argmin, Kind::Argmax] {
            outcomes.push(impact.reflected(self.greedy(kind, problem, &impact), kind));
        }
        outcomes.extend([impact.projected(), impact.unilateral()]);

        let complete = admissible.complete && minimal.complete;
        let mut warnings = warnings(problem, &impact, &outcomes);
        for (kind, sequences) in [(Kind::Minimal, &minimal), (Kind::Admissible, &admissible)] {
            if !sequences.complete {
                let (kind, length) = (kind.name(), sequences.length);
                warnings.push(format!(
                    "there may be {kind} sequences of more than {length} reflections"
                ));
            }
        }
        Ok(OutcomeSet::new(Self::NAME, problem, outcomes, complete, uniqueness, warnings))
    }

    /// The sequence in which a rule selects the next violated contact: least rate, largest rate, or
    /// first in the list.
    fn greedy(&self, kind: Kind, problem: &ContactProblem, impact: &ReflectedImpact) -> Vec<usize> {
        let reflections = &impact.reflections;
        let place = |i: usize| {
            self.order.iter().position(|name| *name == problem.contacts()[i]).unwrap_or(usize::MAX)
        };
        reflections.propagate(MAX_IMPACTS, |violated, u| {
            // Rates that differ by rounding only are equal: the first contact wins.
            let better = |i: usize, best: usize| match kind {
                Kind::Argmin => u[best] - u[i] > reflections.rest,
                Kind::Argmax => u[i] - u[best] > reflections.rest,
                _ => place(i) < place(best),
            };
            let first = |best, &i: &usize| if better(i, best) { i } else { best };
            violated.iter().fold(violated[0], first)
        })
    }

    /// The effect of restitution on the impulse of reflections.
    pub fn rebound(&self, problem: &ContactProblem) -> Result<Rebound> {
        let restitution = self.restitution_on(problem)?;
        if restitution == 1.0 {
            let before = problem.kinetic_energy(problem.velocity().as_slice());
            return Ok(Rebound { energy: Some(before), ..Rebound::NONE });
        }
        Ok(ReflectedImpact::new(problem, restitution).rebound())
    }

    fn restitution_on(&self, problem: &ContactProblem) -> Result<f64> {
        shared_coefficient(problem, Self::NAME, self.restitution, 1.0)
    }

    /// The largest length of a sequence in the search.
    fn longest(&self, m: usize, uniqueness: &Uniqueness) -> usize {
        let bound = match m {
            1 => 1,
            2 => uniqueness
                .length_bound
                .map_or(MAX_IMPACTS, |bound| bound.min(MAX_IMPACTS as f64) as usize),
            _ => {
                let (m, branches) = (m as f64, (m - 1) as f64);
                1 + ((Self::SEQUENCES / m).ln() / branches.ln()).max(0.0) as usize
            }
        };
        self.max_length.unwrap_or(bound)
    }
}

impl Describe for Propagative {
    fn keys(&self) -> Vec<(&'static str, Value)> {
        let sequences = self.sequences.map(Kind::name);
        vec![("sequences", sequences.into()), ("max_length", self.max_length.into())]
    }
}

fn warnings(
    problem: &ContactProblem,
    impact: &ReflectedImpact,
    outcomes: &[ReflectedOutcome],
) -> Vec<String> {
    let mut warnings = Vec::new();
    let mut warn = |holds: bool, warning: String| warnings.extend(holds.then_some(warning));
    let rough = problem.friction().iter().any(|&mu| mu > 0.0);
    warn(rough, "friction is left out: the law has none".to_string());
    warn(
        impact.pulls(),
        "the plastic projection needs contacts that pull; plastic-unilateral is the outcome that only pushes"
            .to_string(),
    );
    let endless = outcomes.iter().any(|outcome| outcome.status == Status::StepLimit);
    let what = "reflections; there may be no outcome";
    warn(endless, format!("an order had not ended after {MAX_IMPACTS} {what}"));
    warnings
}

named! {
    /// The rule that chose the sequence of an outcome.
    #[derive(Hash)]
    pub enum Kind {
        /// A sequence that ends feasible while no proper subsequence does. \[SM14\] Definition 1.
        Minimal = "minimal",
        /// A sequence that reflects violated contacts only and stops at the first feasible
        /// momentum.
        Admissible = "admissible",
        /// The sequence that always reflects the contact with the smallest normalised rate, the
        /// most violated one.
        Argmin = "argmin",
        /// The sequence that always reflects the violated contact with the largest normalised rate,
        /// the least violated one.
        Argmax = "argmax",
        /// The sequence that always reflects the violated contact that comes first in
        /// [`Propagative::order`](super::Propagative::order).
        Listed = "listed",
        /// The projection onto the momenta at which every contact rests. \[SM14\] (11)
        PlasticProjection = "plastic-projection",
        /// The plastic outcome without tension, `0 <= ln _|_ u+_n >= 0`.
        PlasticUnilateral = "plastic-unilateral",
    }
}

/// Details of an outcome of the propagative law.
#[derive(Clone, Debug, PartialEq)]
pub struct PropagativeDetails {
    /// The rule that chose the sequence.
    pub kind: Kind,
    /// Whether a normal impulse is negative (tension).
    pub tension: bool,
    /// The coefficient of restitution: the weight of the sequence in the outcome.
    pub restitution: f64,
}

impl Describe for PropagativeDetails {
    fn keys(&self) -> Vec<(&'static str, Value)> {
        vec![("kind", self.kind.name().into()), ("tension", self.tension.into())]
    }
}

impl DescribeOutcome for PropagativeDetails {
    fn origin(&self, sequence: &str) -> String {
        let pulls = if self.tension { ", pulls" } else { "" };
        format!("{sequence:<12} {}{pulls}", self.kind.name())
    }

    fn title(&self) -> String {
        self.kind.name().replace('-', " ")
    }
}
