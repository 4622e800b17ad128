//! Sampling speed, beside the peak performance of the device.

mod flop;
mod latency;
mod report;
#[cfg(feature = "gpu")]
mod tune;

pub use report::{Latency, Measurement, Peak, Rate, Report};
#[cfg(feature = "gpu")]
pub use tune::{Tried, Tuning};

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use flop::flop_per_sample;
use rayon::prelude::*;

use crate::engine::lanes::{Job, Lane, Tables};
use crate::engine::peak::{self, Peak as PeakOf};
use crate::engine::planner::{self, SolverChoice};
use crate::engine::{Device, Engine, Plan, Precision, Run, StepSolver};
use crate::error::{Error, ErrorKind, Result};
use crate::law::{Ending, Process, Workspace};
use crate::law::{Law, Orders, ProcessKind, Routh, RouthProcess, Solution};
use crate::problem::ContactProblem;
use crate::status::Status;

/// Number of samples that the kernel computes at a time, as in the CPU engine.
const CHUNK: usize = 4096;

/// Smallest number of repeats of a measurement.
const REPEATS: usize = 3;

/// Facets of the friction cones of spatial problems in steps.
const FACETS: u32 = 4;

/// A repeat is extended until it takes this part of a measurement's time.
const PART: f64 = 0.1;

/// What to measure, and for how long.
#[derive(Clone, Debug)]
pub struct Bench {
    /// Seconds that one measurement takes; it has three repeats at least.
    pub seconds: f64,
    /// Whether only the default law and the planner's solver are measured.
    pub quick: bool,
    /// The precision; `None`: each that the device has.
    pub precision: Option<Precision>,
    /// Seed of the samples.
    pub seed: u64,
    /// Ends the measurements early, see [`Plan::stop`].
    pub stop: Option<Arc<AtomicBool>>,
}

/// One way to sample one scene.
struct Case<'a> {
    scene: &'a str,
    problem: &'a ContactProblem,
    law: Law,
    solver: Option<StepSolver>,
    /// Whether every problem is sampled so; else only those that support it.
    usual: bool,
}

impl Bench {
    /// The devices that `wanted` stands for: `Auto` means the CPU and every hardware adapter, with `software` also
    /// software adapters.
    ///
    /// # Errors
    /// Those of [`Engine::open`].
    pub fn devices(wanted: &Device, software: bool) -> Result<Vec<Engine>> {
        if *wanted != Device::Auto {
            return Ok(vec![Engine::open(wanted)?]);
        }
        let mut engines = vec![Engine::open(&Device::Cpu)?];
        for name in adapters(software) {
            if engines.iter().all(|engine| engine.info.name != name) {
                engines.push(Engine::open(&Device::Named(name))?);
            }
        }
        Ok(engines)
    }

    /// Measures scenes, given by name, on a device. Before each measurement `tell` is called with its name and the
    /// finished part of the whole. After [`Bench::stop`] was set, the report holds what was measured until then.
    ///
    /// # Errors
    /// A precision that the device lacks, a problem that the law does not support, a device that was lost.
    pub fn run(
        &self,
        engine: &Engine,
        scenes: &[(String, ContactProblem)],
        tell: impl FnMut(f64, &str),
    ) -> Result<Report> {
        let mut report = Report::default();
        match self.measure(engine, scenes, tell, &mut report) {
            Err(error) if error.kind == ErrorKind::Interrupted => report.interrupted = true,
            ended => ended?,
        }
        Ok(report)
    }

