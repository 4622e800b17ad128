//! Samples of one problem.

use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use carom_analysis::judged::Farthest;
use carom_analysis::sampled_set::SampledSet;
use carom_analysis::{Differentiator, Wrt};
use carom_cli::embedded;
use carom_cli::embedded::Answering;
use carom_core::outcome::{Mode, Tolerance};
use carom_core::problem::ContactProblem;
use carom_core::real::Real;
use carom_data::saved::SavedSet;
use carom_engine::doubt::Doubted;
use carom_engine::{DeviceInfo, Engine, Finished, Plan, Precision};
use carom_law::most_residual;
use carom_law::{Law, ProcessKind};
use carom_report::query::Beside;
use carom_report::warnings::long;
use carom_report::{RunRecord, report};
use numpy::{
    PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods,
};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Deserialize;
use serde_json::json;

use crate::arrays::{fixed, numbers, reals, table};
use crate::engine::{Sampling, opened};
use crate::errors::{Raise, exception};
use crate::interrupts;
use crate::pool;
use crate::problem::Problem;

/// Derivatives (N,n,p), and which samples have one (N).
type Slopes<'py> = (Bound<'py, PyArray3<f64>>, Bound<'py, PyArray1<bool>>);

/// The samples of a run: read-only arrays of NumPy that own their numbers, and what is needed to
/// ask them. Arrays of numbers that are not whole have the precision of the run.
#[pyclass(frozen, module = "carom._carom")]
pub struct Samples {
    #[pyo3(get)]
    velocity: Py<PyAny>,
    #[pyo3(get)]
    contact_velocity: Py<PyAny>,
    #[pyo3(get)]
    impulse: Py<PyAny>,
    #[pyo3(get)]
    kinetic_energy: Py<PyAny>,
    #[pyo3(get)]
    steps: Py<PyArray1<u32>>,
    #[pyo3(get)]
    status: Py<PyArray1<u8>>,
    #[pyo3(get)]
    residual: Py<PyAny>,
    #[pyo3(get)]
    repaired: Py<PyArray1<bool>>,
    problem: Arc<ContactProblem>,
    plan: Plan,
    engine: Arc<Engine>,
    precision: Precision,
    tolerance: Tolerance,
    /// The warnings about the problem.
    of_problem: Vec<String>,
    /// Record of the run; small runs compute it on first use.
    run: OnceLock<(Told, RunRecord)>,
    saved: OnceLock<SavedSet>,
    beside: OnceLock<Beside>,
}

/// The origin of the run's statistics.
enum Told {
    /// The run itself.
    Run(Box<Finished>),
    /// The report of an earlier run, JSON, and its cross-check.
    Report(String, Option<Doubted>),
}

/// Largest number of samples of a small run: the event process in double precision on the CPU then
/// uses a cached sampler, as preparation takes longer than the samples. The samples do not change.
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
    let precision = engine.precision(&plan);
    let exact = plan.law.process_on(&problem) == ProcessKind::Events;
    let double = engine.info().kind == "cpu" && precision == Precision::F64;
    let run = OnceLock::new();
    let (drawn, tolerance, of_problem) = if exact && double && (1..=SMALL).contains(&samples) {
        let kept = py.detach(|| pool::run(|| given.kept(options, &problem, &plan)));
        let (drawn, warnings) = kept.raise()?;
        let rest = problem.rest_velocity::<f64>();
        (drawn, Tolerance { rest, residual: f64::RESIDUAL }, warnings)
    } else {
        forewarn(py, &engine, &problem, &plan)?;
        let (done, drawn) = interrupts::run(py, |stop| {
            engine.collect(&problem, &Plan { stop: Some(stop), ..plan.clone() })
        })?;
        let tolerance = done.summary.tolerance();
        let _ = run.set(concluded(&problem, &plan, &engine, done));
        (drawn, tolerance, Vec::new())
    };
    let (n, k, count) = (problem.coordinate_count(), problem.jacobian().nrows(), drawn.len());
    let many = |numbers, width| reals(py, numbers, precision, &[count, width]).map(Bound::unbind);
    let one = |numbers| reals(py, numbers, precision, &[count]).map(Bound::unbind);
    let status = drawn.status.iter().map(|status| status.code()).collect();
    Ok(Samples {
        velocity: many(drawn.velocity, n)?,
        contact_velocity: many(drawn.contact_velocity, k)?,
        impulse: many(drawn.impulse, k)?,
        kinetic_energy: one(drawn.kinetic_energy)?,
        steps: fixed(PyArray1::from_vec(py, drawn.steps)).unbind(),
        status: fixed(PyArray1::from_vec(py, status)).unbind(),
        residual: one(drawn.residual)?,
        repaired: fixed(PyArray1::from_vec(py, drawn.repaired)).unbind(),
        problem: Arc::new(problem),
        plan,
        engine,
        precision,
        tolerance,
        of_problem,
        run,
        saved: OnceLock::new(),
        beside: OnceLock::new(),
    })
}

