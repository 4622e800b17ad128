//! Law, device and precision of sampling.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use carom_core::problem::ContactProblem;
use carom_engine::run::Run;
use carom_engine::{Device, Engine, Plan};
use carom_forecast::identify::modelled;
use pyo3::prelude::*;

use crate::errors::Raise;

/// What is asked for beside a problem, samples and a seed: a law with its options, device and
/// precision.
#[pyclass(frozen, module = "carom._carom")]
pub struct Sampling(pub Run);

#[pymethods]
impl Sampling {
    /// Reads the fields that differ from their defaults, JSON, and the model file that they name.
    #[new]
    fn new(fields: &str) -> PyResult<Self> {
        let run = Run::from_json(fields).and_then(|run| modelled(run, Path::new("")));
        Ok(Sampling(run.raise()?))
    }
}

impl Sampling {
    /// The plan of `samples` samples.
    pub fn plan(&self, samples: u64, seed: u64) -> carom_core::error::Result<Plan> {
        Ok(Plan { samples, seed, ..self.0.plan() })
    }
}

/// Cache of opened devices: opening takes longer than a small run.
static OPEN: LazyLock<Mutex<HashMap<String, Arc<Engine>>>> = LazyLock::new(Mutex::default);

/// The device of a plan, from the cache or freshly opened.
pub fn opened(problem: &ContactProblem, plan: &Plan) -> carom_core::error::Result<Arc<Engine>> {
    let device = match Engine::why_cpu(problem, plan) {
        Some(_) => Device::Cpu,
        None => plan.device.clone(),
    };
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let name = format!("{device:?}");
    if let Some(engine) = open.get(&name) {
        return Ok(Arc::clone(engine));
    }
    let engine = Arc::new(Engine::open(&device)?);
    open.insert(name, Arc::clone(&engine));
    Ok(engine)
}