    fn measure(
        &self,
        engine: &Engine,
        scenes: &[(String, ContactProblem)],
        mut tell: impl FnMut(f64, &str),
        report: &mut Report,
    ) -> Result<()> {
        let info = engine.info();
        let on_cpu = info.kind == "cpu";
        *report = Report {
            kind: info.kind,
            name: info.name.clone(),
            backend: info.backend.clone(),
            driver: driver(engine),
            threads: on_cpu.then(rayon::current_num_threads),
            instruction_set: on_cpu.then(peak::instruction_set),
            ..Report::default()
        };
        let precisions = self.precisions(engine)?;
        for (i, &precision) in precisions.iter().enumerate() {
            tell(0.05 * i as f64, &format!("peak {}", precision.name()));
            let peaks = match precision {
                Precision::F32 => self.peaks::<f32>(engine),
                Precision::F64 => self.peaks::<f64>(engine),
            };
            report.peaks.extend(peaks?);
        }
        let cases = self.cases(engine, scenes);
        let all = cases.len() * precisions.len();
        for (i, case) in cases.iter().enumerate() {
            for (j, &precision) in precisions.iter().enumerate() {
                let done = (i * precisions.len() + j) as f64 / all as f64;
                tell(0.1 + 0.8 * done, &format!("{} {}", case.scene, precision.name()));
                let measured = match precision {
                    Precision::F32 => self.measurements::<f32>(engine, case, precision, &report.peaks),
                    Precision::F64 => self.measurements::<f64>(engine, case, precision, &report.peaks),
                };
                report.measurements.extend(measured?);
            }
        }
        let held = scenes.iter().filter(|(_, problem)| holds(engine, problem));
        if let Some((scene, problem)) = held.min_by_key(|(name, _)| name != "rocking-block") {
            for (i, &precision) in precisions.iter().enumerate() {
                tell(0.9 + 0.05 * i as f64, &format!("latency {}", precision.name()));
                report.latencies.extend(match precision {
                    Precision::F32 => self.latencies::<f32>(engine, scene, problem, precision)?,
                    Precision::F64 => self.latencies::<f64>(engine, scene, problem, precision)?,
                });
            }
        }
        Ok(())
    }

    fn precisions(&self, engine: &Engine) -> Result<Vec<Precision>> {
        let both = [Precision::F32, Precision::F64];
        let found: Vec<Precision> = (both.into_iter())
            .filter(|&p| self.precision.is_none_or(|wanted| p == wanted))
            .filter(|&p| p == Precision::F32 || has_f64(engine))
            .collect();
        if found.is_empty() {
            return Err(Error::device(format!("{} has no f64 in shaders", engine.info().name))
                .at("--precision")
                .hint("run with --precision f32, or with --device cpu"));
        }
        Ok(found)
    }