/// Warns about a long run, with the line that called `carom.sample`.
fn forewarn(
    py: Python<'_>,
    engine: &Engine,
    problem: &ContactProblem,
    plan: &Plan,
) -> PyResult<()> {
    let seconds = py.detach(|| pool::run(|| engine.seconds(problem, plan))).raise()?;
    let Some(long) = seconds.and_then(|seconds| long(seconds, plan.samples)) else {
        return Ok(());
    };
    let category = py.import("carom.errors")?.getattr("CaromWarning")?;
    PyErr::warn(py, &category, &CString::new(long)?, 2)
}

/// Arrays of samples, as in [`Samples`]: velocities, contact velocities, impulses, kinetic
/// energies, steps, status codes, residuals, and which samples were recomputed in double precision.
type Arrays = (
    Py<PyAny>,
    Py<PyAny>,
    Py<PyAny>,
    Py<PyAny>,
    Py<PyArray1<u32>>,
    Py<PyArray1<u8>>,
    Py<PyAny>,
    Py<PyArray1<bool>>,
);

/// The samples of a run that took place before, perhaps elsewhere: of `problem` with `options`
/// under `seed`, from their arrays and the JSON of the run's report.
#[pyfunction]
pub fn restored(
    py: Python<'_>,
    problem: &Problem,
    options: &Sampling,
    seed: u64,
    arrays: Arrays,
    report: String,
) -> PyResult<Samples> {
    let (velocity, contact_velocity, impulse, kinetic_energy, steps, status, residual, repaired) =
        arrays;
    // The problem already has the options applied.
    let problem = problem.problem.clone();
    let plan = options.plan(status.bind(py).len() as u64, seed).raise()?;
    let told: Report = serde_json::from_str(&report)
        .map_err(|e| exception(&carom_core::error::Error::input(e.to_string()).at("report")))?;
    let Report { device, precision, accuracy, warnings, doubted } = told;
    let mut record = RunRecord::new(&problem, &plan, &device.info(), precision);
    record.warnings = warnings;
    let residual_limit = most_residual(precision.residual(), accuracy);
    Ok(Samples {
        velocity,
        contact_velocity,
        impulse,
        kinetic_energy,
        steps,
        status,
        residual,
        repaired,
        tolerance: Tolerance { rest: precision.rest_velocity(&problem), residual: residual_limit },
        problem: Arc::new(problem),
        plan,
        engine: Arc::new(Engine::open(&carom_engine::Device::Cpu).raise()?),
        precision,
        of_problem: Vec::new(),
        run: OnceLock::from((Told::Report(report, doubted), record)),
        saved: OnceLock::new(),
        beside: OnceLock::new(),
    })
}

/// The data of a run's report that samples alone lack.
#[derive(Deserialize)]
struct Report {
    device: Device,
    precision: Precision,
    accuracy: Option<f64>,
    warnings: Vec<String>,
    doubted: Option<Doubted>,
}

/// A device in a report.
#[derive(Deserialize)]
struct Device {
    kind: String,
    #[serde(default)]
    software: bool,
    name: String,
    backend: String,
    why: String,
}

impl Device {
    fn info(self) -> DeviceInfo {
        let Device { kind, software, name, backend, why } = self;
        let kind = if kind == "gpu" { "gpu" } else { "cpu" };
        DeviceInfo { kind, software, name, backend, why, threads: None }
    }
}

/// Wraps a run with its record.
fn concluded(
    problem: &ContactProblem,
    plan: &Plan,
    engine: &Engine,
    run: Finished,
) -> (Told, RunRecord) {
    let mut record = RunRecord::new(problem, plan, engine.info(), engine.precision(plan));
    record.conclude(problem, &run);
    (Told::Run(Box::new(run)), record)
}

