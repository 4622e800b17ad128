//! Impacts of a moving mechanism: the contact problem of its state, and the outcome of a law.

use std::collections::BTreeMap;

use nalgebra::DVector;

use super::state::MechanismState;
use crate::engine::Prepared;
use crate::error::{Error, ErrorKind, Result};
use crate::law::finite::Details;
use crate::law::propagative::Kind;
use crate::law::{FiniteLaw, Law, Process};
use crate::model::Surface;
use crate::model::spatial::Contact;
use crate::motion::mechanism::Mechanism;
use crate::outcome::Samples;
use crate::problem::{ContactProblem, ProblemSpec};
use crate::rng::Stream;
use crate::run::{ModelFile, Plan, Run, StepSolver};
use crate::status::Status;

/// Most samples of an impact until one ends.
const TRIES: u64 = 64;

/// The law that resolves impacts.
#[derive(Clone, Debug, PartialEq)]
pub enum ImpactLaw {
    /// The first outcome that has ended, of a law with finitely many outcomes.
    Finite(FiniteLaw),
    /// A sample of a law, another one for each impact.
    Sampled(Law),
    /// A sample of the law of a model under what the model says is uncertain, another one for each
    /// impact. The model's forecasts are left out: they may pass through what they hit.
    Modelled(Box<Run>),
}

/// Coefficients of contacts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Coefficients {
    /// Friction where a pair has none of its own.
    pub friction: f64,
    /// Restitution where a pair has none of its own; `None`: each law's own default.
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
/// Those of [`ContactProblem::new`].
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
    // Where only some contacts have a restitution, that of the others is 0.
    let bounces = each.clone().any(|e| e.is_some());
    let restitution = bounces.then(|| each.map(|e| e.unwrap_or(0.0)).collect());
    let spec = mechanism.impact(q, v, contacts, friction);
    ContactProblem::new(ProblemSpec { restitution, ..spec })
}

/// The effect of an impact on a mechanism.
#[derive(Clone, Debug, PartialEq)]
pub struct StrikeOutcome {
    /// Velocity after the impact (n).
    pub velocity: Vec<f64>,
    /// Impulse in N s ((1+d) m), normals first.
    pub impulse: Vec<f64>,
}

impl StrikeOutcome {
    /// The outcomes that have ended, of a law with finitely many, with their numbers in its list.
    /// For the propagative law those of the sequences that it is asked for, else of admissible
    /// ones, as its other outcomes are not made by single impacts or need contacts that are not
    /// violated.
    ///
    /// A problem that the law does not support.
    pub fn all(law: &FiniteLaw, problem: &ContactProblem) -> Result<Vec<(u64, Self)>> {
        let belongs = |details: &Details| match (law, details) {
            (FiniteLaw::Propagative(law), Details::Propagative(details)) => {
                details.kind == law.sequences.unwrap_or(Kind::Admissible)
            }
            _ => true,
        };
        let listed = (0..).zip(law.resolve(problem)?.outcomes);
        let ended = listed.filter(|(_, o)| o.status == Status::Terminated && belongs(&o.details));
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

    /// The outcome of sample `number` of the seed; `None` where the sample does not end or its
    /// residual is too large.
    pub fn sample(
        problem: &ContactProblem,
        process: &Process<f64>,
        seed: u64,
        number: u64,
    ) -> Option<Self> {
        let mut work = process.workspace();
        let ending = process.sample(&Stream::new(seed, number), &mut work);
        if ending.status != Status::Terminated || ending.residual > process.most_residual::<f64>() {
            return None;
        }
        let rebound = process.rebound();
        let along = |j: usize| {
            let elastic = process.space().scaling.impulse_along(work.total(), j);
            rebound.restitution * elastic + rebound.plastic.get(j).copied().unwrap_or(0.0)
        };
        let impulse: Vec<f64> = (0..problem.jacobian().nrows()).map(along).collect();
        let velocity =
            problem.velocity() + problem.response() * DVector::from_column_slice(&impulse);
        Some(StrikeOutcome { velocity: velocity.as_slice().to_vec(), impulse })
    }
}

impl ImpactLaw {
    /// The law's name.
    pub fn name(&self) -> &'static str {
        match self {
            ImpactLaw::Finite(law) => law.name(),
            ImpactLaw::Sampled(law) => law.name(),
            ImpactLaw::Modelled(run) => run.law.name(),
        }
    }

    /// The name of the model's file, where the law is from one.
    pub fn model(&self) -> Option<&str> {
        match self {
            ImpactLaw::Modelled(run) => run.model.as_ref().map(ModelFile::name),
            _ => None,
        }
    }

    /// A warning about impacts at other numbers of contacts than those that the model was fitted to,
    /// where the law is from one.
    pub fn unfitted(&self, impacts: &[Impact]) -> Option<String> {
        let ImpactLaw::Modelled(run) = self else { return None };
        let contacts: Vec<usize> = impacts.iter().map(|impact| impact.contacts.len()).collect();
        run.unfitted(&contacts)
    }

