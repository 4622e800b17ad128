//! Many states at once.

use std::collections::BTreeMap;
use std::time::Instant;

use carom::{Batch, ContactProblem, Plan, Precision, ProblemSpec, Samples};
use numpy::ndarray::{ArrayView2, ArrayView3, Axis};
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::engine::{Sampling, opened};
use crate::interrupts;

/// States that are computed at a time: their tables are in memory together.
const STATES: usize = 1024;

/// Velocities (B,N,n), impulses (B,N,K), status codes, steps, residuals and energies (B,N each),
/// the device, and the seconds in which the engine sampled.
type Outcomes<'py> = (
    Bound<'py, PyArray3<f64>>,
    Bound<'py, PyArray3<f64>>,
    Bound<'py, PyArray2<u8>>,
    Bound<'py, PyArray2<u32>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    String,
    f64,
);

/// The arrays of the states.
struct States<'a> {
    mass: ArrayView3<'a, f64>,
    normal: ArrayView3<'a, f64>,
    tangent: ArrayView3<'a, f64>,
    friction: ArrayView2<'a, f64>,
    velocity: ArrayView2<'a, f64>,
    restitution: Option<ArrayView2<'a, f64>>,
    active: Option<ArrayView2<'a, bool>>,
}

impl States<'_> {
    /// The contacts that state `b` has.
    fn contacts(&self, b: usize) -> Vec<usize> {
        let all = 0..self.normal.len_of(Axis(1));
        match &self.active {
            Some(active) => all.filter(|i| active[[b, *i]]).collect(),
            None => all.collect(),
        }
    }

    /// Number of tangents of a contact.
    fn tangents(&self) -> usize {
        self.tangent.len_of(Axis(1)) / self.normal.len_of(Axis(1)).max(1)
    }

    fn problem(&self, b: usize, contacts: &[usize]) -> carom::Result<ContactProblem> {
        let d = self.tangents();
        let rows =
            |array: &ArrayView3<'_, f64>, rows: &mut dyn Iterator<Item = usize>| -> Vec<Vec<f64>> {
                rows.map(|row| array.slice(numpy::ndarray::s![b, row, ..]).to_vec()).collect()
            };
        let chosen =
            |array: &ArrayView2<'_, f64>| contacts.iter().map(|i| array[[b, *i]]).collect();
        let of_contacts = |i: &usize| d * i..d * (i + 1);
        ContactProblem::new(ProblemSpec {
            mass: rows(&self.mass, &mut (0..self.mass.len_of(Axis(1)))),
            normal: rows(&self.normal, &mut contacts.iter().copied()),
            tangent: rows(&self.tangent, &mut contacts.iter().flat_map(of_contacts)),
            friction: Some(chosen(&self.friction)),
            restitution: self.restitution.as_ref().map(chosen),
            velocity: self.velocity.row(b).to_vec(),
            ..ProblemSpec::default()
        })
        .map_err(|error| {
            let at = format!("state {b}: {}", error.at.clone().unwrap_or_default());
            error.at(at.trim_end_matches(": "))
        })
    }
}

