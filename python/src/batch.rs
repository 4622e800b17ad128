//! Batches of states.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use carom_analysis::Wrt;
use carom_core::problem::{ContactProblem, ProblemArrays, StateArrays};
use carom_core::rng::seed_of_state;
use carom_engine::{Batch, Plan, Precision};
use carom_report::warnings::{of_state, of_states};
use numpy::{
    PyArray1, PyArray2, PyArray4, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyReadonlyArray3,
};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::arrays::{entries, fixed, reals, table, truths};
use crate::engine::{Sampling, opened};
use crate::errors::Raise;
use crate::interrupts;
use crate::prepared::unfinished;
use crate::samples::{differentiator, variable};

/// Number of states computed at a time; memory holds their tables together.
const STATES: usize = 1024;

/// Velocities (B,N,n), contact velocities and impulses (B,N,K), energies, steps, status codes,
/// residuals, acceptance (B,N each); the device, the seconds of sampling, and warnings.
type Outcomes<'py> = (
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Bound<'py, PyArray2<u32>>,
    Bound<'py, PyArray2<u8>>,
    Bound<'py, PyAny>,
    Bound<'py, PyArray2<bool>>,
    String,
    f64,
    Vec<String>,
);

/// Derivatives (B,N,n,p), and whether each sample is differentiable (B,N).
type Slopes<'py> = (Bound<'py, PyArray4<f64>>, Bound<'py, PyArray2<bool>>);

/// The contact problems of the states.
fn states<'a>(
    (mass, normal, tangent): (
        &'a PyReadonlyArray3<'_, f64>,
        &'a PyReadonlyArray3<'_, f64>,
        &'a PyReadonlyArray3<'_, f64>,
    ),
    friction: &'a PyReadonlyArray2<'_, f64>,
    velocity: &'a PyReadonlyArray2<'_, f64>,
    restitution: &'a Option<PyReadonlyArray2<'_, f64>>,
    active: &'a Option<PyReadonlyArray2<'_, bool>>,
) -> carom_core::error::Result<ProblemArrays<'a>> {
    let arrays = StateArrays {
        mass: entries(mass),
        normal: entries(normal),
        tangent: Some(entries(tangent)),
        friction: Some(entries(friction)),
        velocity: entries(velocity),
        restitution: restitution.as_ref().map(entries),
        active: active.as_ref().map(truths),
        coordinates: None,
        contacts: None,
    };
    ProblemArrays::new("", arrays)
}

/// The contact problem of state b; errors name the state.
fn problem(states: &ProblemArrays<'_>, b: usize) -> carom_core::error::Result<ContactProblem> {
    states.problem(b).map_err(|error| {
        let at = format!("state {b}: {}", error.at.clone().unwrap_or_default());
        error.at(at.trim_end_matches(": "))
    })
}

