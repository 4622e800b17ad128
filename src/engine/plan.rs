//! What to sample, where, and in what precision; and the loop that does it.

use crate::error::Result;
use crate::law::Law;
use crate::outcome::{Samples, Summary};
use crate::problem::ContactProblem;

/// The precision of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// IEEE single; samples it cannot verify are solved again in f64.
    F32,
    /// IEEE double.
    F64,
}

/// Where to compute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Device {
    /// A real GPU if there is one, else the CPU; a software adapter is never chosen.
    #[default]
    Auto,
    /// All cores of this machine.
    Cpu,
    /// The first GPU, a software adapter if there is no other.
    Gpu,
    /// The adapter whose name contains this text, ignoring case.
    Named(String),
}

/// Where a run took place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// `cpu` or `gpu`.
    pub kind: &'static str,
    /// The processor's or the adapter's name.
    pub name: String,
    /// `rayon`, `vulkan`, `metal`, `dx12`.
    pub backend: String,
    /// Why this device was taken, in one line.
    pub why: String,
}

/// What to sample.
#[derive(Clone, Debug)]
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
}

/// A finished run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Where it took place.
    pub device: DeviceInfo,
    /// In what precision.
    pub precision: Precision,
    /// What came out.
    pub summary: Summary,
    /// Wall-clock seconds of the whole run.
    pub seconds_total: f64,
    /// Wall-clock seconds in the kernels alone.
    pub seconds_kernel: f64,
}

/// Samples a problem; hands the samples to `sink` in order, in runs of bounded size.
///
/// # Errors
/// What the law cannot honour, a device that does not exist or was lost, and whatever `sink` returns.
pub fn sample(problem: &ContactProblem, plan: &Plan, mut sink: impl FnMut(&Samples) -> Result<()>) -> Result<Run> {
    let _ = (problem, plan, &mut sink);
    todo!()
}
