//! A problem prepared once and sampled in a loop.

use std::sync::{Mutex, MutexGuard, PoisonError};

use carom_core::outcome::Samples;
use carom_engine::{Precision, PreparedImpact};
use carom_report::warnings::{biased, of_samples, of_velocity};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::arrays::{fixed, reals};
use crate::engine::Sampling;
use crate::errors::Raise;
use crate::problem::Problem;

/// Number of samples between two checks for signals such as Ctrl-C.
const PART: usize = 8192;

/// See `carom.Prepared`. Threads take turns.
#[pyclass(frozen, module = "carom._carom")]
pub struct Prepared {
    sampler: Mutex<PreparedImpact>,
    precision: Precision,
    tolerance: f64,
    coordinates: usize,
    rows: usize,
    /// The warnings about the problem.
    #[pyo3(get)]
    warnings: Vec<String>,
}

/// Velocities (N,n), contact velocities (N,K), impulses (N,K), kinetic energies (N), steps (N),
/// status codes (N), residuals (N).
type Outcomes<'py> = (
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Bound<'py, PyArray1<u32>>,
    Bound<'py, PyArray1<u8>>,
    Bound<'py, PyAny>,
);

#[pymethods]
impl Prepared {
    #[new]
    fn new(problem: &Problem, options: &Sampling, seed: u64) -> PyResult<Self> {
        let problem = options.0.on(problem.problem.clone()).raise()?;
        let plan = options.plan(0, seed).raise()?;
        let sampler = PreparedImpact::new(&problem, &plan).raise()?;
        let precision = plan.precision.unwrap_or(Precision::F64);
        let warnings = of_samples(&problem, &plan.law);
        Ok(Prepared {
            warnings,
            tolerance: sampler.tolerance().residual,
            sampler: Mutex::new(sampler),
            precision,
            coordinates: problem.coordinate_count(),
            rows: problem.jacobian().nrows(),
        })
    }

    /// Sets the velocity before the impact (n); the warning that nothing can happen, if so. A
    /// velocity that is refused leaves the last one in place.
    fn set_velocity(
        &self,
        py: Python<'_>,
        velocity: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Option<String>> {
        let velocity = velocity.as_array().to_vec();
        py.detach(|| {
            let mut sampler = self.sampler();
            sampler.velocity(&velocity)?;
            Ok(of_velocity(sampler.current()))
        })
        .raise()
    }

    /// The largest residual of an accepted sample.
    #[getter]
    fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// Samples `first .. first + count`.
    fn sample<'py>(&self, py: Python<'py>, first: u64, count: usize) -> PyResult<Outcomes<'py>> {
        let mut all = Samples::default();
        for done in (0..count).step_by(PART) {
            let (first, part) = (first + done as u64, PART.min(count - done));
            py.check_signals()?;
            let samples = py.detach(|| self.sampler().sample(first, part).clone());
            if done == 0 { all = samples } else { all.append(samples) }
        }
        let many = |numbers, width| reals(py, numbers, self.precision, &[count, width]);
        let one = |numbers| reals(py, numbers, self.precision, &[count]);
        let status = all.status.iter().map(|status| status.code()).collect();
        Ok((
            many(all.velocity, self.coordinates)?,
            many(all.contact_velocity, self.rows)?,
            many(all.impulse, self.rows)?,
            one(all.kinetic_energy)?,
            fixed(PyArray1::from_vec(py, all.steps)),
            fixed(PyArray1::from_vec(py, status)),
            one(all.residual)?,
        ))
    }
}

impl Prepared {
    fn sampler(&self) -> MutexGuard<'_, PreparedImpact> {
        self.sampler.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The warning about samples of which `terminated` have ended, if so many have not.
#[pyfunction]
pub fn unfinished(terminated: u64, samples: u64) -> Option<String> {
    biased(terminated, samples).filter(|_| samples > 0)
}
