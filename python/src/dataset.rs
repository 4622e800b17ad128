//! Data sets.

use std::borrow::Cow;
use std::path::PathBuf;

use carom_core::problem::{ProblemArrays, StateArrays};
use carom_data::dataset::DatasetPlan;
use carom_engine::run::Run;
use numpy::{PyReadonlyArray2, PyReadonlyArray3};
use pyo3::prelude::*;

use crate::arrays::{entries, truths};
use crate::engine::Sampling;
use crate::errors::Raise;
use crate::interrupts;

/// The plan of a data set; see `carom.DatasetPlan`.
#[pyclass(frozen, module = "carom._carom")]
pub struct Plan(DatasetPlan);

/// The array with owned numbers.
fn owned(array: carom_core::problem::Array<'_>) -> carom_core::problem::Array<'static> {
    carom_core::problem::Array {
        shape: array.shape,
        numbers: Cow::Owned(array.numbers.into_owned()),
    }
}

#[pymethods]
impl Plan {
    #[new]
    fn new(path: PathBuf) -> PyResult<Self> {
        DatasetPlan::open(&path).map(Plan).raise()
    }

    /// The plan of states in arrays, of which each has a row; see `carom.DatasetPlan.of_states`.
    #[staticmethod]
    #[pyo3(signature = (name, mass, normal, tangent, friction, velocity, restitution, active, coordinates, contacts, options, samples, seed, rows))]
    #[expect(clippy::too_many_arguments, reason = "they are the arguments in Python")]
    fn of_arrays(
        py: Python<'_>,
        name: &str,
        mass: PyReadonlyArray3<'_, f64>,
        normal: PyReadonlyArray3<'_, f64>,
        tangent: PyReadonlyArray3<'_, f64>,
        friction: PyReadonlyArray2<'_, f64>,
        velocity: PyReadonlyArray2<'_, f64>,
        restitution: Option<PyReadonlyArray2<'_, f64>>,
        active: Option<PyReadonlyArray2<'_, bool>>,
        coordinates: Option<Vec<String>>,
        contacts: Option<Vec<String>>,
        options: &Sampling,
        samples: u64,
        seed: u64,
        rows: Option<u64>,
    ) -> PyResult<Self> {
        let arrays = StateArrays {
            mass: owned(entries(&mass)),
            normal: owned(entries(&normal)),
            tangent: Some(owned(entries(&tangent))),
            friction: Some(owned(entries(&friction))),
            velocity: owned(entries(&velocity)),
            restitution: restitution.as_ref().map(|e| owned(entries(e))),
            active: active.as_ref().map(truths).map(|(shape, of)| (shape, of.into_owned().into())),
            coordinates,
            contacts,
        };
        let run = Run { seed, ..options.0.clone() };
        let plan = py.detach(|| {
            let problems = ProblemArrays::new(name, arrays)?;
            DatasetPlan::of_arrays(name, problems, run, samples, rows)
        });
        plan.map(Plan).raise()
    }

    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    #[getter]
    fn states(&self) -> u64 {
        self.0.states()
    }

    #[getter]
    fn samples(&self) -> u64 {
        self.0.samples()
    }

    #[getter]
    fn files(&self) -> u64 {
        self.0.files()
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.0.warnings()
    }

    #[getter]
    fn fingerprint(&self) -> &str {
        self.0.fingerprint()
    }

    /// The name of a file within the directory of the data set.
    fn file_name(&self, file: u64) -> String {
        self.0.file_name(file)
    }

    /// Makes the directory that of this data set, unless it is that of another.
    fn claim(&self, py: Python<'_>, directory: PathBuf) -> PyResult<()> {
        py.detach(|| self.0.claim(&directory)).raise()
    }

    /// Whether a file is there, whole.
    fn has(&self, py: Python<'_>, directory: PathBuf, file: u64) -> PyResult<bool> {
        interrupts::run(py, |stop| self.0.part(&directory, file, &stop).map(|part| part.is_some()))
    }

    /// Whether a file is there, by what its end says of it.
    fn listed(&self, py: Python<'_>, directory: PathBuf, file: u64) -> PyResult<bool> {
        py.detach(|| self.0.listed(&directory, file).map(|part| part.is_some())).raise()
    }

    /// Makes a file, unless it is there.
    fn run_file(&self, py: Python<'_>, directory: PathBuf, file: u64) -> PyResult<()> {
        interrupts::run(py, |stop| self.0.run_file(&directory, file, &stop, &|_| {}).map(drop))
    }

    /// Writes `dataset.json` and `README.md` of the files that are there; how many rows they have.
    fn finish(&self, py: Python<'_>, directory: PathBuf) -> PyResult<u64> {
        interrupts::run(py, |stop| self.0.finish(&directory, &stop).map(|inventory| inventory.rows))
    }
}
