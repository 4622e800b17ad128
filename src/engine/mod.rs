//! Engines: they run a law on a device. Every engine draws the same numbers for a sample, and
//! solves the same problem with them. Samples of different devices differ by rounding, and a few
//! take another branch where a decision margin is smaller than rounding. With fused multiply-adds,
//! which GPUs may use, 28.7 % of the f32 samples of the rocking block were equal bit for bit,
//! 99.96 % ended with the same status after the same steps, and no unflagged one differed by more
//! than 3.9e-6. This comparison was measured once, and no test repeats it.

pub mod batch;
pub mod check;
pub mod cpu;
pub mod doubt;
mod explore;
#[cfg(feature = "gpu")]
pub mod gpu;
#[cfg(not(feature = "gpu"))]
#[path = "gpu_less.rs"]
pub mod gpu;
mod impact;
pub mod peak;
pub mod plan;
pub mod planner;
mod posed;
pub mod prepared;
pub mod replay;
pub mod run;
pub mod threads;

use std::sync::mpsc;
use std::thread;
use std::time::Instant;

pub use batch::Batch;
pub use carom_law::lanes::Kernels;
pub use explore::{Search, SearchGoal};
pub use impact::PreparedImpact;
pub use plan::{DeviceInfo, Finished};
pub use prepared::Prepared;
pub use replay::Replay;

pub use crate::run::{Device, Plan, Precision, StepSolver};
pub use carom_core::vectors::Lane;

use carom_core::error::{Error, ErrorKind, Result};

use crate::run::Settled;
use carom_core::outcome::{Dressing, Samples, Summary};
use carom_core::problem::ContactProblem;
use carom_law::Process;
use check::{BLOCK, Verifier};
use doubt::Doubted;
use planner::SolverChoice;
use posed::{Pose, Poser};

/// Largest number of blocks computed at a time.
const MAX_BLOCKS: u64 = 256;
/// Largest number of blocks at a time, if memory holds a separate problem for each sample.
const POSED_BLOCKS: u64 = 16;
/// Chunks grow until one takes this time, in s.
const CHUNK_SECONDS: f64 = 0.25;
/// Runs with fewer samples get no time estimate.
const FEW: u64 = 256;
/// Seconds that a pilot run takes at least, unless it has computed [`TRIED`] samples before.
const TRIAL_SECONDS: f64 = 0.2;
/// Most samples of a pilot run.
const TRIED: usize = 1024;

/// Estimates the seconds of a run by a pilot run on one thread, in batches of doubling size.
fn pilot<R: Kernels>(problem: &ContactProblem, plan: &Plan) -> Result<f64> {
    let mut prepared = Prepared::<R>::for_samples(problem, plan, plan.samples)?;
    let (start, mut done, mut count, mut each) = (Instant::now(), 0, 1, 0.0);
    while done < TRIED && start.elapsed().as_secs_f64() < TRIAL_SECONDS && !plan.stopped() {
        let begun = Instant::now();
        prepared.sample(plan.first, count);
        each = begun.elapsed().as_secs_f64() / count as f64;
        done += count;
        count *= 2;
    }
    Ok(each * plan.samples as f64 / rayon::current_num_threads() as f64)
}

/// A device, opened once and used for any number of runs.
#[derive(Debug)]
pub struct Engine {
    gpu: Option<gpu::Gpu>,
    info: DeviceInfo,
}

impl Engine {
    /// Opens a device.
    ///
    /// # Errors
    /// No such adapter, an adapter that cannot be opened, a GPU in a build without the `gpu`
    /// feature; threads that cannot be started.
    pub fn open(device: &Device) -> Result<Engine> {
        threads::start(None)?;
        Ok(match gpu::Gpu::open(device)? {
            Some(gpu) => Engine { info: gpu.info(), gpu: Some(gpu) },
            None if *device == Device::Cpu => Engine::cpu("asked for"),
            None => Engine::cpu(gpu::NONE),
        })
    }

    /// The CPU engine, on all cores of this machine; `why` is the reason for this choice.
    pub fn cpu(why: &str) -> Engine {
        Engine { gpu: None, info: cpu_info(why) }
    }

    /// The device, unless it is the CPU.
    pub fn gpu(&self) -> Option<&gpu::Gpu> {
        self.gpu.as_ref()
    }

