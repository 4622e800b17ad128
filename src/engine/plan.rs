//! The plan of a run: law, samples, device, precision.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use super::doubt::Doubted;
use super::planner::StepSolver;
use crate::law::Law;
use crate::outcome::Summary;

/// The precision of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// IEEE single precision; samples that it cannot verify are computed again in f64.
    F32,
    /// IEEE double precision.
    F64,
}

impl Precision {
    /// `f32` or `f64`.
    pub fn name(self) -> &'static str {
        match self {
            Precision::F32 => "f32",
            Precision::F64 => "f64",
        }
    }
}

/// The device that computes a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Device {
    /// A hardware GPU if there is one, else the CPU; a software adapter is never chosen.
    #[default]
    Auto,
    /// All cores of this machine.
    Cpu,
    /// The best GPU, a software adapter if there is no other.
    Gpu,
    /// The adapter whose name contains this text, ignoring case.
    Named(String),
}

/// The device on which a run took place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeviceInfo {
    /// `cpu` or `gpu`.
    pub kind: &'static str,
    /// The processor's or the adapter's name.
    pub name: String,
    /// `rayon`, `vulkan`, `metal`, `dx12`.
    pub backend: String,
    /// The reason for which this device was chosen, in one line.
    pub why: String,
    /// Number of threads that compute, on the CPU. No result depends on it, and files do not
    /// contain it.
    #[serde(skip)]
    pub threads: Option<usize>,
}

impl DeviceInfo {
    /// The reason for which this device was chosen, with the number of threads.
    pub fn reason(&self) -> String {
        match self.threads {
            None => self.why.clone(),
            Some(1) => format!("{}; 1 thread", self.why),
            Some(threads) => format!("{}; {threads} threads", self.why),
        }
    }
}

/// The plan of a run.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The impact law.
    pub law: Law,
    /// Number of samples.
    pub samples: u64,
    /// Seed of the sample streams.
    pub seed: u64,
    /// The device.
    pub device: Device,
    /// The precision; `None`: f32 on a GPU, f64 on the CPU.
    pub precision: Option<Precision>,
    /// The solver of steps on the CPU; `None`: the fastest one that applies.
    pub solver: Option<StepSolver>,
    /// Largest number of samples computed at a time, rounded up to blocks; `None`: as many as take
    /// about a quarter of a second. Results do not depend on this number.
    pub chunk: Option<u64>,
    /// A flag that ends the run with [`ErrorKind::Interrupted`] within a few samples once it is
    /// true, for example set by a signal handler.
    ///
    /// [`ErrorKind::Interrupted`]: crate::error::ErrorKind::Interrupted
    pub stop: Option<Arc<AtomicBool>>,
}

impl Plan {
    /// Whether the run was asked to end early.
    pub(crate) fn stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// A finished run.
#[derive(Clone, Debug)]
pub struct Run {
    /// The device on which the run took place.
    pub device: DeviceInfo,
    /// The precision of the samples.
    pub precision: Precision,
    /// The solver of steps: a [`StepSolver`]'s name, or the GPU kernel's.
    pub solver: &'static str,
    /// The reasons for the choice of the solver, line by line.
    pub why: Vec<String>,
    /// The statistics of the samples.
    pub summary: Summary,
    /// The results of the samples that the host solved again, for a run on a GPU.
    pub doubted: Option<Doubted>,
    /// Impulse step `h` that was used, in N s, if the law has one.
    pub step: Option<f64>,
    /// Step limit that was used.
    pub max_steps: u32,
    /// Wall-clock seconds of the whole run.
    pub seconds_total: f64,
    /// Wall-clock seconds of preparation: scaling, tables, trees, pipelines.
    pub seconds_build: f64,
    /// Wall-clock seconds in the kernels; on the CPU with the checks of their samples, on a GPU
    /// until results are read back.
    pub seconds_kernel: f64,
    /// Wall-clock seconds in which the host checks and repairs results of a GPU, while the GPU
    /// computes the next samples.
    pub seconds_finish: f64,
}
