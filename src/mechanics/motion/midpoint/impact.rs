use std::collections::BTreeMap;

use nalgebra::DVector;

use super::state::MechanismState;
use super::strike::Strike;
use crate::model::Surface;
use crate::model::spatial::Contact;
use crate::motion::course::{Impact, list};
use crate::motion::mechanism::Mechanism;
use carom_core::error::Result;
use carom_core::outcome::Samples;
use carom_core::problem::{ContactProblem, ProblemSpec};
use carom_core::real::Real;
use carom_core::status::Status;
use carom_engine::PreparedImpact;
use carom_engine::run::{ModelFile, Plan, Run, StepSolver};
use carom_law::finite::Details;
use carom_law::finite::propagative::Kind;
use carom_law::{FiniteLaw, Law};

/// Maximum number of samples of an impact until one is accepted, and maximum number with an
/// exhausted budget.
const TRIES: u64 = 64;
const BUDGETS: u64 = 4;

/// Impact law.
#[derive(Clone, Debug, PartialEq)]
pub enum ImpactLaw {
    /// First terminated outcome of a law with finitely many outcomes.
    Finite(FiniteLaw),
    /// Sample of a run's law, a new one for each impact. With a model, the law and its uncertainty
    /// are the model's. Its forecasts are not used, as they may penetrate the struck body.
    Sampled(Box<Run>),
}

/// Coefficients of contacts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coefficients {
    /// Default friction of pairs.
    pub friction: f64,
    /// Default restitution of pairs; `None`: each law's own default.
    pub restitution: Option<f64>,
    /// Friction and restitution of pairs.
    pub pairs: BTreeMap<(Surface, usize), [Option<f64>; 2]>,
}

impl Coefficients {
    /// The friction of a pair.
    pub fn friction_of(&self, first: Surface, second: usize) -> f64 {
        let own = self.pairs.get(&(first, second)).and_then(|own| own[0]);
        own.unwrap_or(self.friction)
    }

    /// The friction and the restitution of a pair.
    pub fn of(&self, (first, second): (Surface, usize)) -> (f64, Option<f64>) {
        (self.friction_of(first, second), self.restitution_of(first, second))
    }

    /// The restitution of a pair.
    fn restitution_of(&self, first: Surface, second: usize) -> Option<f64> {
        let own = self.pairs.get(&(first, second)).and_then(|own| own[1]);
        own.or(self.restitution)
    }
}

/// The contact problem of `mechanism` at configuration `q` and velocity `v`.
///
/// # Errors
/// See [`ContactProblem::new`].
pub fn problem(
    mechanism: &Mechanism,
    coefficients: &Coefficients,
    contacts: &[Contact],
    q: &DVector<f64>,
    v: &DVector<f64>,
) -> Result<ContactProblem> {
    let friction = contacts
        .iter()
        .map(|contact| coefficients.friction_of(contact.first, contact.second))
        .collect();
    let each =
        contacts.iter().map(|contact| coefficients.restitution_of(contact.first, contact.second));
    // If only some contacts have a restitution, the others get 0.
    let bounces = each.clone().any(|e| e.is_some());
    let restitution = bounces.then(|| each.map(|e| e.unwrap_or(0.0)).collect());
    let spec = mechanism.impact(q, v, contacts, friction);
    ContactProblem::new(ProblemSpec { restitution, ..spec })
}

/// Outcome of an impact of a mechanism.
#[derive(Clone, Debug, PartialEq)]
pub struct StrikeOutcome {
    /// Velocity after the impact (n).
    pub velocity: Vec<f64>,
    /// Impulse in N s ((1+d) m), normals first.
    pub impulse: Vec<f64>,
}

impl StrikeOutcome {
    /// Terminated outcomes of a law with finitely many, with their numbers in its list. For the
    /// propagative law only outcomes of the requested sequences, else of admissible ones: its other
    /// outcomes are not made by single impacts or need contacts that are not violated. Outcomes
    /// that gain energy are left out, unless Poisson's coefficient may add some.
    ///
    /// # Errors
    /// A problem that the law does not support.
    pub fn all(law: &FiniteLaw, problem: &ContactProblem) -> Result<Vec<(u64, Self)>> {
        let belongs = |details: &Details| match (law, details) {
            (FiniteLaw::Propagative(law), Details::Propagative(details)) => {
                details.kind == law.sequences.unwrap_or(Kind::Admissible)
            }
            _ => true,
        };
        let gains = matches!(law, FiniteLaw::Plus(_)) && problem.bounces();
        let energy = problem.kinetic_energy(problem.velocity().as_slice());
        let most = if gains { f64::INFINITY } else { energy * (1.0 + f64::RESIDUAL) };
        let listed = (0..).zip(law.resolve(problem)?.outcomes);
        let ended = listed
            .filter(|(_, o)| o.status == Status::Terminated && belongs(&o.details))
            .filter(|(_, o)| o.kinetic_energy <= most);
        Ok(ended
            .map(|(i, o)| (i, StrikeOutcome { velocity: o.velocity, impulse: o.impulse }))
            .collect())
    }

