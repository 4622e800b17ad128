//! The results of a bench.

use serde::Serialize;

use crate::shading::Variant;

/// With fewer repeats there is no 99th percentile.
pub const MANY_REPEATS: usize = 100;

/// What was measured on one device.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// `cpu` or `gpu`.
    pub kind: &'static str,
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
    pub peaks: Vec<Peak>,
    /// The measurements, scene by scene.
    pub measurements: Vec<Measurement>,
    /// The latencies of few samples.
    pub latencies: Vec<Latency>,
    /// Whether the bench was interrupted before all was measured.
    pub interrupted: bool,
}

/// The peak performance of a device.
#[derive(Clone, Debug, Serialize)]
pub struct Peak {
    /// Precision of the multiply-adds.
    pub precision: &'static str,
    /// Threads; `None` on a GPU.
    pub threads: Option<usize>,
    /// Multiply-adds, two flop each.
    pub flop_per_second: f64,
    /// Copying, reads and writes counted.
    pub bytes_per_second: f64,
}

/// How often something is done in a second.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Rate {
    /// In the best repeat.
    pub best: f64,
    /// In the median one.
    pub median: f64,
    /// How far repeats differ: the 90th percentile of their times over the 10th, less 1.
    pub spread: f64,
    /// Repeats.
    pub repeats: usize,
}

/// The sampling speed in one scene with one solver.
#[derive(Clone, Debug, Serialize)]
pub struct Measurement {
    /// The scene.
    pub scene: String,
    /// Its contacts.
    pub contacts: usize,
    /// In what precision.
    pub precision: &'static str,
    /// By which law.
    pub law: &'static str,
    /// Facets of the friction cones, if they have any.
    pub facets: Option<u32>,
    /// By which process.
    pub process: &'static str,
    /// Which solution of a step is taken.
    pub solution: &'static str,
    /// How steps are solved.
    pub solver: &'static str,
    /// Threads; `None` on a GPU.
    pub threads: Option<usize>,
    /// Samples of a run.
    pub samples: u64,
    /// Samples per second of the kernel alone: on a GPU by its own clock, where it has one.
    pub kernel: Rate,
    /// By which clock: `timestamps` of the device, or `host`, which counts submission and readback
    /// too.
    pub clock: &'static str,
    /// Samples per second of the kernel with submission and readback, on a GPU.
    pub with_readback: Option<Rate>,
    /// Samples per second from kernel to statistics, with all checks.
    pub end_to_end: Rate,
    /// Mean steps per sample.
    pub steps_mean: f64,
    /// Impulse steps - complementarity problems - that the kernel solves in a second.
    pub lcps_per_second: f64,
    /// Flop that a sample needs, counted step by step, or in other processes one by one in the
    /// scalar engine, as `f64` has it: operations in idle lanes of vectors are not counted.
    pub flop_per_sample: f64,
    /// `flop_per_sample` times the kernel's median rate.
    pub flop_per_second: f64,
    /// `flop_per_second` over the peak of the same precision and threads.
    pub share_of_peak: Option<f64>,
    /// Of the wall-clock time of a run, the share in which the host checks and repairs what a GPU
    /// has computed, while that computes on.
    pub finish_share: f64,
    /// Share of the samples that were computed again in f64.
    pub repaired_share: f64,
    /// Share of the terminated samples that were not accepted.
    pub not_accepted_share: f64,
    /// Preparation in ms: scaling, tables, trees, pipelines.
    pub build_ms: f64,
    /// A command that runs the same samples.
    pub command: String,
}

impl Measurement {
    /// How it samples: the law, unless that is routh, then facets, the solution of Lemke's method,
    /// or the process.
    pub fn how(&self) -> &'static str {
        match (self.law, self.facets, self.solution) {
            ("routh", Some(_), _) => "facets",
            ("routh", None, "lemke") => "lemke",
            ("routh", ..) => self.process,
            (law, ..) => law,
        }
    }
}

/// The time that few samples take, checks included.
#[derive(Clone, Debug, Serialize)]
pub struct Latency {
    /// What is measured.
    pub what: &'static str,
    /// The scene.
    pub scene: String,
    /// In what precision.
    pub precision: &'static str,
    /// Problems.
    pub problems: usize,
    /// Samples of each.
    pub samples: u64,
    /// Threads; `None` on a GPU.
    pub threads: Option<usize>,
    /// Repeats.
    pub repeats: usize,
    /// The shortest, in microseconds.
    pub min_us: f64,
    /// The median.
    pub median_us: f64,
    /// The 99th percentile, where there are [`MANY_REPEATS`] at least.
    pub p99_us: Option<f64>,
    /// The time of the kernel alone for the same samples, everything prepared, nothing checked. On
    /// the CPU with the planner's solver, as the time of one thread over the number of threads.
    pub kernel_us: f64,
}