    /// The device on which this engine computes.
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// Opens the device of `plan` for a problem, see [`Engine::why_cpu`].
    ///
    /// # Errors
    /// Errors of [`Engine::open`].
    pub fn open_for(problem: &ContactProblem, plan: &Plan) -> Result<Engine> {
        match Engine::why_cpu(problem, plan) {
            Some(why) => {
                threads::start(None)?;
                Ok(Engine::cpu(&why))
            }
            None => Engine::open(&plan.device),
        }
    }

    /// The reason why the device `auto` of `plan` means the CPU for a problem, whatever GPUs the
    /// machine has: too many contacts for GPU kernels, facets with restitution or uncertain
    /// numbers, uncertain inertia. `None` if a GPU may compute the problem.
    pub fn why_cpu(problem: &ContactProblem, plan: &Plan) -> Option<String> {
        let auto = gpu::BUILT && plan.device == Device::Auto;
        auto.then(|| Settled::new(&plan.law, problem).cpu_only).flatten()
    }

    /// The precision of a run of `plan` on this device.
    pub fn precision(&self, plan: &Plan) -> Precision {
        plan.precision.unwrap_or(self.default_precision())
    }

    /// The default precision: f32 on a GPU, f64 on the CPU.
    pub fn default_precision(&self) -> Precision {
        if self.info.kind == "gpu" { Precision::F32 } else { Precision::F64 }
    }

    /// Samples a problem and passes the samples to `sink` in order, block by block. `plan.device`
    /// is ignored.
    ///
    /// Memory stays bounded for any `plan.samples`. Sample i depends on (problem, law, seed, i),
    /// the precision and the device alone. With `plan.partial`, a run stopped after its first
    /// samples ends without an error, and [`Finished::is_partial`] returns true.
    ///
    /// # Errors
    /// A feature that the law or device does not support, a lost device, errors of `sink`.
    pub fn sample(
        &self,
        problem: &ContactProblem,
        plan: &Plan,
        mut sink: impl FnMut(&Samples) -> Result<()>,
    ) -> Result<Finished> {
        self.start(problem, plan, Sink::Samples(&mut sink))
    }

    /// Estimated seconds for the samples of `plan`, from a pilot run on one thread. `None` on a
    /// GPU, and for runs too short for an estimate.
    ///
    /// # Errors
    /// Errors of [`Engine::sample`].
    pub fn seconds(&self, problem: &ContactProblem, plan: &Plan) -> Result<Option<f64>> {
        if self.info.kind == "gpu" || plan.samples < FEW {
            return Ok(None);
        }
        Ok(Some(match self.precision(plan) {
            Precision::F32 => pilot::<f32>(problem, plan)?,
            Precision::F64 => pilot::<f64>(problem, plan)?,
        }))
    }

    /// The statistics of the samples of [`Engine::sample`], without keeping the samples. `tell` is
    /// called after each part with its number of samples.
    ///
    /// A GPU computes the statistics itself, in its precision, except for forecasts. The statistics
    /// agree with the statistics from [`Engine::sample`] up to rounding. Rounding may also change
    /// the selection of flagged samples, and the contact mode of a few samples whose velocity is
    /// next to the threshold of rest.
    ///
    /// # Errors
    /// Errors of [`Engine::sample`].
    pub fn summarize(
        &self,
        problem: &ContactProblem,
        plan: &Plan,
        mut tell: impl FnMut(u64),
    ) -> Result<Finished> {
        self.start(problem, plan, Sink::Count(&mut tell))
    }

    fn start(&self, problem: &ContactProblem, plan: &Plan, sink: Sink<'_>) -> Result<Finished> {
        if let Some(solver) = plan.known_solver().filter(|_| self.info.kind == "gpu") {
            let what = format!("the solver `{}` is one of the CPU's", solver.name());
            let hint = "leave it out, or run with --device cpu";
            return Err(Error::usage(what).option("solver").hint(hint));
        }
        let dressing = plan.dressing(problem)?;
        let run = |problem, poser| {
            let given = (problem, poser, dressing.as_ref());
            match self.precision(plan) {
                Precision::F32 => self.run_in::<f32>(given, plan, Precision::F32, sink),
                Precision::F64 => self.run_in::<f64>(given, plan, Precision::F64, sink),
            }
        };
        match Pose::of(problem, plan)? {
            None => run(problem, None),
            Some(Pose::One(problem)) => run(&problem, None),
            Some(Pose::Each(poser)) => {
                let run = run(&problem.unposed(), Some(&poser))?;
                Ok(Finished { step: plan.law.step_on(problem), ..run })
            }
        }
    }

