//! Samples of one problem.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use carom::cli::embedded;
use carom::internals::real::Real;
use carom::output::query::Beside;
use carom::output::saved::SavedSet;
use carom::output::{self, RunRecord, report};
use carom::study::SampledSet;
use carom::{
    ContactProblem, Differentiator, Engine, Finished, Mode, Plan, Precision, ProcessKind,
    Tolerance, Wrt,
};
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::json;

use crate::engine::{Sampling, opened};
use crate::errors::{Raise, exception};
use crate::interrupts;
use crate::pool;
use crate::problem::{Problem, table};

/// The samples of a run: arrays of NumPy that own their numbers, and what is needed to ask them.
#[pyclass(frozen, module = "carom._carom")]
pub struct Samples {
    #[pyo3(get)]
    velocity: Py<PyArray2<f64>>,
    #[pyo3(get)]
    contact_velocity: Py<PyArray2<f64>>,
    #[pyo3(get)]
    impulse: Py<PyArray2<f64>>,
    #[pyo3(get)]
    kinetic_energy: Py<PyArray1<f64>>,
    #[pyo3(get)]
    steps: Py<PyArray1<u32>>,
    #[pyo3(get)]
    status: Py<PyArray1<u8>>,
    #[pyo3(get)]
    residual: Py<PyArray1<f64>>,
    #[pyo3(get)]
    repaired: Py<PyArray1<bool>>,
    problem: Arc<ContactProblem>,
    plan: Plan,
    engine: Arc<Engine>,
    tolerance: Tolerance,
    /// The statistics, which small runs compute when they are asked for; and the record that goes
    /// with them.
    run: OnceLock<(Finished, RunRecord)>,
    saved: OnceLock<SavedSet>,
    beside: OnceLock<Beside>,
}

/// Up to so many samples, the event process in double precision on the CPU is prepared once for a
/// problem and kept: preparation takes longer than the samples. They are the same samples.
const SMALL: u64 = 4096;

/// Samples a problem. `options` hold the law, the device and the precision.
#[pyfunction]
pub fn sample(
    py: Python<'_>,
    problem: &Problem,
    options: &Sampling,
    samples: u64,
    seed: u64,
) -> PyResult<Samples> {
    let given = problem;
    let problem = options.0.on(given.problem.clone()).raise()?;
    let plan = options.plan(samples, seed).raise()?;
    let engine = opened(&problem, &plan).raise()?;
    let exact = plan.law.process_on(&problem) == ProcessKind::Events;
    let double = engine.info().kind == "cpu" && engine.precision(&plan) == Precision::F64;
    let run = OnceLock::new();
    let (drawn, tolerance) = if exact && double && (1..=SMALL).contains(&samples) {
        let drawn = py.detach(|| pool::run(|| given.kept(options, &problem, &plan))).raise()?;
        (drawn, Tolerance { rest: problem.rest_velocity::<f64>(), residual: f64::RESIDUAL })
    } else {
        let (done, drawn) = interrupts::run(py, |stop| {
            engine.collect(&problem, &Plan { stop: Some(stop), ..plan.clone() })
        })?;
        let tolerance = done.summary.tolerance();
        let _ = run.set(concluded(&problem, &plan, &engine, done));
        (drawn, tolerance)
    };
    let (n, k, count) = (problem.coordinate_count(), problem.jacobian().nrows(), drawn.len());
    Ok(Samples {
        velocity: table(py, drawn.velocity, n, count)?.unbind(),
        contact_velocity: table(py, drawn.contact_velocity, k, count)?.unbind(),
        impulse: table(py, drawn.impulse, k, count)?.unbind(),
        kinetic_energy: PyArray1::from_vec(py, drawn.kinetic_energy).unbind(),
        steps: PyArray1::from_vec(py, drawn.steps).unbind(),
        status: PyArray1::from_vec(py, drawn.status.iter().map(|status| status.code()).collect())
            .unbind(),
        residual: PyArray1::from_vec(py, drawn.residual).unbind(),
        repaired: PyArray1::from_vec(py, drawn.repaired).unbind(),
        problem: Arc::new(problem),
        plan,
        engine,
        tolerance,
        run,
        saved: OnceLock::new(),
        beside: OnceLock::new(),
    })
}

/// A run with its record.
fn concluded(
    problem: &ContactProblem,
    plan: &Plan,
    engine: &Engine,
    run: Finished,
) -> (Finished, RunRecord) {
    let mut record = RunRecord::new(problem, plan, engine.info(), engine.precision(plan));
    record.conclude(problem, &run);
    (run, record)
}

#[pymethods]
impl Samples {
    /// The problem that was sampled, with the options' restitution and uncertainty, JSON.
    fn problem(&self) -> String {
        json!(self.problem.spec()).to_string()
    }

    /// The report of `carom sample --json`.
    fn summary(&self, py: Python<'_>) -> PyResult<String> {
        let (run, record) = self.run(py)?;
        Ok(report::json(&self.problem, record, run).to_string())
    }

    /// The largest residual of an accepted sample.
    #[getter]
    fn tolerance(&self) -> f64 {
        self.tolerance.residual
    }