    /// An impact of a model: the problem with what is uncertain, and the plan of its samples.
    ///
    /// Something that the problem cannot have.
    pub fn modelled(
        run: &Run,
        problem: &ContactProblem,
        seed: u64,
    ) -> Result<(ContactProblem, Plan)> {
        let plan = Plan { seed, solver: Some(StepSolver::Scalar), forecaster: None, ..run.plan() };
        Ok((run.applied(problem.clone())?, plan))
    }

    /// Checks coefficients with the impact of a particle on a wall.
    ///
    /// Those of [`ContactProblem::new`], at `friction[0]` or `restitution[0]`; coefficients that
    /// the law does not support.
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
        match self.resolve(&problem, 0, 0) {
            Err(error) if error.kind != ErrorKind::Empty => Err(error),
            _ => Ok(()),
        }
    }

    /// The outcome of impact number `number`; for a sampled law that of sample `number` of the
    /// seed, or where this does not end of the first that does among those that follow at
    /// distances of 2^40.
    ///
    /// A problem that the law does not support, or an impact that it does not end.
    pub fn resolve(
        &self,
        problem: &ContactProblem,
        seed: u64,
        number: u64,
    ) -> Result<StrikeOutcome> {
        let endless = || {
            Error::empty(format!("the law {} does not end impact {number}", self.name()))
                .hint("take another law, or another seed")
        };
        match self {
            ImpactLaw::Finite(law) => StrikeOutcome::all(law, problem)?
                .into_iter()
                .next()
                .map(|(_, outcome)| outcome)
                .ok_or_else(endless),
            ImpactLaw::Sampled(law) => {
                let process = law.prepare::<f64>(problem)?;
                (0..TRIES)
                    .map(|k| number.wrapping_add(k << 40))
                    .find_map(|number| StrikeOutcome::sample(problem, &process, seed, number))
                    .ok_or_else(endless)
            }
            ImpactLaw::Modelled(run) => {
                let (problem, plan) = ImpactLaw::modelled(run, problem, seed)?;
                let mut prepared = Prepared::<f64>::new(&problem, &plan)?;
                let accepted = plan.law.prepare::<f64>(&problem)?.most_residual::<f64>();
                (0..TRIES)
                    .find_map(|k| {
                        let samples = prepared.sample(number.wrapping_add(k << 40), 1);
                        let ended = !samples.accepted(accepted).is_empty();
                        ended.then(|| StrikeOutcome::of(samples, 0))
                    })
                    .ok_or_else(endless)
            }
        }
    }
}

/// Sets the velocity of a state to that after an impact.
pub fn strike(mechanism: &Mechanism, state: &mut MechanismState, velocity: &[f64]) {
    state.p = mechanism.momentum(&state.q, &DVector::from_column_slice(velocity));
}

/// An impact of a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Impact {
    /// The number of the step in which the impact falls, from 0 on.
    pub step: u64,
    /// The time of the impact, in s.
    pub time: f64,
    /// Configuration (n).
    pub position: Vec<f64>,
    /// Momentum before the impact (n).
    pub before: Vec<f64>,
    /// Momentum after the impact (n).
    pub after: Vec<f64>,
    /// The contacts of the impact.
    pub contacts: Vec<Contact>,
    /// The names of these contacts.
    pub names: Vec<String>,
    /// Impulse in N s ((1+d) m), normals first.
    pub impulse: Vec<f64>,
    /// Whether a gap closed; otherwise this is an impact without collision.
    pub collision: bool,
    /// The parameter s after the impact, where the integrator has one: time in s and all normal
    /// impulses in N s so far, added up.
    pub arc: Option<f64>,
}

impl Impact {
    /// The impact at `time` s with an outcome, which is applied to the state.
    pub fn at(
        mechanism: &Mechanism,
        time: f64,
        state: &mut MechanismState,
        contacts: Vec<Contact>,
        outcome: StrikeOutcome,
    ) -> Self {
        let before = state.p.clone();
        strike(mechanism, state, &outcome.velocity);
        Impact::new(
            mechanism,
            (state.step, time),
            &state.q,
            [&before, &state.p],
            contacts,
            outcome.impulse,
        )
    }

    /// A collision in a step, at a time in s, at configuration `q`, with the momenta before and
    /// after.
    pub fn new(
        mechanism: &Mechanism,
        (step, time): (u64, f64),
        q: &DVector<f64>,
        [before, after]: [&DVector<f64>; 2],
        contacts: Vec<Contact>,
        impulse: Vec<f64>,
    ) -> Self {
        Impact {
            step,
            time,
            position: q.as_slice().to_vec(),
            before: before.as_slice().to_vec(),
            after: after.as_slice().to_vec(),
            names: mechanism.contact_names(&contacts),
            contacts,
            impulse,
            collision: true,
            arc: None,
        }
    }
}