    fn cases<'a>(&self, engine: &Engine, scenes: &'a [(String, ContactProblem)]) -> Vec<Case<'a>> {
        use StepSolver::{Cache, Scalar, Table};
        let on_cpu = engine.info().kind == "cpu";
        let mut cases = Vec::new();
        for (scene, problem) in scenes.iter().filter(|(_, problem)| holds(engine, problem)) {
            let mut add = |law: Law, solver, usual| cases.push(Case { scene, problem, law, solver, usual });
            let planar = problem.tangents_per_contact() == 1;
            let default = default_on(engine, problem);
            if !planar || default.process != Some(RouthProcess::Steps) {
                add(default.into(), None, true);
            }
            if planar {
                add(Routh::steps().into(), None, true);
            }
            if self.quick {
                continue;
            }
            if planar && on_cpu {
                for solver in [Table, Cache, Scalar] {
                    add(Routh::steps().into(), Some(solver), false);
                }
            }
            if planar {
                add(Routh { solution: Solution::Lemke, ..Routh::steps() }.into(), None, false);
                add(Law::Propagative(Orders::default()), None, false);
            } else {
                add(Routh { facets: Some(FACETS), ..Routh::default() }.into(), None, false);
            }
            add(Law::Sequential(Orders::default()), None, false);
        }
        cases
    }

    fn stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Sorted times in seconds of one round of `once`, which does a number of rounds and returns the seconds they took.
    fn repeat(&self, mut once: impl FnMut(u64) -> Result<f64>) -> Result<Vec<f64>> {
        let mut rounds = 1;
        once(rounds)?;
        loop {
            let seconds = once(rounds)?.max(1e-9);
            let more = PART * self.seconds / seconds;
            if more < 1.5 || self.stopped() {
                break;
            }
            rounds = (rounds as f64 * more.min(16.0)) as u64;
        }
        let start = Instant::now();
        let mut times = Vec::new();
        while times.len() < REPEATS || start.elapsed().as_secs_f64() < self.seconds {
            if self.stopped() {
                return Err(Error::interrupted());
            }
            times.push(once(rounds)? / rounds as f64);
        }
        times.sort_by(f64::total_cmp);
        Ok(times)
    }

    /// The peak performance of a device: of one thread and of all threads, or of a GPU.
    fn peaks<R: PeakOf>(&self, engine: &Engine) -> Result<Vec<Peak>> {
        let rates =
            |flop: &mut dyn FnMut() -> Result<f64>, bytes: &mut dyn FnMut() -> Result<f64>, threads| {
                let best = |once: &mut dyn FnMut() -> Result<f64>| -> Result<f64> {
                    let start = Instant::now();
                    let (mut best, mut repeats) = (0.0, 0);
                    while repeats <= REPEATS || start.elapsed().as_secs_f64() < self.seconds {
                        if self.stopped() {
                            return Err(Error::interrupted());
                        }
                        best = once()?.max(best);
                        repeats += 1;
                    }
                    Ok(best)
                };
                Ok(Peak {
                    precision: R::NAME,
                    threads,
                    flop_per_second: best(flop)?,
                    bytes_per_second: best(bytes)?,
                })
            };
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &engine.gpu {
            let peak = std::cell::RefCell::new(crate::engine::gpu::peak::Peak::new::<R>(gpu)?);
            let mut flop = || peak.borrow_mut().flop_per_second();
            let mut bytes = || peak.borrow_mut().bytes_per_second();
            return Ok(vec![rates(&mut flop, &mut bytes, None)?]);
        }
        let _ = engine;
        let mut copy = peak::Copy::new();
        let mut peaks = Vec::new();
        for pool in pools()? {
            let mut flop = || Ok(pool.install(peak::flop_per_second::<R>));
            let mut bytes = || Ok(pool.install(|| copy.bytes_per_second()));
            peaks.push(rates(&mut flop, &mut bytes, Some(pool.current_num_threads()))?);
        }
        Ok(peaks)
    }

    fn plan(&self, case: &Case<'_>, precision: Precision, samples: u64) -> Plan {
        Plan {
            law: case.law.clone(),
            samples,
            seed: self.seed,
            precision: Some(precision),
            solver: case.solver,
            stop: self.stop.clone(),
            ..Plan::default()
        }
    }

    fn measurements<R: PeakOf + Lane>(
        &self,
        engine: &Engine,
        case: &Case<'_>,
        precision: Precision,
        peaks: &[Peak],
    ) -> Result<Vec<Measurement>> {
        let reference = match case.law.prepare::<f64>(case.problem) {
            Err(error) if case.usual => return Err(error),
            Err(_) => return Ok(Vec::new()),
            Ok(reference) => reference,
        };
        let process = reference.cast::<R>(case.problem)?;
        #[cfg(feature = "gpu")]
        if let Some(gpu) = &engine.gpu {
            let limits = gpu.report.limits();
            let (contacts, spatial) = (case.problem.contact_count(), case.problem.tangents_per_contact() > 1);
            let uncertain = !case.problem.uncertainty().is_none();
            if case.process().on_the_cpu(contacts, spatial, uncertain).is_some() {
                return Ok(Vec::new());
            }
            let choice = crate::shading::KernelChoice::new(&process, &reference, &limits);
            if !case.usual && choice.kernel.check(&crate::shading::Shape::of(&process), &limits).is_err() {
                return Ok(Vec::new());
            }
            let mut kernel = crate::engine::gpu::Kernel::chosen(gpu, &choice, self.seed)?;
            let with_readback = self.repeat(|rounds| {
                let start = Instant::now();
                kernel.dispatch_all::<R>(0, rounds * CHUNK as u64, || self.stopped())?;
                Ok(start.elapsed().as_secs_f64())
            })?;
            kernel.measure();
            let times = match kernel.seconds() {
                None => None,
                Some(_) => Some(self.repeat(|rounds| {
                    kernel.dispatch_all::<R>(0, rounds * CHUNK as u64, || self.stopped())?;
                    Ok(kernel.seconds().unwrap_or_default())
                })?),
            };
            let times = Times { kernel: times, host: with_readback };
            // On a GPU, cells replace the CPU's map.
            let tables = if choice.kernel.solver == "cells" {
                planner::choose::<R>(&reference, None)?.tables
            } else {
                None
            };
            let flop = flop_per_sample(&reference, case.problem, tables.as_ref())?;
            return Ok(vec![self.measurement(engine, case, precision, peaks, None, times, flop)?]);
        }
        let unasked = planner::choose::<R>(&reference, None)?;
        let SolverChoice { tables, .. } = match case.solver {
            None => unasked,
            // Not every solver supports the problem, and the planner's own has been measured already.
            Some(_) => match planner::choose::<R>(&reference, case.solver) {
                Ok(choice) if choice.solver != unasked.solver => choice,
                _ => return Ok(Vec::new()),
            },
        };
        let flop = flop_per_sample(&reference, case.problem, tables.as_ref())?;
        let mut measured = Vec::new();
        for pool in pools()? {
            let mut hands: Vec<Hand<R>> =
                (0..pool.current_num_threads()).map(|_| Hand::new(&process, &self.stop)).collect();
            let times = self.repeat(|rounds| {
                let start = Instant::now();
                pool.install(|| {
                    hands.par_iter_mut().with_max_len(1).enumerate().for_each(|(i, hand)| {
                        for round in 0..rounds {
                            if !self.stopped() {
                                let first = (i as u64 * rounds + round) * CHUNK as u64;
                                hand.sample(&process, tables.as_ref(), self.seed, first, CHUNK);
                            }
                        }
                    });
                });
                Ok(start.elapsed().as_secs_f64())
            })?;
            let times = Times { kernel: None, host: times };
            measured.push(self.measurement(engine, case, precision, peaks, Some(&pool), times, flop)?);
        }
        Ok(measured)
    }

    /// Measures whole runs and collects the results.
    #[expect(clippy::too_many_arguments, reason = "what was measured before")]
    fn measurement(
        &self,
        engine: &Engine,
        case: &Case<'_>,
        precision: Precision,
        peaks: &[Peak],
        pool: Option<&rayon::ThreadPool>,
        times: Times,
        flop_per_sample: f64,
    ) -> Result<Measurement> {
        let threads = pool.map(rayon::ThreadPool::current_num_threads);
        let of_round = (CHUNK * threads.unwrap_or(1)) as f64;
        let mut last: Option<Run> = None;
        let (mut build, mut finish) = (f64::INFINITY, 0.0);
        let whole = self.repeat(|rounds| {
            let plan = self.plan(case, precision, rounds * of_round as u64);
            let sample = || engine.summarize(case.problem, &plan, |_| ());
            let run = match pool {
                Some(pool) => pool.install(sample)?,
                None => sample()?,
            };
            let seconds = run.seconds_total - run.seconds_build;
            build = build.min(run.seconds_build);
            finish = run.seconds_finish / seconds;
            last = Some(run);
            Ok(seconds)
        })?;
        let Some(run) = last else { return Err(Error::interrupted()) };
        let host = rate(&times.host, of_round);
        let kernel = times.kernel.as_ref().map_or(host, |times| rate(times, of_round));
        let end_to_end = rate(&whole, of_round);
        let summary = &run.summary;
        let steps_mean = summary.steps_mean().unwrap_or(0.0);
        let flop_per_second = flop_per_sample * kernel.best;
        let peak = peaks.iter().find(|peak| peak.precision == precision.name() && peak.threads == threads);
        let name = if run.device.kind == "cpu" { "cpu" } else { &run.device.name };
        let mut command = format!(
            "carom sample {} {} --samples {} --seed {} --device {} --precision {} --explain",
            quoted(case.scene),
            case.options(),
            summary.samples,
            self.seed,
            quoted(name),
            precision.name(),
        );
        if let Some(threads) = threads {
            command += &format!(" --solver {} --threads {threads}", run.solver);
        }
        Ok(Measurement {
            scene: case.scene.to_string(),
            contacts: case.problem.contact_count(),
            precision: precision.name(),
            process: case.process().name(),
            law: case.law.name(),
            facets: case.facets(),
            solution: case.solution().name(),
            solver: run.solver,
            threads,
            samples: summary.samples,
            kernel,
            clock: if times.kernel.is_some() { "timestamps" } else { "host" },
            with_readback: threads.is_none().then_some(host),
            end_to_end,
            steps_mean,
            lcps_per_second: steps_mean * kernel.best,
            flop_per_sample,
            flop_per_second,
            share_of_peak: peak.map(|peak| flop_per_second / peak.flop_per_second),
            finish_share: finish,
            repaired_share: summary.repaired as f64 / summary.samples as f64,
            not_accepted_share: summary.rejected_share(),
            build_ms: 1e3 * build,
            command,
        })
    }
}

