//! The results of a bench.

use std::collections::BTreeMap;

use super::energy::Energy;
use carom_law::ProcessKind;
use carom_shaders::Variant;
use schemars::JsonSchema;
use serde::Serialize;

/// Fewest repeats for which the 99th percentile is reported.
pub const MANY_REPEATS: usize = 100;

/// The results of a bench on one device.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct Report {
    /// `cpu` or `gpu`.
    pub kind: &'static str,
    /// Whether it is an adapter that a processor imitates.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub software: bool,
    /// The processor's or the adapter's name.
    pub name: String,
    /// `rayon`, `vulkan`, `metal`, `dx12`.
    pub backend: String,
    /// The adapter's driver.
    pub driver: Option<String>,
    /// The variant of a GPU's kernels.
    pub variant: Option<Variant>,
    /// Threads of the CPU engine.
    pub threads: Option<usize>,
    /// The vector instructions of the CPU.
    pub instruction_set: Option<&'static str>,
    /// The peak performance of the device.
    pub peaks: Vec<MeasuredPeak>,
    /// The measurements, scene by scene.
    pub measurements: Vec<Measurement>,
    /// The latencies of few samples.
    pub latencies: Vec<Latency>,
    /// The times of fixed work, where they were asked for instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub work: Vec<Work>,
    /// Whether the bench was interrupted before all was measured.
    pub interrupted: bool,
}

/// The peak performance of a device.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MeasuredPeak {
    /// Precision of the multiply-adds.
    pub precision: &'static str,
    /// Number of threads; `None` on a GPU.
    pub threads: Option<usize>,
    /// Multiply-adds per second, times two flop.
    pub flop_per_second: f64,
    /// Bytes per second of copying, reads and writes counted.
    pub bytes_per_second: f64,
}

/// A rate over repeats, per second.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Rate {
    /// The rate of the best repeat.
    pub best: f64,
    /// The rate of the median repeat.
    pub median: f64,
    /// Spread of the repeats: the 90th percentile of their times over the 10th, minus 1.
    pub spread: f64,
    /// Number of repeats.
    pub repeats: usize,
}

/// The sampling speed in one scene with one solver.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Measurement {
    /// The name of the scene.
    pub scene: String,
    /// Number of contacts of the scene.
    pub contacts: usize,
    /// The precision of the samples.
    pub precision: &'static str,
    /// The name of the law.
    pub law: &'static str,
    /// Facets of the friction cones, if they have any.
    pub facets: Option<u32>,
    /// The name of the process.
    pub process: &'static str,
    /// The choice among several solutions of a step.
    pub solution: &'static str,
    /// The solver of the steps.
    pub solver: &'static str,
    /// Number of threads; `None` on a GPU.
    pub threads: Option<usize>,
    /// Number of samples of a run.
    pub samples: u64,
    /// Samples per second of the kernel alone: on a GPU by its own clock, where it has one.
    pub kernel: Rate,
    /// The clock of that rate: `timestamps` of the device, or `host`, which counts submission and
    /// readback too.
    pub clock: &'static str,
    /// Samples per second of the kernel with submission and readback, on a GPU.
    pub with_readback: Option<Rate>,
    /// Samples per second from kernel to statistics, with all checks.
    pub end_to_end: Rate,
    /// Mean steps per sample.
    pub steps_mean: f64,
    /// Impulse steps - complementarity problems - that the kernel solves in a second.
    pub lcps_per_second: f64,
    /// Flop of a sample: for steps counted step by step, for other processes one by one in the
    /// scalar engine in `f64`. Operations in idle lanes of vectors are not counted.
    pub flop_per_sample: f64,
    /// `flop_per_sample` times the kernel's median rate.
    pub flop_per_second: f64,
    /// `flop_per_second` over the peak of the same precision and threads.
    pub share_of_peak: Option<f64>,
    /// Share of a run's wall-clock time in which the host checks and repairs results of a GPU,
    /// while the GPU computes further samples.
    pub finish_share: f64,
    /// Share of the samples that were computed again in f64.
    pub repaired_share: f64,
    /// Share of the terminated samples that were not accepted.
    pub not_accepted_share: f64,
    /// Time of preparation in ms: scaling, tables, trees, pipelines.
    pub build_ms: f64,
    /// A command that runs the same samples.
    pub command: String,
}