/// The first `samples` samples of each of B states, each with a seed; see `carom.sample_batch`.
#[pyfunction]
#[pyo3(signature = (mass, normal, tangent, friction, velocity, restitution, active, options, samples, seeds))]
#[expect(clippy::too_many_arguments, reason = "they are the arguments in Python")]
pub fn sample_batch<'py>(
    py: Python<'py>,
    mass: PyReadonlyArray3<'py, f64>,
    normal: PyReadonlyArray3<'py, f64>,
    tangent: PyReadonlyArray3<'py, f64>,
    friction: PyReadonlyArray2<'py, f64>,
    velocity: PyReadonlyArray2<'py, f64>,
    restitution: Option<PyReadonlyArray2<'py, f64>>,
    active: Option<PyReadonlyArray2<'py, bool>>,
    options: &Sampling,
    samples: usize,
    seeds: PyReadonlyArray1<'py, u64>,
) -> PyResult<Outcomes<'py>> {
    let states = states((&mass, &normal, &tangent), &friction, &velocity, &restitution, &active);
    let states = states.raise()?;
    let (count, n) = (states.states(), states.coordinates().len());
    let (m, d) = (states.contacts().len(), states.tangents_per_contact());
    let seeds = seeds.as_array().to_vec();
    let mut all = interrupts::run(py, |stop| {
        let plan = Plan { stop: Some(stop), ..options.plan(samples as u64, 0)? };
        let mut all = Outcome::zeros([count, samples, n, (1 + d) * m]);
        // A dispatch takes states with equal numbers of contacts.
        let mut groups: BTreeMap<usize, Vec<(usize, Vec<usize>)>> = BTreeMap::new();
        for b in 0..count {
            let contacts = states.contacts_of(b);
            groups.entry(contacts.len()).or_default().push((b, contacts));
        }
        if let Some((b, _)) = groups.get(&0).and_then(|states| states.first()) {
            return Err(
                carom_core::error::Error::input("no contact is active").at(format!("state {b}"))
            );
        }
        for states_of_group in groups.values() {
            for part in states_of_group.chunks(STATES) {
                let problem = |(b, _): &(usize, Vec<usize>)| options.0.on(problem(&states, *b)?);
                let problems: Vec<ContactProblem> =
                    part.par_iter().map(problem).collect::<carom_core::error::Result<_>>()?;
                let Some(first) = problems.first() else { continue };
                let warned = part.iter().zip(&problems).map(|((b, _), p)| (*b, of_state(p)));
                all.warned.extend(warned.filter(|(_, warnings)| !warnings.is_empty()));
                let engine = opened(first, &plan)?;
                all.device = engine.info().name.clone();
                all.precision = engine.precision(&plan);
                let seeds: Vec<u64> = part.iter().map(|(b, _)| seeds[*b]).collect();
                let given = (problems.as_slice(), seeds.as_slice());
                match all.precision {
                    Precision::F32 => {
                        all.take(part, given, engine.batch::<f32>(&plan), [m, d], &plan)?
                    }
                    Precision::F64 => {
                        all.take(part, given, engine.batch::<f64>(&plan), [m, d], &plan)?
                    }
                }
            }
        }
        all.warned.sort_unstable();
        Ok(all)
    })?;
    let ended = all.status.iter().filter(|code| **code == 0).count();
    let unended = unfinished(ended as u64, all.status.len() as u64);
    let warned = std::mem::take(&mut all.warned).into_iter();
    let warnings: Vec<String> = of_states("state", warned).into_iter().chain(unended).collect();
    let Outcome { shape: [count, samples, n, k], precision, device, seconds, .. } = all;
    let two = |numbers| reals(py, numbers, precision, &[count, samples]);
    let three = |numbers, width| reals(py, numbers, precision, &[count, samples, width]);
    Ok((
        three(all.velocity, n)?,
        three(all.contact_velocity, k)?,
        three(all.impulse, k)?,
        two(all.kinetic_energy)?,
        fixed(table(py, all.steps, samples, count)?),
        fixed(table(py, all.status, samples, count)?),
        two(all.residual)?,
        fixed(table(py, all.accepted, samples, count)?),
        device,
        seconds,
        warnings,
    ))
}

/// The derivatives of the first `samples` samples of each of B states: (B,N,n,p), and whether each
/// sample has one (B,N); see `carom.Batch.jacobian`. Contacts that a state does not have get zeros.
#[pyfunction]
#[pyo3(signature = (mass, normal, tangent, friction, velocity, restitution, active, options, samples, seeds, wrt, hold_step, branches))]
#[expect(clippy::too_many_arguments, reason = "they are the arguments in Python")]
pub fn batch_jacobian<'py>(
    py: Python<'py>,
    mass: PyReadonlyArray3<'py, f64>,
    normal: PyReadonlyArray3<'py, f64>,
    tangent: PyReadonlyArray3<'py, f64>,
    friction: PyReadonlyArray2<'py, f64>,
    velocity: PyReadonlyArray2<'py, f64>,
    restitution: Option<PyReadonlyArray2<'py, f64>>,
    active: Option<PyReadonlyArray2<'py, bool>>,
    options: &Sampling,
    samples: usize,
    seeds: PyReadonlyArray1<'py, u64>,
    wrt: &str,
    hold_step: bool,
    branches: bool,
) -> PyResult<Slopes<'py>> {
    let states = states((&mass, &normal, &tangent), &friction, &velocity, &restitution, &active);
    let states = states.raise()?;
    let (count, n) = (states.states(), states.coordinates().len());
    let (wrt, seeds) = (variable(wrt)?, seeds.as_array().to_vec());
    let p = match wrt {
        Wrt::Velocity => n,
        Wrt::Friction | Wrt::Restitution => states.contacts().len(),
        Wrt::Step => 1,
    };
    let (values, differentiable) = interrupts::run(py, |stop| {
        let mut values = vec![0.0; count * samples * n * p];
        let mut differentiable = vec![false; count * samples];
        let of_state = values.par_chunks_mut((samples * n * p).max(1));
        of_state.zip(differentiable.par_chunks_mut(samples.max(1))).enumerate().try_for_each(
            |(b, (values, differentiable))| {
                let contacts = states.contacts_of(b);
                let problem = options.0.on(problem(&states, b)?)?;
                let plan = options.plan(samples as u64, seeds[b])?;
                let plan = Plan { stop: Some(Arc::clone(&stop)), ..plan };
                let found = differentiator(&problem, &plan, wrt, [hold_step, branches])?
                    .jacobians(0, samples, || ())?;
                differentiable.copy_from_slice(&found.differentiable);
                let to = match wrt {
                    Wrt::Friction | Wrt::Restitution => contacts,
                    Wrt::Velocity | Wrt::Step => (0..p).collect(),
                };
                let rows = found.values.chunks_exact(found.columns.max(1));
                for (row, from) in values.chunks_exact_mut(p).zip(rows) {
                    to.iter().zip(from).for_each(|(place, x)| row[*place] = *x);
                }
                Ok(())
            },
        )?;
        Ok((values, differentiable))
    })?;
    let values = PyArray1::from_vec(py, values).reshape([count, samples, n, p])?;
    Ok((values, table(py, differentiable, samples, count)?))
}