impl Case<'_> {
    /// The process that is measured.
    fn process(&self) -> ProcessKind {
        self.law.process_on(self.problem)
    }

    fn facets(&self) -> Option<u32> {
        match &self.law {
            Law::Routh(law) => law.facets,
            _ => None,
        }
    }

    fn solution(&self) -> Solution {
        match &self.law {
            Law::Routh(law) => law.solution,
            _ => Solution::Random,
        }
    }

    /// The options of `carom sample` that ask for it.
    fn options(&self) -> String {
        match (&self.law, self.facets()) {
            (Law::Routh(_), Some(facets)) => format!("--facets {facets}"),
            (Law::Routh(law), None) => {
                format!("--process {} --solution {}", self.process().name(), law.solution.name())
            }
            (law, _) => format!("--law {}", law.name()),
        }
    }
}

/// The law with its defaults; on a GPU in steps, where the default process on `problem` runs on the CPU only.
fn default_on(engine: &Engine, problem: &ContactProblem) -> Routh {
    let process = Law::default().process_on(problem);
    let (contacts, spatial) = (problem.contact_count(), problem.tangents_per_contact() > 1);
    let elsewhere = engine.info().kind != "cpu"
        && process.on_the_cpu(contacts, spatial, !problem.uncertainty().is_none()).is_some();
    if elsewhere { Routh::steps() } else { Routh::default() }
}

