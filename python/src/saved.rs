//! Sets from files.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use carom_cli::embedded;
use carom_data::saved;
use carom_data::saved::SavedSet;
use carom_engine::run::Run;
use carom_report::forecasts;
use carom_report::query::Beside;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::json;

use crate::arrays::{fixed, table};
use crate::errors::Raise;
use crate::pool;
use crate::samples::{answering_of, proved};

/// The accepted samples of a file.
#[pyclass(frozen, module = "carom._carom")]
pub struct Saved {
    saved: SavedSet,
    beside: OnceLock<Beside>,
}

/// Reads a file of samples, `.parquet` or `.npz`.
#[pyfunction]
pub fn read(py: Python<'_>, path: PathBuf) -> PyResult<Saved> {
    py.detach(|| pool::run(|| saved::read(&path)))
        .raise()
        .map(|saved| Saved { saved, beside: OnceLock::new() })
}

#[pymethods]
impl Saved {
    /// The problem that was sampled, JSON.
    fn problem(&self) -> String {
        json!(self.saved.set.problem().spec()).to_string()
    }

    /// The record of the run, JSON.
    fn record(&self) -> String {
        self.saved.record.to_string()
    }

    #[getter]
    fn velocity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let set = &self.saved.set;
        let velocities = set.velocities().to_vec();
        table(py, velocities, set.problem().coordinate_count(), set.len()).map(fixed)
    }

    /// The numbers of the samples.
    #[getter]
    fn sample<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let numbers = self.saved.set.numbers().iter().map(|number| *number as i64);
        fixed(PyArray1::from_vec(py, numbers.collect()))
    }

    /// The answer to a question of `carom query`, JSON; `answering`: the `samples` alone, the exact
    /// `set` beside them, or `proofs` as well.
    fn ask(&self, py: Python<'_>, answering: &str, arguments: Vec<String>) -> PyResult<String> {
        let answering = answering_of(answering);
        py.detach(|| pool::run(|| embedded::ask(&self.saved, &self.beside, answering, &arguments)))
            .raise()
            .map(|answer| answer.to_string())
    }

    /// Proofs of what no outcome of the law exceeds, JSON; `farthest`: the value and the number of
    /// the sample that goes farthest, if any. Draws no sample.
    fn prove(
        &self,
        py: Python<'_>,
        arguments: Vec<String>,
        farthest: Option<(f64, u64)>,
    ) -> PyResult<String> {
        let SavedSet { set, record } = &self.saved;
        let run = Run::recorded(record).filter(|_| !forecasts(record));
        proved(py, set.problem(), run.as_ref().map(|run| &run.law), arguments, farthest)
    }

    /// A picture of the set: the bytes of a file of this name.
    fn draw<'py>(
        &self,
        py: Python<'py>,
        arguments: Vec<String>,
        name: &str,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let drawn = py.detach(|| {
            pool::run(|| embedded::draw(&self.saved, None, &arguments, Path::new(name)))
        });
        Ok(PyBytes::new(py, &drawn.raise()?))
    }
}
