//! A finished run, and the device on which it took place.

use schemars::JsonSchema;
use serde::Serialize;

use super::doubt::Doubted;
use crate::run::Precision;
use carom_core::outcome::Summary;

/// The device on which a run took place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DeviceInfo {
    /// `cpu` or `gpu`: the code that computes.
    #[schemars(extend("enum" = ["cpu", "gpu"]))]
    pub kind: &'static str,
    /// Whether it is an adapter that a processor imitates.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub software: bool,
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
    /// `cpu`, `gpu`, or `software` for an adapter that a processor imitates.
    pub fn word(&self) -> &'static str {
        if self.software { "software" } else { self.kind }
    }

    /// The reason for which this device was chosen, with the number of threads.
    pub fn reason(&self) -> String {
        match self.threads {
            None => self.why.clone(),
            Some(1) => format!("{}; 1 thread", self.why),
            Some(threads) => format!("{}; {threads} threads", self.why),
        }
    }
}

/// A finished run.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The device on which the run took place.
    pub device: DeviceInfo,
    /// The precision of the samples.
    pub precision: Precision,
    /// The solver of steps: the name of a [`StepSolver`](crate::run::StepSolver), or of the GPU
    /// kernel.
    pub solver: &'static str,
    /// The reasons for the choice of the solver, line by line.
    pub why: Vec<String>,
    /// The number of samples that were asked for.
    pub asked: u64,
    /// The statistics of the samples.
    pub summary: Summary,
    /// Results of the cross-check, for a run on a GPU.
    pub doubted: Option<Doubted>,
    /// The impulse step `h` of the run in N s, if the law has one.
    pub step: Option<f64>,
    /// The step limit of the run.
    pub max_steps: u32,
    /// Wall-clock seconds of the whole run.
    pub seconds_total: f64,
    /// Wall-clock seconds of preparation: scaling, tables, pipelines.
    pub seconds_build: f64,
    /// Wall-clock seconds in the kernels: with checks on the CPU, until read back on a GPU.
    pub seconds_kernel: f64,
    /// Wall-clock seconds in which the host checks and recomputes finished samples of a GPU.
    pub seconds_finish: f64,
}

impl Finished {
    /// Whether the run was stopped early. A stopped run has the first samples.
    pub fn is_partial(&self) -> bool {
        self.summary.samples < self.asked
    }
}
