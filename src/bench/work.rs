//! The time of fixed work: the first samples of a seed, from kernel to statistics.

use std::collections::BTreeMap;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::case::{Case, default_on};
use super::energy::{Energy, Meter, of_processors};
use super::flop::flop_per_sample;
use super::{Bench, Report};
use crate::engine::lanes::Kernels;
use crate::engine::{Device, Engine, Precision, planner};
use crate::error::{ErrorKind, Result};
use crate::law::Ending;
use crate::outcome::Summary;
use crate::problem::ContactProblem;
use crate::status::Status;

/// Number of samples that the CPU computes too, in f64.
const CHECKED: u64 = 1 << 16;

/// The largest share of samples that may be counted elsewhere than on the CPU in f64.
const ALLOWED: f64 = 1e-3;

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
    /// How many of the first samples the CPU counts elsewhere.
    pub check: WorkCheck,
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

/// The first samples beside those of the CPU in f64.
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

impl Counts {
    /// The counts of a summary of a problem with d `tangents` per contact.
    fn of(summary: &Summary, tangents: usize) -> Self {
        let name = |modes: Vec<crate::outcome::Mode>| {
            modes.iter().map(|mode| mode.name(tangents)).collect::<Vec<_>>().join(" ")
        };
        let modes = summary.modes.by_frequency().into_iter();
        Counts {
            status: Status::ALL.iter().map(|&s| (s.name(), summary.count(s))).collect(),
            modes: modes.map(|(modes, count)| (name(modes), count)).collect(),
            steps: summary.steps_sum,
        }
    }

    /// The FNV-1a hash in 64 bits of lines `name count`: statuses, modes, steps, each in the order
    /// of names.
    fn hash(&self) -> String {
        let status = self.status.iter().map(|(name, count)| format!("{name} {count}\n"));
        let modes = self.modes.iter().map(|(name, count)| format!("{name} {count}\n"));
        let steps = std::iter::once(format!("steps {}\n", self.steps));
        let text: String = status.chain(modes).chain(steps).collect();
        let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        format!("{hash:016x}")
    }

    /// How many of as many samples the two count elsewhere, at least.
    fn apart(&self, other: &Counts) -> u64 {
        let part = |a: u64, b: u64| a.abs_diff(b);
        let status: u64 =
            self.status.iter().map(|(name, count)| part(*count, other.status[name])).sum();
        let names =
            self.modes.keys().chain(other.modes.keys().filter(|n| !self.modes.contains_key(*n)));
        let count = |counts: &Counts, name: &String| counts.modes.get(name).copied().unwrap_or(0);
        let modes: u64 = names.map(|name| part(count(self, name), count(other, name))).sum();
        status.max(modes).div_ceil(2)
    }
}

/// The kinds of samples whose time is told, and where.
struct Job<'a> {
    device: &'a Device,
    scene: &'a str,
    problem: &'a ContactProblem,
    precision: Precision,
    samples: u64,
}

impl Bench {
    /// The times of `samples` samples of each scene, given by name, on a device that is opened for
    /// each, in the precision of the bench, else in f32. `tell` is called with the name of a
    /// measurement and the finished part of the whole. After [`Bench::stop`] was set, the report
    /// holds what was measured until then.
    ///
    /// # Errors
    /// Those of [`Bench::run`].
    pub fn work(
        &self,
        device: &Device,
        scenes: &[(String, ContactProblem)],
        samples: u64,
        mut tell: impl FnMut(f64, &str),
    ) -> Result<Report> {
        let precision = self.precision.unwrap_or(Precision::F32);
        let engine = Self::open(device)?;
        let mut report = Self::head(&engine);
        let mut all = || -> Result<()> {
            tell(0.0, "peak");
            report.peaks = match precision {
                Precision::F32 => self.peaks::<f32>(&engine)?,
                Precision::F64 => self.peaks::<f64>(&engine)?,
            };
            for (i, (scene, problem)) in scenes.iter().enumerate() {
                let mut done = 0;
                let mut told = |more: u64| {
                    done += more;
                    let part = done as f64 / samples as f64;
                    tell((i as f64 + part) / scenes.len() as f64, scene);
                };
                told(0);
                let job = Job { device, scene, problem, precision, samples };
                let mut work = match precision {
                    Precision::F32 => self.work_in::<f32>(&job, told)?,
                    Precision::F64 => self.work_in::<f64>(&job, told)?,
                };
                let threads = report.threads;
                let peak = report.peaks.iter().find(|peak| peak.threads == threads);
                let flop = work.flop_per_sample * work.samples as f64 / work.seconds;
                work.share_of_peak = peak.map(|peak| flop / peak.flop_per_second);
                report.work.push(work);
            }
            Ok(())
        };
        match all() {
            Err(error) if error.kind == ErrorKind::Interrupted => report.interrupted = true,
            ended => ended?,
        }
        Ok(report)
    }

    fn work_in<R: Kernels>(&self, job: &Job<'_>, tell: impl FnMut(u64)) -> Result<Work> {
        let &Job { device, scene, problem, precision, samples } = job;
        let engine = Engine::open(device)?;
        let law = default_on(&engine, problem).into();
        let case = Case { scene, problem, law, solver: None, usual: true };
        let checked = samples.min(CHECKED);
        // The first samples prepare everything; those of the timed run are all of them.
        let first = engine.summarize(problem, &self.plan(&case, precision, checked), |_| ())?;
        let meter = meter(&engine);
        let run = engine.summarize(problem, &self.plan(&case, precision, samples), tell)?;
        let energy = meter.and_then(|meter| meter());
        let cpu = Engine::open(&Device::Cpu)?;
        let reference =
            cpu.summarize(problem, &self.plan(&case, Precision::F64, checked), |_| ())?;

        let process = case.law.prepare::<f64>(problem)?;
        let tables = planner::choose::<R>(&process, None)?.tables;
        let result = process.space().step.width() * size_of::<R>() + size_of::<Ending<R>>();
        let seconds = run.seconds_total - run.seconds_build;
        let tangents = problem.tangents_per_contact();
        let counts = Counts::of(&run.summary, tangents);
        let [first_counts, expected] =
            [&first.summary, &reference.summary].map(|summary| Counts::of(summary, tangents));
        Ok(Work {
            scene: scene.to_string(),
            contacts: problem.contact_count(),
            precision: precision.name(),
            process: case.process().name(),
            solver: run.solver,
            samples: run.summary.samples,
            accepted: run.summary.accepted,
            compile_seconds: first.seconds_build,
            seconds,
            accepted_per_second: run.summary.accepted as f64 / seconds,
            flop_per_sample: flop_per_sample(&process, problem, tables.as_ref())?,
            bytes_per_sample: result as f64,
            share_of_peak: None,
            energy,
            hash: counts.hash(),
            counts,
            check: WorkCheck {
                samples: checked,
                apart: first_counts.apart(&expected) as f64 / checked as f64,
                allowed: if precision == Precision::F32 { ALLOWED } else { 0.0 },
            },
            command: self.command(&case, &run, run.device.threads),
        })
    }
}

/// The meter of the energy of an engine's device.
fn meter(engine: &Engine) -> Option<Meter> {
    let sys = Path::new("/sys");
    #[cfg(feature = "gpu")]
    if let Some(gpu) = engine.gpu().filter(|gpu| gpu.report.is_hardware()) {
        return super::power::of_gpu(sys, gpu.report.pci.as_ref()?);
    }
    let _ = engine;
    of_processors(sys)
}
