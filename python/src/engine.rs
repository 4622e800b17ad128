//! How and where samples are computed.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use carom::cli::embedded;
use carom::{ContactProblem, Device, Engine, Plan};
use pyo3::prelude::*;

use crate::errors::Raise;

/// A law with its options, device and precision, in the words of `carom sample`.
#[pyclass(frozen, module = "carom._carom")]
pub struct Sampling {
    pub how: embedded::Sampling,
    /// The options that it was made of.
    pub words: Vec<String>,
}

#[pymethods]
impl Sampling {
    #[new]
    fn new(options: Vec<String>) -> PyResult<Self> {
        let how = embedded::Sampling::read(&options).raise()?;
        Ok(Sampling { how, words: options })
    }
}

/// The devices that have been opened: opening one takes longer than a small run.
static OPEN: LazyLock<Mutex<HashMap<String, Arc<Engine>>>> = LazyLock::new(Mutex::default);

/// The device of a plan, opened once for all runs.
pub fn opened(problem: &ContactProblem, plan: &Plan) -> carom::Result<Arc<Engine>> {
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