    #[getter]
    fn warnings(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.run(py)?.1.warnings.clone())
    }

    /// Whether the samples are forecasts of a model, not outcomes of its law alone.
    #[getter]
    fn forecast(&self) -> bool {
        self.plan.forecaster.is_some()
    }

    /// The mode of each contact (N,m), and the names of modes.
    fn modes<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyArray2<u8>>, Vec<&'static str>)> {
        embedded::modes(self.plan.forecaster.is_some()).raise()?;
        let (m, d) = (self.problem.contact_count(), self.problem.tangents_per_contact());
        let rest = self.tolerance.rest;
        let velocities = self.contact_velocity.bind(py).readonly();
        let modes: Vec<u8> = (velocities.as_array().rows().into_iter())
            .flat_map(|u| {
                let of = move |i: usize| {
                    let tangent: Vec<f64> = (0..d).map(|a| u[m + i * d + a]).collect();
                    Mode::of(u[i], &tangent, [rest; 2]) as u8
                };
                (0..m).map(of).collect::<Vec<_>>()
            })
            .collect();
        let count = velocities.as_array().nrows();
        let names =
            [Mode::Lift, Mode::Stick, Mode::Slide, Mode::SlideBack].map(|mode| mode.name(d));
        Ok((table(py, modes, m, count)?, names.to_vec()))
    }

    /// The answer to a question of `carom query`, JSON.
    fn ask(&self, py: Python<'_>, arguments: Vec<String>) -> PyResult<String> {
        let saved = self.saved(py)?;
        py.detach(|| pool::run(|| embedded::ask(saved, &self.beside, &arguments)))
            .raise()
            .map(|answer| answer.to_string())
    }

    /// A picture of the set: the bytes of a file of this name.
    fn draw<'py>(
        &self,
        py: Python<'py>,
        arguments: Vec<String>,
        name: &str,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let saved = self.saved(py)?;
        let path = Path::new(name);
        let drawn =
            py.detach(|| pool::run(|| embedded::draw(saved, Some(&self.plan), &arguments, path)));
        Ok(PyBytes::new(py, &drawn.raise()?))
    }

    /// Writes every sample to a file, `.parquet` or `.npz`.
    fn write(&self, py: Python<'_>, path: PathBuf, wrt: Option<&str>) -> PyResult<()> {
        let samples = self.samples(py);
        let wrt = wrt.map(variable).transpose()?;
        let (run, record) = self.run(py)?;
        interrupts::run(py, |stop| {
            let plan = Plan { stop: Some(stop), ..self.plan.clone() };
            let mut record = record.clone();
            record.jacobian = wrt;
            let mut file = output::create(&path, &self.problem, &record)?;
            let derivatives = match wrt {
                Some(wrt) => {
                    let found = Differentiator::new(&self.problem, &plan, wrt)?;
                    Some(found.jacobians(samples.first, samples.len(), || ())?)
                }
                None => None,
            };
            file.write(&samples, derivatives.as_ref())?;
            file.finish(run.doubted.as_ref())
        })
    }

    /// The derivatives of the first `count` samples, from number `first` on: (N,n,p).
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        wrt: &str,
        first: u64,
        count: usize,
    ) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let wrt = variable(wrt)?;
        let found = interrupts::run(py, |stop| {
            let plan = Plan { stop: Some(stop), ..self.plan.clone() };
            Differentiator::new(&self.problem, &plan, wrt)?.jacobians(first, count, || ())
        })?;
        let shape = [count, self.problem.coordinate_count(), found.columns];
        PyArray1::from_vec(py, found.values).reshape(shape)
    }
}

impl Samples {
    /// The samples as the library has them.
    fn samples(&self, py: Python<'_>) -> carom::Samples {
        let rows = |array: &Py<PyArray2<f64>>| flat(&array.bind(py).readonly());
        let numbers = |array: &Py<PyArray1<f64>>| array.bind(py).readonly().as_array().to_vec();
        let codes = self.status.bind(py).readonly();
        let status = codes
            .as_array()
            .iter()
            .map(|code| carom::Status::from_code(u32::from(*code)))
            .collect();
        carom::Samples {
            first: 0,
            velocity: rows(&self.velocity),
            contact_velocity: rows(&self.contact_velocity),
            impulse: rows(&self.impulse),
            kinetic_energy: numbers(&self.kinetic_energy),
            steps: self.steps.bind(py).readonly().as_array().to_vec(),
            status,
            residual: numbers(&self.residual),
            repaired: self.repaired.bind(py).readonly().as_array().to_vec(),
        }
    }

    /// The accepted samples, for questions.
    fn saved(&self, py: Python<'_>) -> PyResult<&SavedSet> {
        if let Some(saved) = self.saved.get() {
            return Ok(saved);
        }
        let samples = self.samples(py);
        let (run, record) = self.run(py)?;
        let mut set = match run.precision {
            Precision::F32 => SampledSet::new::<f32>(&self.problem),
            Precision::F64 => SampledSet::new::<f64>(&self.problem),
        }
        .raise()?;
        set.add(&samples, self.tolerance.residual);
        Ok(self.saved.get_or_init(|| SavedSet { set, record: json!(record) }))
    }

    /// The statistics of the samples, and their record.
    fn run(&self, py: Python<'_>) -> PyResult<&(Finished, RunRecord)> {
        if let Some(run) = self.run.get() {
            return Ok(run);
        }
        let run = interrupts::run(py, |stop| {
            self.engine.summarize(
                &self.problem,
                &Plan { stop: Some(stop), ..self.plan.clone() },
                |_| {},
            )
        })?;
        Ok(self.run.get_or_init(|| concluded(&self.problem, &self.plan, &self.engine, run)))
    }
}

/// The numbers of an array, row by row.
fn flat(array: &PyReadonlyArray2<'_, f64>) -> Vec<f64> {
    array.as_array().iter().copied().collect()
}

/// What derivatives are with respect to.
fn variable(name: &str) -> PyResult<Wrt> {
    let known = if name == "mu" { "friction" } else { name };
    Wrt::ALL.into_iter().find(|wrt| wrt.name() == known).ok_or_else(|| {
        let what = format!(
            "unknown variable `{name}`; expected velocity, friction (mu), restitution or step"
        );
        exception(&carom::Error::usage(what).at("wrt"))
    })
}