/// The arrays of all states, of shape `[B, N, n, K]`.
struct Outcome {
    shape: [usize; 4],
    precision: Precision,
    velocity: Vec<f64>,
    contact_velocity: Vec<f64>,
    impulse: Vec<f64>,
    status: Vec<u8>,
    steps: Vec<u32>,
    residual: Vec<f64>,
    kinetic_energy: Vec<f64>,
    accepted: Vec<bool>,
    device: String,
    seconds: f64,
    /// Warnings about states.
    warned: Vec<(usize, Vec<String>)>,
}

impl Outcome {
    fn zeros(shape: [usize; 4]) -> Self {
        let [count, samples, n, k] = shape;
        let each = count * samples;
        Outcome {
            shape,
            precision: Precision::F64,
            velocity: vec![0.0; each * n],
            contact_velocity: vec![0.0; each * k],
            impulse: vec![0.0; each * k],
            status: vec![0; each],
            steps: vec![0; each],
            residual: vec![0.0; each],
            kinetic_energy: vec![0.0; each],
            accepted: vec![false; each],
            device: String::new(),
            seconds: 0.0,
            warned: Vec::new(),
        }
    }

    /// Samples the problems of a group of states, with a seed each, and stores the results in the
    /// states' rows. Absent contacts of a state get zero velocity and impulse.
    fn take<R: carom_law::lanes::Kernels>(
        &mut self,
        part: &[(usize, Vec<usize>)],
        (problems, seeds): (&[ContactProblem], &[u64]),
        mut batch: Batch<'_, R>,
        [m, d]: [usize; 2],
        plan: &Plan,
    ) -> carom_core::error::Result<()> {
        let [_, samples, n, k] = self.shape;
        let start = Instant::now();
        let all = batch.sample_seeded(problems, seeds)?;
        self.seconds += start.elapsed().as_secs_f64();
        for (((b, contacts), problem), found) in part.iter().zip(problems).zip(all) {
            let rows = b * samples..(b + 1) * samples;
            self.velocity[rows.start * n..rows.end * n].copy_from_slice(&found.velocity);
            let tangents = contacts.iter().flat_map(|i| m + d * i..m + d * (i + 1));
            let places: Vec<usize> = contacts.iter().copied().chain(tangents).collect();
            for (to, from) in [
                (&mut self.contact_velocity, &found.contact_velocity),
                (&mut self.impulse, &found.impulse),
            ] {
                let to = to[rows.start * k..rows.end * k].chunks_exact_mut(k);
                for (to, from) in to.zip(from.chunks_exact(places.len())) {
                    for (place, x) in places.iter().zip(from) {
                        to[*place] = *x;
                    }
                }
            }
            for (to, status) in self.status[rows.clone()].iter_mut().zip(&found.status) {
                *to = status.code();
            }
            let most = plan.law.most_residual(problem, self.precision.residual());
            for (i, accepted) in self.accepted[rows.clone()].iter_mut().enumerate() {
                *accepted = found.is_accepted(i, most);
            }
            self.steps[rows.clone()].copy_from_slice(&found.steps);
            self.residual[rows.clone()].copy_from_slice(&found.residual);
            self.kinetic_energy[rows].copy_from_slice(&found.kinetic_energy);
        }
        Ok(())
    }
}

/// The seeds of states `0 .. count` under one seed; see `carom_core::rng::seed_of_state`.
#[pyfunction]
pub fn seeds_of_states(py: Python<'_>, seed: u64, count: u64) -> Bound<'_, PyArray1<u64>> {
    PyArray1::from_vec(py, (0..count).map(|state| seed_of_state(seed, state)).collect())
}
