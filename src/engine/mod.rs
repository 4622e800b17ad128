//! Engines: they run a law on a device. Every engine draws the same numbers for a sample, and
//! solves the same problem with them: samples of different devices differ by rounding, and a few
//! take another branch where a decision is closer than rounding. With fused multiply-adds, which
//! GPUs may use, 28.7 % of the f32 samples of the rocking block were equal bit for bit, 99.96 %
//! ended with the same status after the same steps, and no unflagged one differed by more than
//! 3.9e-6: this was measured once, and no test repeats it.

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

/// Largest number of blocks that are computed at a time.
const MAX_BLOCKS: u64 = 256;
/// Most blocks at a time where each sample has a problem of its own, which is in memory.
const POSED_BLOCKS: u64 = 16;
/// Seconds per chunk up to which chunks grow.
const CHUNK_SECONDS: f64 = 0.25;
/// Number of samples below which a run is not tried beforehand.
const FEW: u64 = 256;
/// Seconds that a trial takes at least, unless it has computed [`TRIED`] samples before.
const TRIAL_SECONDS: f64 = 0.2;
/// Most samples of a trial.
const TRIED: usize = 1024;

/// Estimates the seconds of a run from its first samples, of which ever more are computed.
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

    /// The engine of all cores of this machine; `why` is the reason for this choice.
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
    /// Those of [`Engine::open`].
    pub fn open_for(problem: &ContactProblem, plan: &Plan) -> Result<Engine> {
        match Engine::why_cpu(problem, plan) {
            Some(why) => {
                threads::start(None)?;
                Ok(Engine::cpu(&why))
            }
            None => Engine::open(&plan.device),
        }
    }

    /// The reason why the device `auto` of `plan` means the CPU for a problem, whatever GPUs there
    /// are: more contacts than a GPU kernel supports, facets with restitution or uncertain numbers,
    /// uncertain inertia. `None` where a GPU may be used.
    pub fn why_cpu(problem: &ContactProblem, plan: &Plan) -> Option<String> {
        let auto = gpu::BUILT && plan.device == Device::Auto;
        auto.then(|| Settled::new(&plan.law, problem).cpu_only).flatten()
    }

    /// The precision that a run of `plan` has on this device.
    pub fn precision(&self, plan: &Plan) -> Precision {
        plan.precision.unwrap_or(self.default_precision())
    }

    /// The precision of runs that ask for none: f32 on a GPU, f64 on the CPU.
    pub fn default_precision(&self) -> Precision {
        if self.info.kind == "gpu" { Precision::F32 } else { Precision::F64 }
    }

    /// Samples a problem and passes the samples to `sink` in order, block by block. `plan.device`
    /// is ignored.
    ///
    /// Memory stays bounded however large `plan.samples` is. Sample i depends on (problem, law,
    /// seed, i), the precision and the device alone. With `plan.partial`, a run that is stopped
    /// ends well after its first samples: [`Finished::is_partial`] says so.
    ///
    /// # Errors
    /// Something that the law or device does not support, a device that was lost, errors of `sink`.
    pub fn sample(
        &self,
        problem: &ContactProblem,
        plan: &Plan,
        mut sink: impl FnMut(&Samples) -> Result<()>,
    ) -> Result<Finished> {
        self.start(problem, plan, Sink::Samples(&mut sink))
    }

    /// About how many seconds the samples of `plan` take, from a few that are computed first, one
    /// thread at a time; `None` on a GPU, and where so few show nothing.
    ///
    /// # Errors
    /// Those of [`Engine::sample`].
    pub fn seconds(&self, problem: &ContactProblem, plan: &Plan) -> Result<Option<f64>> {
        if self.info.kind == "gpu" || plan.samples < FEW {
            return Ok(None);
        }
        Ok(Some(match self.precision(plan) {
            Precision::F32 => pilot::<f32>(problem, plan)?,
            Precision::F64 => pilot::<f64>(problem, plan)?,
        }))
    }

    /// The statistics of the samples that [`Engine::sample`] computes, without keeping the samples.
    /// `tell` is called after each part with its number of samples.
    ///
    /// A GPU computes the statistics itself, in its precision, except those of forecasts. The
    /// statistics agree with those of [`Engine::sample`] up to rounding. Rounding may also change
    /// which samples are computed
    /// again, and the contact mode of the few samples whose velocity is next to the threshold of
    /// rest.
    ///
    /// # Errors
    /// Those of [`Engine::sample`].
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
    /// Those of [`Engine::sample`].
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

    /// A run whose samples have poses of their own.
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

/// The verified blocks of samples with poses of their own.
fn posed_blocks<'a>(poser: &Poser, samples: &[Samples], context: &cpu::RunContext<'_>) -> Rest<'a> {
    let blocks = poser.blocks(samples, BLOCK, context.verifier, context.keep);
    Box::new(move || Ok(blocks))
}

/// The destination of the results of a run.
enum Sink<'a> {
    Samples(&'a mut dyn FnMut(&Samples) -> Result<()>),
    /// The samples are dropped; the function is called with the number of samples counted.
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

/// The result of a run on one device, and the way it was computed.
struct How {
    solver: &'static str,
    why: Vec<String>,
    summary: Summary,
    doubted: Option<Doubted>,
    seconds_build: f64,
    seconds: Seconds,
}

/// The remaining work for samples that a device has computed: checks, repair, statistics.
type Rest<'a> = Box<dyn FnOnce() -> Result<Vec<cpu::Block>> + Send + 'a>;

/// The seconds in which samples were computed, and in which they were verified, maybe at once.
#[derive(Clone, Copy, Debug, Default)]
struct Seconds {
    kernel: f64,
    finish: f64,
}

/// Samples a problem on the device of `plan`. See [`Engine::sample`].
///
/// # Errors
/// Those of [`Engine::open`] and [`Engine::sample`].
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

/// Computes chunk after chunk, of at most `most` blocks each, verifies them and passes the samples
/// to `sink` in order.
///
/// Chunks are computed on a separate thread while the caller's thread verifies and processes the
/// samples. A caller's thread of a rayon pool does both in turns, and the pool computes.
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
        let blocks = rest();
        if plan.stopped() {
            return Err(Error::interrupted());
        }
        let blocks = blocks?;
        seconds.kernel += kernel;
        seconds.finish += started.elapsed().as_secs_f64();
        for block in &blocks {
            sink.take(block)?;
            summary.merge(&block.0);
        }
        Ok(())
    };
    let most = plan.chunk.map_or(most, |chunk| chunk.div_ceil(BLOCK as u64).max(1));
    let threads = rayon::current_num_threads() as u64;
    let mut blocks = if plan.chunk.is_some() { most } else { threads.max(4).min(most) };
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
