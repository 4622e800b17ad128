//! A problem that is prepared once and sampled in a loop.

use std::sync::{Mutex, MutexGuard, PoisonError};

use carom::{PreparedImpact, Samples};
use numpy::{PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::engine::Sampling;
use crate::errors::Raise;
use crate::problem::{Problem, table};

/// Samples between two looks for signals such as Ctrl-C.
const PART: usize = 8192;

/// See `carom.Prepared`. Threads take turns.
#[pyclass(frozen, module = "carom._carom")]
pub struct Prepared {
    sampler: Mutex<PreparedImpact>,
    coordinates: usize,
    rows: usize,
}

/// Velocities (N,n), impulses (N,K), status codes (N), residuals (N).
type Outcomes<'py> = (
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray1<u8>>,
    Bound<'py, PyArray1<f64>>,
);

#[pymethods]
impl Prepared {
    #[new]
    fn new(problem: &Problem, options: &Sampling, seed: u64) -> PyResult<Self> {
        let problem = options.0.on(problem.problem.clone()).raise()?;
        let plan = options.plan(0, seed).raise()?;
        let sampler = PreparedImpact::new(&problem, &plan).raise()?;
        Ok(Prepared {
            sampler: Mutex::new(sampler),
            coordinates: problem.coordinate_count(),
            rows: problem.jacobian().nrows(),
        })
    }

    /// Sets the velocity before the impact (n). One that is refused leaves the last one in place.
    fn set_velocity(&self, py: Python<'_>, velocity: PyReadonlyArray1<'_, f64>) -> PyResult<()> {
        let velocity = velocity.as_array().to_vec();
        py.detach(|| self.sampler().velocity(&velocity)).raise()
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
        let Samples { velocity, impulse, status, residual, .. } = all;
        Ok((
            table(py, velocity, self.coordinates, count)?,
            table(py, impulse, self.rows, count)?,
            PyArray1::from_vec(py, status.iter().map(|status| status.code()).collect()),
            PyArray1::from_vec(py, residual),
        ))
    }
}

impl Prepared {
    fn sampler(&self) -> MutexGuard<'_, PreparedImpact> {
        self.sampler.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