    /// The outcome of row `i` of samples.
    pub fn of(samples: &Samples, i: usize) -> Self {
        StrikeOutcome {
            velocity: samples.row(&samples.velocity, i).to_vec(),
            impulse: samples.row(&samples.impulse, i).to_vec(),
        }
    }
}

impl From<Law> for ImpactLaw {
    fn from(law: Law) -> Self {
        ImpactLaw::Sampled(Box::new(Run { law, ..Run::default() }))
    }
}

impl ImpactLaw {
    /// The law's name.
    pub fn name(&self) -> &'static str {
        match self {
            ImpactLaw::Finite(law) => law.name(),
            ImpactLaw::Sampled(run) => run.law.name(),
        }
    }

    /// Name of the model's file, if the law is from a model.
    pub fn model(&self) -> Option<&str> {
        let ImpactLaw::Sampled(run) = self else { return None };
        run.model.as_ref().map(ModelFile::name)
    }

    /// Warning about impacts with numbers of contacts outside the model's training data, if the law
    /// is from a model.
    pub fn unfitted(&self, impacts: &[Impact]) -> Option<String> {
        let ImpactLaw::Sampled(run) = self else { return None };
        let contacts: Vec<usize> = impacts.iter().map(|impact| impact.contacts.len()).collect();
        run.unfitted(&contacts)
    }

    /// Sampled impact of a run: the problem with its uncertainty, and the plan of its samples.
    ///
    /// # Errors
    /// An uncertainty that does not fit the problem.
    pub fn sampled(
        run: &Run,
        problem: &ContactProblem,
        seed: u64,
    ) -> Result<(ContactProblem, Plan)> {
        let plan = Plan { seed, precision: None, forecaster: None, ..run.plan() };
        Ok((run.applied(problem.clone())?, plan))
    }

    /// Checks coefficients with the impact of a particle on a wall.
    ///
    /// # Errors
    /// See [`ContactProblem::new`], at `friction[0]` or `restitution[0]`; coefficients that the law
    /// does not support.
    pub fn honours(&self, friction: f64, restitution: Option<f64>) -> Result<()> {
        let problem = ContactProblem::new(ProblemSpec {
            mass: vec![vec![1.0, 0.0], vec![0.0, 1.0]],
            normal: vec![vec![0.0, 1.0]],
            tangent: vec![vec![1.0, 0.0]],
            friction: Some(vec![friction]),
            restitution: restitution.map(|e| vec![e]),
            velocity: vec![0.0, -1.0],
            ..ProblemSpec::default()
        })?;
        self.resolve(&problem, 0, 0).map(|_| ())
    }

    /// Outcome of impact number `number`. For a sampled law this is sample `number` of the seed; if
    /// it is rejected, the first accepted sample at further multiples of 2^40. `None` without an
    /// accepted outcome.
    ///
    /// # Errors
    /// A problem that the law does not support.
    pub fn resolve(
        &self,
        problem: &ContactProblem,
        seed: u64,
        number: u64,
    ) -> Result<Option<StrikeOutcome>> {
        match self {
            ImpactLaw::Finite(law) => {
                Ok(StrikeOutcome::all(law, problem)?.into_iter().next().map(|(_, outcome)| outcome))
            }
            ImpactLaw::Sampled(run) => {
                let (problem, plan) = ImpactLaw::sampled(run, problem, seed)?;
                let solver = Some(StepSolver::Scalar);
                accepted(&problem, &Plan { solver, ..plan }, number)
            }
        }
    }
}

/// First accepted sample among `number`, `number + 2^40`, `number + 2 2^40`, ... Samples pass the
/// checks of the engine.
fn accepted(problem: &ContactProblem, plan: &Plan, number: u64) -> Result<Option<StrikeOutcome>> {
    let mut prepared = PreparedImpact::new(problem, plan)?;
    let accepted = prepared.tolerance().residual;
    let mut budgets = 0;
    for k in 0..TRIES {
        let samples = prepared.sample(number.wrapping_add(k << 40), 1);
        if samples.is_accepted(0, accepted) {
            return Ok(Some(StrikeOutcome::of(samples, 0)));
        }
        budgets += u64::from(samples.status[0] == Status::Budget);
        if budgets == BUDGETS {
            break;
        }
    }
    Ok(None)
}

/// Sets the state's velocity to `velocity` after an impact.
pub fn strike(mechanism: &Mechanism, state: &mut MechanismState, velocity: &[f64]) {
    state.p = mechanism.momentum(&state.q, &DVector::from_column_slice(velocity));
}

/// A collision in a step, at a time in s, at configuration `q`, with the momenta before and after.
pub fn impact(
    mechanism: &Mechanism,
    (step, time): (u64, f64),
    q: &DVector<f64>,
    [before, after]: [&DVector<f64>; 2],
    Strike { problem, contacts, .. }: Strike,
    impulse: Vec<f64>,
) -> Impact {
    Impact {
        step,
        time,
        position: list(q),
        before: list(before),
        after: list(after),
        names: mechanism.contact_names(&contacts),
        speed: -problem.contact_velocity().rows(0, contacts.len()).min(),
        contacts,
        impulse,
        collision: true,
        arc: None,
    }
}