#[pymethods]
impl Samples {
    /// The problem that was sampled, with the options' restitution and uncertainty, JSON.
    fn problem(&self) -> String {
        json!(self.problem.spec()).to_string()
    }

    /// The report of `carom sample --json`.
    fn summary(&self, py: Python<'_>) -> PyResult<String> {
        let (told, record) = self.run(py)?;
        Ok(match told {
            Told::Run(run) => report::json(&self.problem, record, run).to_string(),
            Told::Report(report, _) => report.clone(),
        })
    }

    /// The largest residual of an accepted sample.
    #[getter]
    fn tolerance(&self) -> f64 {
        self.tolerance.residual
    }

    #[getter]
    fn warnings(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        // If all samples of a small run have ended, only the problem has warnings.
        let ended = || numbers_of(&self.status, py).iter().all(|code| *code == 0);
        if self.run.get().is_none() && ended() {
            return Ok(self.of_problem.clone());
        }
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
        let velocities = numbers(self.contact_velocity.bind(py))?;
        let rows = velocities.chunks_exact((m * (1 + d)).max(1));
        let count = rows.len();
        let modes: Vec<u8> = rows
            .flat_map(|u| {
                let tangent = move |i: usize| &u[m + i * d..m + (i + 1) * d];
                (0..m).map(move |i| Mode::of_sample(u[i], tangent(i), [rest; 2]) as u8)
            })
            .collect();
        let names = Mode::ALL.map(|mode| mode.name(d));
        Ok((table(py, modes, m, count)?, names.to_vec()))
    }

    /// The answer to a question of `carom query`, JSON; `answering`: the `samples` alone, the exact
    /// `set` beside them, or `proofs` as well.
    fn ask(&self, py: Python<'_>, answering: &str, arguments: Vec<String>) -> PyResult<String> {
        let (saved, answering) = (self.saved(py)?, answering_of(answering));
        py.detach(|| pool::run(|| embedded::ask(saved, &self.beside, answering, &arguments)))
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
        let law = self.plan.forecaster.is_none().then_some(&self.plan.law);
        proved(py, &self.problem, law, arguments, farthest)
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
        let samples = self.samples(py)?;
        let wrt = wrt.map(variable).transpose()?;
        let (told, record) = self.run(py)?;
        let doubted = match told {
            Told::Run(run) => &run.doubted,
            Told::Report(_, doubted) => doubted,
        };
        interrupts::run(py, |stop| {
            let plan = Plan { stop: Some(stop), ..self.plan.clone() };
            let mut record = record.clone();
            record.jacobian = wrt;
            let mut file = carom_data::create(&path, &self.problem, &record)?;
            let derivatives = match wrt {
                Some(wrt) => {
                    let found = Differentiator::new(&self.problem, &plan, wrt)?;
                    Some(found.jacobians(samples.first, samples.len(), || ())?)
                }
                None => None,
            };
            file.write(&samples, derivatives.as_ref())?;
            file.finish(doubted.as_ref())
        })
    }

    /// The derivatives of the first `count` samples, from number `first` on: (N,n,p), and whether
    /// each sample has one. Others have those of their branches if that is asked for, else NaN.
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        wrt: &str,
        hold_step: bool,
        branches: bool,
        first: u64,
        count: usize,
    ) -> PyResult<Slopes<'py>> {
        let wrt = variable(wrt)?;
        let found = interrupts::run(py, |stop| {
            let plan = Plan { stop: Some(stop), ..self.plan.clone() };
            differentiator(&self.problem, &plan, wrt, [hold_step, branches])?.jacobians(
                first,
                count,
                || (),
            )
        })?;
        let shape = [count, self.problem.coordinate_count(), found.columns];
        let values = PyArray1::from_vec(py, found.values).reshape(shape)?;
        Ok((values, PyArray1::from_vec(py, found.differentiable)))
    }

    /// The one-sided derivatives of the first `count` samples, from number `first` on, along a
    /// change of the velocity before the impact (n): (N,n).
    fn jvp<'py>(
        &self,
        py: Python<'py>,
        direction: PyReadonlyArray1<'py, f64>,
        first: u64,
        count: usize,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let direction = direction.as_array().to_vec();
        let found = interrupts::run(py, |stop| {
            let plan = Plan { stop: Some(stop), ..self.plan.clone() };
            Differentiator::along(&self.problem, &plan, &direction)?.directional(first, count)
        })?;
        table(py, found.values, self.problem.coordinate_count(), count)
    }
}