impl Measurement {
    /// The kind of sampling: name of the law; of routh the facets, Lemke's solution, or the
    /// process.
    pub fn how(&self) -> &'static str {
        match (self.law, self.facets, self.solution) {
            ("routh", Some(_), _) => "facets",
            ("routh", None, "lemke") => "lemke",
            ("routh", ..) => ProcessKind::word_of(self.process),
            (law, ..) => law,
        }
    }
}

/// The time that few samples take, checks included.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Latency {
    /// The name of the measurement.
    pub what: &'static str,
    /// The name of the scene.
    pub scene: String,
    /// The precision of the samples.
    pub precision: &'static str,
    /// Number of problems.
    pub problems: usize,
    /// Number of samples of each problem.
    pub samples: u64,
    /// Number of threads; `None` on a GPU.
    pub threads: Option<usize>,
    /// Number of repeats.
    pub repeats: usize,
    /// The shortest time, in microseconds.
    pub min_us: f64,
    /// The median time, in microseconds.
    pub median_us: f64,
    /// The 99th percentile of the times, where there are at least [`MANY_REPEATS`].
    pub p99_us: Option<f64>,
    /// The time of the kernel alone for the same samples, everything prepared, nothing checked. On
    /// the CPU with the planner's solver, as the time of one thread over the number of threads.
    pub kernel_us: f64,
}

/// The time of a fixed number of samples of a scene, by its default law, from kernel to statistics,
/// with all checks.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Work {
    /// The name of the scene.
    pub scene: String,
    /// Number of contacts of the scene.
    pub contacts: usize,
    /// The precision of the samples.
    pub precision: &'static str,
    /// The name of the process.
    pub process: &'static str,
    /// The solver of the steps.
    pub solver: &'static str,
    /// Number of samples.
    pub samples: u64,
    /// Samples that are checked solutions of the law.
    pub accepted: u64,
    /// Seconds of preparation on a device that was opened for it: scaling, tables, and on a GPU the
    /// compilation of its kernels, unless its driver remembers them.
    pub compile_seconds: f64,
    /// Seconds of all samples, without preparation.
    pub seconds: f64,
    /// Accepted samples per second.
    pub accepted_per_second: f64,
    /// Flop of a sample, as for a measured rate.
    pub flop_per_sample: f64,
    /// Bytes of a sample's result, which a kernel writes and the statistics read.
    pub bytes_per_sample: f64,
    /// `flop_per_sample` times the samples per second, over the peak of the device.
    pub share_of_peak: Option<f64>,
    /// The energy of the device meanwhile, where the machine can tell; `null` elsewhere.
    pub energy: Option<Energy>,
    /// The integer statistics of all samples.
    pub counts: Counts,
    /// The FNV-1a hash of `counts` in 64 bits: equal wherever all samples end in the same way.
    pub hash: String,
    /// How many of the first samples the CPU counts elsewhere; `null` on the CPU.
    pub check: Option<WorkCheck>,
    /// A command that runs the same samples.
    pub command: String,
}

/// The integer statistics of samples.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Counts {
    /// Number of samples by how they ended.
    pub status: BTreeMap<&'static str, u64>,
    /// Number of accepted samples by the modes of their contacts.
    pub modes: BTreeMap<String, u64>,
    /// Steps over all samples.
    pub steps: u64,
}

/// The first samples beside those of the CPU in the same precision.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct WorkCheck {
    /// Number of samples.
    pub samples: u64,
    /// Share of them that the CPU counts under another status or other modes, at least.
    pub apart: f64,
    /// The largest share that rounding explains.
    pub allowed: f64,
}

impl WorkCheck {
    /// Whether rounding explains the difference.
    pub fn agrees(&self) -> bool {
        self.apart <= self.allowed
    }
}