    /// Samples a problem into memory. See [`Engine::sample`].
    ///
    /// # Errors
    /// Errors of [`Engine::sample`].
    pub fn collect(&self, problem: &ContactProblem, plan: &Plan) -> Result<(Finished, Samples)> {
        let mut all = Samples::default();
        let run = self.sample(problem, plan, |samples| {
            all.append(samples.clone());
            Ok(())
        })?;
        Ok((run, all))
    }

    fn run_in<R: Kernels>(
        &self,
        (problem, poser, dressing): (&ContactProblem, Option<&Poser>, Option<&Dressing>),
        plan: &Plan,
        precision: Precision,
        sink: Sink<'_>,
    ) -> Result<Finished> {
        let start = Instant::now();
        if plan.samples == 0 {
            return Err(Error::usage("at least one sample").option("samples"));
        }
        let law = &plan.law;
        let reference = law.prepare::<f64>(problem)?;
        let process = law.prepare::<R>(problem)?;
        let mended = precision == Precision::F64 && self.info.kind == "cpu";
        let verifier = Verifier::new::<R>(problem, &reference, plan.seed, mended).dressed(dressing);
        let keep = matches!(sink, Sink::Samples(_));
        let context =
            cpu::RunContext { problem, reference: &reference, verifier: &verifier, plan, keep };
        let how = match poser {
            Some(poser) => self.run_posed::<R>(poser, &process, &context, sink)?,
            None => self.run(&process, &context, start, sink)?,
        };
        let settled = Settled::new(law, problem);
        Ok(Finished {
            device: self.info.clone(),
            precision,
            solver: how.solver,
            why: how.why,
            asked: plan.samples,
            summary: how.summary,
            doubted: how.doubted,
            step: settled.step,
            max_steps: settled.max_steps,
            seconds_total: start.elapsed().as_secs_f64(),
            seconds_build: how.seconds_build,
            seconds_kernel: how.seconds.kernel,
            seconds_finish: how.seconds.finish,
        })
    }

    fn run<R: Kernels>(
        &self,
        process: &Process<R>,
        context: &cpu::RunContext<'_>,
        start: Instant,
        sink: Sink<'_>,
    ) -> Result<How> {
        let cpu::RunContext { reference, plan, .. } = *context;
        if let Some(gpu) = &self.gpu {
            return gpu.run(process, context, start, sink);
        }
        let SolverChoice { solver, tables, why } =
            planner::choose::<R>(reference, plan.known_solver())?;
        let seconds_build = start.elapsed().as_secs_f64();
        let (summary, seconds) = stream(context, MAX_BLOCKS, sink, |first, count| {
            let blocks = context.blocks(process, tables.as_ref(), first, count);
            Ok(Box::new(move || Ok(blocks)))
        })?;
        let (solver, why) = (solver.name(), vec![why]);
        Ok(How { solver, why, summary, doubted: None, seconds_build, seconds })
    }

    /// A run with a pose for each sample.
    fn run_posed<R: Kernels>(
        &self,
        poser: &Poser,
        process: &Process<R>,
        context: &cpu::RunContext<'_>,
        sink: Sink<'_>,
    ) -> Result<How> {
        if let Some(gpu) = &self.gpu {
            return gpu.run_posed(poser, process, context, sink);
        }
        let (summary, seconds) = stream(context, POSED_BLOCKS, sink, |first, count| {
            let samples = poser.on_all_cores::<R>(first, count, prepared::alone::<R>);
            Ok(posed_blocks(poser, &samples, context))
        })?;
        let solver = StepSolver::Scalar.name();
        let why = vec![posed::WHY.to_string()];
        Ok(How { solver, why, summary, doubted: None, seconds_build: 0.0, seconds })
    }
}

/// The verified blocks of samples with a pose each.
fn posed_blocks<'a>(poser: &Poser, samples: &[Samples], context: &cpu::RunContext<'_>) -> Rest<'a> {
    let blocks = poser.blocks(samples, BLOCK, context.verifier, context.keep);
    let blocks = if context.plan.stopped() { Vec::new() } else { blocks };
    Box::new(move || Ok(blocks))
}

/// The destination of the results of a run.
enum Sink<'a> {
    Samples(&'a mut dyn FnMut(&Samples) -> Result<()>),
    /// Drops the samples; calls the function with the number of samples counted.
    Count(&'a mut dyn FnMut(u64)),
}

impl Sink<'_> {
    fn take(&mut self, (summary, samples): &cpu::Block) -> Result<()> {
        match (self, samples) {
            (Sink::Samples(sink), Some(samples)) => sink(samples)?,
            (Sink::Samples(_), None) => {}
            (Sink::Count(tell), _) => tell(summary.samples),
        }
        Ok(())
    }
}

