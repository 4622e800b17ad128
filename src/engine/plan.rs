//! What to sample, where, and in what precision.

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
    /// IEEE single; samples that it cannot verify are computed again in f64.
    F32,
    /// IEEE double.
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

/// Where to compute.
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

/// Where a run took place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeviceInfo {
    /// `cpu` or `gpu`.
    pub kind: &'static str,
    /// The processor's or the adapter's name.
    pub name: String,
    /// `rayon`, `vulkan`, `metal`, `dx12`.
    pub backend: String,
    /// Why this device was taken, in one line.
    pub why: String,
    /// How many threads of the CPU compute, if they do. No result depends on it, so neither do
    /// files.
    #[serde(skip)]
    pub threads: Option<usize>,
}

impl DeviceInfo {
    /// Why this device was taken, and with how many threads.
    pub fn reason(&self) -> String {
        match self.threads {
            None => self.why.clone(),
            Some(1) => format!("{}; 1 thread", self.why),
            Some(threads) => format!("{}; {threads} threads", self.why),
        }
    }
}

/// What to sample.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The impact law.
    pub law: Law,
    /// Number of samples.
    pub samples: u64,
    /// Seed of the sample streams.
    pub seed: u64,
    /// Where.
    pub device: Device,
    /// In what precision; `None`: f32 on a GPU, f64 on the CPU.
    pub precision: Option<Precision>,
    /// How the CPU solves steps; `None`: the fastest way that applies.
    pub solver: Option<StepSolver>,
    /// Largest number of samples computed at a time, rounded up to blocks; `None`: as many as take
    /// about a quarter second. Results do not depend on it.
    pub chunk: Option<u64>,
    /// If set to true, for example by a signal handler, the run ends with
    /// [`ErrorKind::Interrupted`] within a few samples.
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
    /// Where it took place.
    pub device: DeviceInfo,
    /// In what precision.
    pub precision: Precision,
    /// How steps were solved: a [`StepSolver`]'s name, or the GPU kernel's.
    pub solver: &'static str,
    /// Why the steps were solved so, line by line.
    pub why: Vec<String>,
    /// The statistics of the samples.
    pub summary: Summary,
    /// What became of the samples that the host solved again, of a run on a GPU.
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
    /// until these are read back.
    pub seconds_kernel: f64,
    /// Wall-clock seconds in which the host checks and repairs what a GPU has computed, while that
    /// computes the next samples.
    pub seconds_finish: f64,
}