/// Sorted times of [`CHUNK`] samples in the kernel, or in each thread's one.
struct Times {
    /// By the device's clock, where it has one.
    kernel: Option<Vec<f64>>,
    /// By the host's.
    host: Vec<f64>,
}

/// The memory in which one thread computes samples.
struct Hand<R: Lane> {
    work: Workspace<R>,
    endings: Vec<Ending<R>>,
    totals: Vec<R>,
}

impl<R: Lane> Hand<R> {
    fn new(process: &Process<R>, stop: &Option<Arc<AtomicBool>>) -> Self {
        let none = Ending { status: Status::Unsolved, steps: 0, residual: R::ZERO };
        let totals = vec![R::ZERO; process.space().step.width() * CHUNK];
        let mut work = process.workspace();
        work.stop().clone_from(stop);
        Hand { work, endings: vec![none; CHUNK], totals }
    }

    /// Computes samples with the kernel alone.
    fn sample(
        &mut self,
        process: &Process<R>,
        tables: Option<&Tables<R>>,
        seed: u64,
        first: u64,
        count: usize,
    ) {
        let width = process.space().step.width();
        let endings = &mut self.endings[..count];
        let totals = &mut self.totals[..count * width];
        let work = &mut self.work;
        Job { tables, process, seed, first, endings, totals, work }.run();
    }
}

/// A pool with one thread, and one with all threads where there are several.
fn pools() -> Result<Vec<rayon::ThreadPool>> {
    let all = rayon::current_num_threads();
    let counts = if all > 1 { vec![1, all] } else { vec![1] };
    (counts.into_iter())
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.map_err(|e| Error::usage(format!("cannot start {threads} threads: {e}")))
        })
        .collect()
}

fn rate(times: &[f64], samples: f64) -> Rate {
    let spread = at(times, 0.9) / at(times, 0.1) - 1.0;
    Rate { best: samples / times[0], median: samples / at(times, 0.5), spread, repeats: times.len() }
}

/// The quantile `share` of sorted numbers, which is one of them.
fn at(sorted: &[f64], share: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * share).round() as usize]
}

/// The text quoted for a shell.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    if text.chars().all(plain) { text.to_string() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

/// The names of the adapters, without software adapters unless asked for.
#[cfg(feature = "gpu")]
fn adapters(software: bool) -> Vec<String> {
    let all = crate::engine::gpu::adapters().into_iter();
    all.filter(|adapter| software || adapter.is_hardware()).map(|adapter| adapter.name).collect()
}

#[cfg(not(feature = "gpu"))]
fn adapters(_: bool) -> Vec<String> {
    Vec::new()
}

#[cfg(feature = "gpu")]
fn driver(engine: &Engine) -> Option<String> {
    engine.gpu.as_ref().map(|gpu| gpu.report.driver.clone())
}

#[cfg(not(feature = "gpu"))]
fn driver(_: &Engine) -> Option<String> {
    None
}

#[cfg(feature = "gpu")]
fn has_f64(engine: &Engine) -> bool {
    engine.gpu.as_ref().is_none_or(|gpu| gpu.report.f64)
}

#[cfg(not(feature = "gpu"))]
fn has_f64(_: &Engine) -> bool {
    true
}

/// Whether the device supports the problem's number of contacts.
#[cfg(feature = "gpu")]
fn holds(engine: &Engine, problem: &ContactProblem) -> bool {
    engine.gpu.is_none() || problem.contact_count() <= crate::shading::spec::MAX_CONTACTS
}

#[cfg(not(feature = "gpu"))]
fn holds(_: &Engine, _: &ContactProblem) -> bool {
    true
}