/// The result of a run on one device, with the method of computation.
struct How {
    solver: &'static str,
    why: Vec<String>,
    summary: Summary,
    doubted: Option<Doubted>,
    seconds_build: f64,
    seconds: Seconds,
}

/// Deferred work on the samples of a device: checks, recomputation, statistics.
type Rest<'a> = Box<dyn FnOnce() -> Result<Vec<cpu::Block>> + Send + 'a>;

/// Seconds of computation and of verification; the two may overlap.
#[derive(Clone, Copy, Debug, Default)]
struct Seconds {
    kernel: f64,
    finish: f64,
}

/// Samples a problem on the device of `plan`. See [`Engine::sample`].
///
/// # Errors
/// Errors of [`Engine::open`] and [`Engine::sample`].
pub fn sample(
    problem: &ContactProblem,
    plan: &Plan,
    sink: impl FnMut(&Samples) -> Result<()>,
) -> Result<Finished> {
    Engine::open_for(problem, plan)?.sample(problem, plan, sink)
}

fn cpu_info(why: &str) -> DeviceInfo {
    let known = || {
        let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_string())
    };
    let name = known().unwrap_or_else(|| std::env::consts::ARCH.to_string());
    let (threads, backend) = (Some(rayon::current_num_threads()), "rayon".to_string());
    DeviceInfo { kind: "cpu", software: false, name, backend, why: why.to_string(), threads }
}

/// Computes chunk after chunk, of at most `most` blocks each, verifies the samples and passes them
/// to `sink` in order.
///
/// A separate thread computes chunks while the caller's thread verifies and passes on the samples.
/// If the caller's thread belongs to a rayon pool, it does the two jobs in turns, and the pool
/// computes.
fn stream<'a>(
    context: &cpu::RunContext<'_>,
    most: u64,
    mut sink: Sink<'_>,
    mut compute: impl FnMut(u64, u64) -> Result<Rest<'a>> + Send,
) -> Result<(Summary, Seconds)> {
    let plan = context.plan;
    let mut summary = context.verifier.summary();
    let mut seconds = Seconds::default();
    let mut take = |(rest, kernel): (Rest<'a>, f64)| {
        let started = Instant::now();
        let blocks = match rest() {
            Err(_) if plan.stopped() => return Err(Error::interrupted()),
            blocks => blocks?,
        };
        seconds.kernel += kernel;
        seconds.finish += started.elapsed().as_secs_f64();
        for block in &blocks {
            sink.take(block)?;
            summary.merge(&block.0);
        }
        if plan.stopped() { Err(Error::interrupted()) } else { Ok(()) }
    };
    let most = plan.chunk.map_or(most, |chunk| chunk.div_ceil(BLOCK as u64).max(1));
    let threads = rayon::current_num_threads() as u64;
    let few = if context.is_slow() { 1 } else { threads.max(4) };
    let mut blocks = if plan.chunk.is_some() { most } else { few.min(most) };
    let (mut first, end) = (plan.first, plan.first.saturating_add(plan.samples));
    let mut next = move || -> Option<Result<(Rest<'a>, f64)>> {
        if first >= end {
            return None;
        }
        let count = (blocks * BLOCK as u64).min(end - first);
        let started = Instant::now();
        let result = compute(first, count);
        let seconds = started.elapsed().as_secs_f64();
        if seconds < CHUNK_SECONDS {
            blocks = (2 * blocks).min(most);
        }
        first += count;
        Some(result.map(|rest| (rest, seconds)))
    };
    let ended = if rayon::current_thread_index().is_some() {
        std::iter::from_fn(next).try_for_each(|result| take(result?))
    } else {
        thread::scope(|scope| {
            let (sender, receiver) = mpsc::sync_channel(1);
            let computing = threads::thread().spawn_scoped(scope, move || {
                while let Some(result) = next() {
                    let failed = result.is_err();
                    if sender.send(result).is_err() || failed {
                        return;
                    }
                }
            });
            computing.map_err(|e| {
                Error::usage(format!("cannot start a thread: {e}")).option("threads")
            })?;
            receiver.into_iter().try_for_each(|result| take(result?))
        })
    };
    match ended {
        Err(e) if e.kind == ErrorKind::Interrupted && plan.partial && summary.samples > 0 => {}
        ended => ended?,
    }
    Ok((summary, seconds))
}