impl Samples {
    /// The samples in the library's format.
    fn samples(&self, py: Python<'_>) -> PyResult<carom_core::outcome::Samples> {
        let codes = self.status.bind(py).readonly();
        let status = codes
            .as_array()
            .iter()
            .map(|code| carom_core::status::Status::from_code(u32::from(*code)))
            .collect();
        Ok(carom_core::outcome::Samples {
            first: 0,
            velocity: numbers(self.velocity.bind(py))?,
            contact_velocity: numbers(self.contact_velocity.bind(py))?,
            impulse: numbers(self.impulse.bind(py))?,
            kinetic_energy: numbers(self.kinetic_energy.bind(py))?,
            steps: self.steps.bind(py).readonly().as_array().to_vec(),
            status,
            residual: numbers(self.residual.bind(py))?,
            repaired: self.repaired.bind(py).readonly().as_array().to_vec(),
        })
    }

    /// The accepted samples, for questions.
    fn saved(&self, py: Python<'_>) -> PyResult<&SavedSet> {
        if let Some(saved) = self.saved.get() {
            return Ok(saved);
        }
        let samples = self.samples(py)?;
        // Questions need no statistics of the run.
        let record = match self.run.get() {
            Some((_, record)) => json!(record),
            None => {
                let device = self.engine.info();
                json!(RunRecord::new(&self.problem, &self.plan, device, self.precision))
            }
        };
        let mut set = match self.precision {
            Precision::F32 => SampledSet::new::<f32>(&self.problem),
            Precision::F64 => SampledSet::new::<f64>(&self.problem),
        }
        .raise()?;
        set.add(&samples, self.tolerance.residual);
        Ok(self.saved.get_or_init(|| SavedSet { set, record }))
    }

    /// The statistics of the samples, and their record.
    fn run(&self, py: Python<'_>) -> PyResult<&(Told, RunRecord)> {
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

/// The sources of an answer, by name.
pub fn answering_of(name: &str) -> Answering {
    match name {
        "samples" => Answering::Samples,
        "set" => Answering::Set,
        _ => Answering::Proofs,
    }
}

/// Proofs of upper bounds for all outcomes of the law, JSON; without a law, of forecasts.
pub fn proved(
    py: Python<'_>,
    problem: &ContactProblem,
    law: Option<&Law>,
    arguments: Vec<String>,
    farthest: Option<(f64, u64)>,
) -> PyResult<String> {
    let farthest = farthest.map(|(value, sample)| Farthest { value, sample });
    let work = |stop| embedded::prove(problem, law, farthest, &arguments, &Some(stop));
    interrupts::run(py, work).map(|found| found.to_string())
}

/// A copy of the entries of an array.
fn numbers_of(array: &Py<PyArray1<u8>>, py: Python<'_>) -> Vec<u8> {
    array.bind(py).readonly().as_array().to_vec()
}

/// A differentiator of samples; options: hold the impulse step fixed, and differentiate samples at
/// kinks along their branches.
pub fn differentiator<'a>(
    problem: &'a ContactProblem,
    plan: &'a Plan,
    wrt: Wrt,
    [hold_step, branches]: [bool; 2],
) -> carom_core::error::Result<Differentiator<'a>> {
    let found = match wrt {
        Wrt::Velocity if hold_step => Differentiator::at_held_step(problem, plan)?,
        wrt => Differentiator::new(problem, plan, wrt)?,
    };
    Ok(if branches { found.of_branches() } else { found })
}

/// Parses the variable of a derivative.
pub fn variable(name: &str) -> PyResult<Wrt> {
    let known = if name == "mu" { "friction" } else { name };
    Wrt::ALL.into_iter().find(|wrt| wrt.name() == known).ok_or_else(|| {
        let what = format!(
            "unknown variable `{name}`; expected velocity, friction (mu), restitution or step"
        );
        exception(&carom_core::error::Error::usage(what).at("wrt"))
    })
}
