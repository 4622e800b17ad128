//! Contact problems.

use carom_core::outcome::Samples;
use carom_core::problem::{ContactProblem, ProblemSpec};
use carom_engine::run::Run;
use carom_engine::{Plan, PreparedImpact};
use std::sync::{Mutex, PoisonError};

use carom_cli::embedded;
use carom_report::warnings::of_samples;
use carom_scene::{Document, Format};
use nalgebra::DMatrix;
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::arrays::table;
use crate::engine::Sampling;
use crate::errors::Raise;

/// A checked contact problem; see `carom.ContactProblem`.
#[pyclass(frozen, module = "carom._carom")]
pub struct Problem {
    pub problem: ContactProblem,
    /// The scene or file of the problem, and the values of its parameters.
    source: Option<(String, Vec<(String, f64)>)>,
    /// Cache of samplers for small runs, with their options, latest first.
    kept: Mutex<Vec<(Run, Kept)>>,
}

/// A sampler, and the warnings about its problem.
struct Kept {
    sampler: PreparedImpact,
    warnings: Vec<String>,
}

/// Size of the cache of samplers.
const KEPT: usize = 4;

impl Problem {
    fn new(problem: ContactProblem, source: Option<(String, Vec<(String, f64)>)>) -> Self {
        Problem { problem, source, kept: Mutex::default() }
    }

    /// The samples of a small run, and the warnings about the problem. `problem` is this problem
    /// with `options` applied.
    pub fn kept(
        &self,
        options: &Sampling,
        problem: &ContactProblem,
        plan: &Plan,
    ) -> carom_core::error::Result<(Samples, Vec<String>)> {
        let mut all = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.iter().position(|(of, _)| *of == options.0);
        let mut kept = match known {
            Some(at) => all.remove(at).1,
            None => Kept {
                sampler: PreparedImpact::new(problem, plan)?,
                warnings: of_samples(problem, &plan.law),
            },
        };
        kept.sampler.seed(plan.seed);
        let mut samples = Samples::default();
        kept.sampler.sample_into(0, plan.samples as usize, &mut samples);
        let warnings = kept.warnings.clone();
        all.truncate(KEPT - 1);
        all.insert(0, (options.0.clone(), kept));
        Ok((samples, warnings))
    }
}

/// A matrix as an array (r,c).
pub fn matrix<'py>(py: Python<'py>, matrix: &DMatrix<f64>) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let numbers: Vec<f64> = matrix.transpose().as_slice().to_vec();
    table(py, numbers, matrix.ncols(), matrix.nrows())
}

/// The rows of an array (r,c).
fn rows(array: &PyReadonlyArray2<'_, f64>) -> Vec<Vec<f64>> {
    array.as_array().outer_iter().map(|row| row.to_vec()).collect()
}

#[pymethods]
impl Problem {
    /// The problem of a built-in scene, or of a file, with values of its parameters.
    #[staticmethod]
    fn scene(what: String, set: Vec<(String, f64)>) -> PyResult<Self> {
        let values: Vec<(&str, f64)> =
            set.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let problem =
            Document::open(&what).and_then(|document| document.problem(&values)).raise()?;
        Ok(Problem::new(problem, Some((what, set))))
    }

    /// The problem of the text of a file, TOML or JSON.
    #[staticmethod]
    fn text(name: &str, text: String) -> PyResult<Self> {
        let format = if text.trim_start().starts_with('{') { Format::Json } else { Format::Toml };
        let problem =
            Document::new(name, text, format).and_then(|document| document.problem(&[])).raise()?;
        Ok(Problem::new(problem, None))
    }

    /// The problem of arrays and names, which are those of a problem file: `mass` (n,n), rows of
    /// `normal` (m,n), `tangent` (d m,n) and `bilateral` (b,n), coefficients (m), `velocity` (n).
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "they are the keys of a problem file")]
    fn arrays(
        name: String,
        mass: PyReadonlyArray2<'_, f64>,
        normal: PyReadonlyArray2<'_, f64>,
        tangent: Option<PyReadonlyArray2<'_, f64>>,
        friction: Option<PyReadonlyArray1<'_, f64>>,
        velocity: PyReadonlyArray1<'_, f64>,
        restitution: Option<PyReadonlyArray1<'_, f64>>,
        bilateral: Option<PyReadonlyArray2<'_, f64>>,
        coordinates: Option<Vec<String>>,
        units: Option<Vec<String>>,
        contacts: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let numbers = |array: &PyReadonlyArray1<'_, f64>| array.as_array().to_vec();
        let problem = ContactProblem::new(ProblemSpec {
            name,
            mass: rows(&mass),
            normal: rows(&normal),
            tangent: tangent.as_ref().map(rows).unwrap_or_default(),
            friction: friction.as_ref().map(numbers),
            restitution: restitution.as_ref().map(numbers),
            bilateral: bilateral.as_ref().map(rows).unwrap_or_default(),
            velocity: numbers(&velocity),
            coordinates,
            units,
            contacts,
            ..ProblemSpec::default()
        });
        Ok(Problem::new(problem.raise()?, None))
    }

    /// The problem with another velocity before the impact.
    fn with_velocity(&self, velocity: PyReadonlyArray1<'_, f64>) -> PyResult<Self> {
        let mut problem = self.problem.clone();
        problem.set_velocity(&velocity.as_array().to_vec()).raise()?;
        Ok(Problem::new(problem, self.source.clone()))
    }

    /// The scene or file that it is from, and the values of its parameters.
    #[getter]
    fn source(&self) -> Option<(String, Vec<(String, f64)>)> {
        self.source.clone()
    }

    /// The problem file, JSON.
    fn json(&self) -> String {
        serde_json::json!(self.problem.spec()).to_string()
    }

    /// The default number of samples.
    #[getter]
    fn samples(&self) -> u64 {
        Run::default().samples_on(&self.problem)
    }

    #[getter]
    fn name(&self) -> &str {
        self.problem.name()
    }

    #[getter]
    fn mass<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        matrix(py, self.problem.mass())
    }

    /// `J = [Jn; Jt]`, K rows.
    #[getter]
    fn jacobian<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        matrix(py, self.problem.jacobian())
    }

    #[getter]
    fn delassus<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        matrix(py, self.problem.delassus())
    }

    #[getter]
    fn velocity<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.problem.velocity().as_slice())
    }

    #[getter]
    fn friction<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.problem.friction())
    }

    #[getter]
    fn restitution<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        self.problem.restitution().map(|e| PyArray1::from_slice(py, e))
    }

    #[getter]
    fn contact_count(&self) -> usize {
        self.problem.contact_count()
    }

    #[getter]
    fn tangents(&self) -> usize {
        self.problem.tangents_per_contact()
    }

    #[getter]
    fn coordinates(&self) -> Vec<String> {
        self.problem.coordinates().to_vec()
    }

    /// The units of the velocities, where they are known.
    #[getter]
    fn units(&self) -> Vec<Option<&str>> {
        (0..self.problem.coordinate_count()).map(|i| self.problem.unit(i)).collect()
    }

    #[getter]
    fn contacts(&self) -> Vec<String> {
        self.problem.contacts().to_vec()
    }

    /// Checks a direction of velocities in the words of `carom bound`; its numbers (n).
    fn direction<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_vec(py, embedded::direction(&self.problem, text).raise()?))
    }

    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.problem.warnings().to_vec()
    }

    fn kinetic_energy(&self, velocity: PyReadonlyArray1<'_, f64>) -> f64 {
        self.problem.kinetic_energy(&velocity.as_array().to_vec())
    }
}
