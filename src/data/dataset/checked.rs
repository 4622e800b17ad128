//! Final checks of every plan, including one sample of the first state with samples; derived
//! quantities of the plan.

use std::fmt::Write;
use std::sync::Arc;

use super::plan::{DatasetPlan, States, TRIED};
use super::source::Source;
use crate::seal::Hash;
use carom_core::error::{Error, Result};
use carom_core::problem::{ContactProblem, ProblemArrays};
use carom_engine::run::Run;
use carom_engine::{Device, Engine, Plan, Precision};
use carom_law::{Hypothesis, Law};

/// Bytes of the samples of a file before compression.
const FILE: f64 = 1.2e8;

/// Plan settings apart from the states.
pub(super) struct Terms {
    pub name: String,
    pub samples: u64,
    pub precision: Precision,
    /// Most rows of a file.
    pub rows: Option<u64>,
}

/// Adds the location in a plan to an error.
pub(super) type Place<'a> = dyn Fn(Error) -> Error + 'a;

impl States {
    /// States without varying parameters or velocities.
    pub fn new(source: Source, count: u64, run: Run, seed: u64, precision: Precision) -> Self {
        let how = Run { device: Device::Cpu, precision: Some(precision), ..run.clone() }.plan();
        let (parameters, velocity) = (Vec::new(), Vec::new());
        States { source, parameters, velocity, run, how, seed, count, common: None }
    }
}

impl DatasetPlan {
    /// The plan of states from arrays: state b has row b. Each state has `samples` samples by a run
    /// with its seed and precision; a file has at most `rows` rows.
    ///
    /// # Errors
    /// No samples; a feature that the law does not support; none of the first thousand states can
    /// be sampled.
    pub fn of_arrays(
        name: &str,
        problems: ProblemArrays<'static>,
        run: Run,
        samples: u64,
        rows: Option<u64>,
    ) -> Result<Self> {
        if samples == 0 || rows == Some(0) {
            let at = if samples == 0 { "samples" } else { "rows" };
            return Err(Error::usage("expected at least 1, found 0").at(at));
        }
        let (count, seed) = (problems.states() as u64, run.seed);
        let precision = run.precision.unwrap_or(Precision::F64);
        let unsaid = Run::default();
        let run = Run { device: unsaid.device, precision: None, seed: 0, samples: None, ..run };
        let states = States::new(Source::Arrays(Arc::new(problems)), count, run, seed, precision);
        let terms = Terms { name: name.to_string(), samples, precision, rows };
        Self::checked(states, terms, &|error| error)
    }

    /// Completes the plan of some states, if one of the first thousand can be sampled.
    pub(super) fn checked(mut states: States, terms: Terms, place: &Place<'_>) -> Result<Self> {
        let Terms { name, samples, precision, rows } = terms;
        if !states.differ() {
            states.common = Some(first(&states, place, Ok)?);
        }
        let (engine, one) = (Engine::cpu("asked for"), Plan { samples: 1, ..states.how.clone() });
        let sampled = |problem| engine.collect(&problem, &one).map(|_| problem);
        let built = first(&states, place, sampled)?;
        // A plan may name the default hypothesis, even without effect.
        let mut named = states.run.clone();
        if let Law::Routh(law) = &mut named.law {
            law.hypothesis = law.hypothesis.filter(|named| *named != Hypothesis::default());
        }
        named.check(&[&built]).map_err(place)?;
        let (share, fingerprint) = (1, String::new());
        let mut plan =
            DatasetPlan { name, states, precision, samples, share, first: built, fingerprint };
        let rows = rows.unwrap_or_else(|| (FILE / bytes(&plan)) as u64);
        plan.share = (rows / plan.samples).max(1);
        if plan.states.count.checked_mul(samples).is_none_or(|rows| rows > i64::MAX as u64) {
            return Err(place(Error::input("more than 2^63 rows")));
        }
        plan.fingerprint = fingerprint_of(&plan)?;
        Ok(plan)
    }
}

/// The problem of the first state that `look` accepts.
pub(super) fn first(
    states: &States,
    place: &Place<'_>,
    look: impl Fn(ContactProblem) -> Result<ContactProblem>,
) -> Result<ContactProblem> {
    let (mut refused, mut tried) = (None, 0);
    let touches = |number: &u64| states.source.touches(*number);
    for number in (0..states.count).filter(touches).take(TRIED) {
        match states.problem(&states.state(number)).and_then(&look) {
            Ok(found) => return Ok(found),
            Err(error) => refused = refused.or(Some((number, error))),
        }
        tried += 1;
    }
    let Some((number, error)) = refused else {
        return Err(place(Error::input("no contact is active in any state").at("active")));
    };
    let what =
        format!("none of the first {tried} states can be sampled; state {number}: {}", error.what);
    Err(place(Error { what, ..error }))
}

/// Estimated bytes of a row: samples hardly compress, and values of a state are stored once.
fn bytes(plan: &DatasetPlan) -> f64 {
    let (n, k) = (plan.first.coordinate_count(), plan.first.jacobian().nrows());
    let float = if plan.precision == Precision::F32 { 4 } else { 8 };
    let state = 8 * (n + plan.states.parameters.len() + 2);
    (float * (n + k + 1) + 6) as f64 + state as f64 / plan.samples as f64
}

/// A hash of all inputs of the rows.
fn fingerprint_of(plan: &DatasetPlan) -> Result<String> {
    let States { parameters, velocity, run, seed, count, .. } = &plan.states;
    let DatasetPlan { precision, samples, share, .. } = plan;
    let (version, scene) = (env!("CARGO_PKG_VERSION"), plan.states.source.digest()?);
    let all = (version, scene, parameters, velocity, run, precision, seed, count, samples, share);
    let mut hash = Hash::default();
    write!(hash, "{all:?}").map_err(|_| Error::input("this plan cannot be written down"))?;
    Ok(format!("{:032x}", hash.0))
}