/// The first `samples` samples of each of B states; see `carom.sample_batch`.
#[pyfunction]
#[pyo3(signature = (mass, normal, tangent, friction, velocity, restitution, active, options, samples, seed))]
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
    seed: u64,
) -> PyResult<Outcomes<'py>> {
    let states = States {
        mass: mass.as_array(),
        normal: normal.as_array(),
        tangent: tangent.as_array(),
        friction: friction.as_array(),
        velocity: velocity.as_array(),
        restitution: restitution.as_ref().map(|e| e.as_array()),
        active: active.as_ref().map(|active| active.as_array()),
    };
    let (count, n) = (states.velocity.nrows(), states.velocity.ncols());
    let (m, d) = (states.normal.len_of(Axis(1)), states.tangents());
    let all = interrupts::run(py, |stop| {
        let plan = Plan { stop: Some(stop), ..options.plan(samples as u64, seed)? };
        let mut all = Outcome::zeros([count, samples, n, (1 + d) * m]);
        // A dispatch takes states with one number of contacts.
        let mut groups: BTreeMap<usize, Vec<(usize, Vec<usize>)>> = BTreeMap::new();
        for b in 0..count {
            let contacts = states.contacts(b);
            groups.entry(contacts.len()).or_default().push((b, contacts));
        }
        if let Some((b, _)) = groups.get(&0).and_then(|states| states.first()) {
            return Err(carom::Error::input("no contact is active").at(format!("state {b}")));
        }
        for states_of_group in groups.values() {
            for part in states_of_group.chunks(STATES) {
                let problem = |(b, contacts): &(usize, Vec<usize>)| {
                    options.0.on(states.problem(*b, contacts)?)
                };
                let problems: Vec<ContactProblem> =
                    part.par_iter().map(problem).collect::<carom::Result<_>>()?;
                let Some(first) = problems.first() else { continue };
                let engine = opened(first, &plan)?;
                all.device = engine.info().name.clone();
                match engine.precision(&plan) {
                    Precision::F32 => {
                        all.take(part, engine.batch::<f32>(&plan), &problems, [m, d])?
                    }
                    Precision::F64 => {
                        all.take(part, engine.batch::<f64>(&plan), &problems, [m, d])?
                    }
                }
            }
        }
        Ok(all)
    })?;
    let Outcome { shape: [count, samples, n, k], device, seconds, .. } = all;
    let two = |numbers: Vec<f64>| PyArray1::from_vec(py, numbers).reshape([count, samples]);
    Ok((
        PyArray1::from_vec(py, all.velocity).reshape([count, samples, n])?,
        PyArray1::from_vec(py, all.impulse).reshape([count, samples, k])?,
        PyArray1::from_vec(py, all.status).reshape([count, samples])?,
        PyArray1::from_vec(py, all.steps).reshape([count, samples])?,
        two(all.residual)?,
        two(all.kinetic_energy)?,
        device,
        seconds,
    ))
}

/// The arrays of all states, of shape `[B, N, n, K]`.
struct Outcome {
    shape: [usize; 4],
    velocity: Vec<f64>,
    impulse: Vec<f64>,
    status: Vec<u8>,
    steps: Vec<u32>,
    residual: Vec<f64>,
    kinetic_energy: Vec<f64>,
    device: String,
    seconds: f64,
}

impl Outcome {
    fn zeros(shape: [usize; 4]) -> Self {
        let [count, samples, n, k] = shape;
        let each = count * samples;
        Outcome {
            shape,
            velocity: vec![0.0; each * n],
            impulse: vec![0.0; each * k],
            status: vec![0; each],
            steps: vec![0; each],
            residual: vec![0.0; each],
            kinetic_energy: vec![0.0; each],
            device: String::new(),
            seconds: 0.0,
        }
    }

    /// Samples `problems`, which are the states `part`, and takes their rows. Contacts that a state
    /// does not have get no impulse.
    fn take<R: carom::Lane>(
        &mut self,
        part: &[(usize, Vec<usize>)],
        mut batch: Batch<'_, R>,
        problems: &[ContactProblem],
        [m, d]: [usize; 2],
    ) -> carom::Result<()> {
        let [_, samples, n, k] = self.shape;
        let start = Instant::now();
        let all = batch.sample(problems)?;
        self.seconds += start.elapsed().as_secs_f64();
        for ((b, contacts), found) in part.iter().zip(all) {
            let rows = b * samples..(b + 1) * samples;
            let Samples { velocity, impulse, status, steps, residual, kinetic_energy, .. } = found;
            self.velocity[rows.start * n..rows.end * n].copy_from_slice(velocity);
            let places = contacts
                .iter()
                .copied()
                .chain(contacts.iter().flat_map(|i| m + d * i..m + d * (i + 1)));
            let places: Vec<usize> = places.collect();
            let to = self.impulse[rows.start * k..rows.end * k].chunks_exact_mut(k);
            for (to, from) in to.zip(impulse.chunks_exact(places.len())) {
                for (place, x) in places.iter().zip(from) {
                    to[*place] = *x;
                }
            }
            for (to, status) in self.status[rows.clone()].iter_mut().zip(status) {
                *to = status.code();
            }
            self.steps[rows.clone()].copy_from_slice(steps);
            self.residual[rows.clone()].copy_from_slice(residual);
            self.kinetic_energy[rows].copy_from_slice(kinetic_energy);
        }
        Ok(())
    }
}
