//! Data sets.

use std::path::PathBuf;

use carom::dataset::DatasetPlan;
use pyo3::prelude::*;

use crate::errors::Raise;
use crate::interrupts;

/// The plan of a data set; see `carom.DatasetPlan`.
#[pyclass(frozen, module = "carom._carom")]
pub struct Plan(DatasetPlan);

#[pymethods]
impl Plan {
    #[new]
    fn new(path: PathBuf) -> PyResult<Self> {
        DatasetPlan::open(&path).map(Plan).raise()
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

    /// Makes a file, unless it is there.
    fn run_file(&self, py: Python<'_>, directory: PathBuf, file: u64) -> PyResult<()> {
        interrupts::run(py, |stop| self.0.run_file(&directory, file, &stop, &|_| {}).map(drop))
    }

    /// Writes `dataset.json` and `README.md` of the files that are there; how many rows they have.
    fn finish(&self, py: Python<'_>, directory: PathBuf) -> PyResult<u64> {
        interrupts::run(py, |stop| self.0.finish(&directory, &stop).map(|inventory| inventory.rows))
    }
}
