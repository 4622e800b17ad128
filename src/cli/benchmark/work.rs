//! The time of fixed work: the first samples of a seed, from kernel to statistics.

use std::path::Path;

use super::Bench;
use super::case::{Case, default_on};
use super::energy::{Meter, of_processors};
use super::flop::flop_per_sample;
use super::report::{Counts, Report, Work, WorkCheck};
use crate::{ContactProblem, ErrorKind, Result};
use carom_core::outcome::Summary;
use carom_core::status::Status;
use carom_engine::{Device, Engine, Precision, planner};
use carom_law::Ending;
use carom_law::lanes::Kernels;

/// Number of samples that the CPU recomputes, in equal precision.
const CHECKED: u64 = 1 << 16;
/// Largest share of samples with other counts than on the CPU: rounding decides the mode of an
/// almost resting contact.
const ALLOWED: f64 = 1e-3;

impl Counts {
    /// The counts of a summary of a problem with d `tangents` per contact.
    fn of(summary: &Summary, tangents: usize) -> Self {
        let name = |modes: Vec<carom_core::outcome::Mode>| {
            modes.iter().map(|mode| mode.name(tangents)).collect::<Vec<_>>().join(" ")
        };
        let modes = summary.modes.by_frequency().into_iter();
        Counts {
            status: Status::ALL.iter().map(|&s| (s.name(), summary.count(s))).collect(),
            modes: modes.map(|(modes, count)| (name(modes), count)).collect(),
            steps: summary.steps_sum,
        }
    }

    /// The FNV-1a hash in 64 bits of lines `name count`: statuses, modes, steps, each by name.
    fn hash(&self) -> String {
        let status = self.status.iter().map(|(name, count)| (*name, count));
        let modes = self.modes.iter().map(|(name, count)| (name.as_str(), count));
        let all = status.chain(modes).chain([("steps", &self.steps)]);
        let text: String = all.map(|(name, count)| format!("{name} {count}\n")).collect();
        let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        format!("{hash:016x}")
    }

    /// Lower bound on the number of samples that the two counts classify differently.
    fn apart(&self, other: &Counts) -> u64 {
        let status = self.status.iter().map(|(name, count)| count.abs_diff(other.status[name]));
        let names =
            self.modes.keys().chain(other.modes.keys().filter(|n| !self.modes.contains_key(*n)));
        let count = |counts: &Counts, name: &String| counts.modes.get(name).copied().unwrap_or(0);
        let modes: u64 = names.map(|name| count(self, name).abs_diff(count(other, name))).sum();
        status.sum::<u64>().max(modes).div_ceil(2)
    }
}

/// One measurement of fixed work: device, scene, precision and number of samples.
struct Job<'a> {
    engine: &'a Engine,
    scene: &'a str,
    problem: &'a ContactProblem,
    precision: Precision,
    samples: u64,
    within: Option<f64>,
}

impl Job<'_> {
    /// Sample counts of the job's runs, ascending. Without a time limit, the full count alone. With
    /// a time limit, the count divided by powers of ten, at least [`CHECKED`], up to the full
    /// count.
    fn sizes(&self) -> Vec<u64> {
        let parts = std::iter::successors(Some(self.samples), |n| Some(n / 10));
        let mut sizes: Vec<u64> = match self.within {
            None => vec![self.samples],
            Some(_) => parts.take_while(|&n| n == self.samples || n >= CHECKED).collect(),
        };
        sizes.reverse();
        sizes
    }
}

impl Bench {
    /// Measures the time of `samples` samples of each scene, given by name, in the precision of the
    /// bench, by default f32. The device compiles each scene's programs anew. With
    /// [`Bench::within`], the count is the largest tenth, hundredth, .. of `samples` that is
    /// expected to end within that time. `tell` is called with the completed fraction of all work
    /// and the name of the current scene. After [`Bench::stop`] was set, the report holds all
    /// measurements completed before.
    ///
    /// # Errors
    /// Errors of [`Bench::run`].
    pub fn work(
        &self,
        engine: &Engine,
        scenes: &[(String, ContactProblem)],
        samples: u64,
        mut tell: impl FnMut(f64, &str),
    ) -> Result<Report> {
        let precision = self.precision.unwrap_or(Precision::F32);
        let mut report = Self::head(engine);
        let mut all = || -> Result<()> {
            tell(0.0, "peak");
            report.peaks = self.peaks_in(engine, precision)?;
            for (i, (scene, problem)) in scenes.iter().enumerate() {
                let mut done = 0;
                let mut told = |more: u64| {
                    done += more;
                    let part = (done as f64 / samples as f64).min(1.0);
                    tell((i as f64 + part) / scenes.len() as f64, scene);
                };
                told(0);
                let within = self.within;
                let job = Job { engine, scene, problem, precision, samples, within };
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

    fn work_in<R: Kernels>(&self, job: &Job<'_>, mut tell: impl FnMut(u64)) -> Result<Work> {
        let &Job { engine, scene, problem, precision, samples, within } = job;
        if let Some(gpu) = engine.gpu() {
            gpu.forget();
        }
        let law = default_on(engine, problem).into();
        let case = Case { scene, problem, law, solver: None, usual: true };
        let checked = samples.min(CHECKED);
        // Warm-up; the timed run repeats these samples.
        let first = engine.summarize(problem, &self.plan(&case, precision, checked), |_| ())?;
        let timed = |samples: u64, tell: &mut dyn FnMut(u64)| -> Result<_> {
            let meter = meter(engine);
            let run = engine.summarize(problem, &self.plan(&case, precision, samples), tell)?;
            Ok((run.seconds_total - run.seconds_build, run, meter.and_then(|meter| meter())))
        };
        let sizes = job.sizes();
        let (mut seconds, mut run, mut energy) = timed(sizes[0], &mut tell)?;
        for &size in &sizes[1..] {
            let times = size as f64 / run.summary.samples as f64;
            if within.is_some_and(|within| times * seconds > within) {
                break;
            }
            (seconds, run, energy) = timed(size, &mut tell)?;
        }
        let tangents = problem.tangents_per_contact();
        let check = if engine.info().kind == "cpu" {
            None
        } else {
            let cpu = Engine::open(&Device::Cpu)?;
            let expected = cpu.summarize(problem, &self.plan(&case, precision, checked), |_| ())?;
            let [found, expected] =
                [&first.summary, &expected.summary].map(|summary| Counts::of(summary, tangents));
            let apart = found.apart(&expected) as f64 / checked as f64;
            Some(WorkCheck { samples: checked, apart, allowed: ALLOWED })
        };

        let process = case.law.prepare::<f64>(problem)?;
        let tables = planner::choose::<R>(&process, None)?.tables;
        let result = process.space().step.width() * size_of::<R>() + size_of::<Ending<R>>();
        let counts = Counts::of(&run.summary, tangents);
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
            flop_per_sample: flop_per_sample(&case.law, &process, problem, tables.as_ref())?,
            bytes_per_sample: result as f64,
            share_of_peak: None,
            energy,
            hash: counts.hash(),
            counts,
            check,
            command: self.command(&case, &run, run.device.threads),
        })
    }
}

fn meter(engine: &Engine) -> Option<Meter> {
    let sys = Path::new("/sys");
    match engine.gpu().filter(|gpu| gpu.report.is_hardware()) {
        Some(gpu) => super::power::of_gpu(sys, gpu.report.pci.as_ref()?),
        None => of_processors(sys),
    }
}
