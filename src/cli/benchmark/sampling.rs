//! Sampling speed of a kernel, and of a whole run.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::case::Case;
use super::flop::flop_per_sample;
use super::{Bench, CHUNK, MeasuredPeak, Measurement, Rate, at, chunk, pools};
use carom_core::error::{Error, Result};
use carom_core::status::Status;
use carom_engine::peak::Peak as PeakOf;
use carom_engine::planner::{self, SolverChoice};
use carom_engine::run::Settled;
use carom_engine::{Engine, Finished, Plan, Precision};
use carom_law::lanes::{Job, Kernels, LaneTables};
use carom_law::{Ending, Process, Workspace};
use carom_shaders::KernelShape;
use carom_shaders::kernels::serving;
use rayon::prelude::*;

impl Bench {
    pub(super) fn plan(&self, case: &Case<'_>, precision: Precision, samples: u64) -> Plan {
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

    pub(super) fn measurements<R: PeakOf + Kernels>(
        &self,
        engine: &Engine,
        case: &Case<'_>,
        precision: Precision,
        peaks: &[MeasuredPeak],
    ) -> Result<Vec<Measurement>> {
        let reference = match case.law.prepare::<f64>(case.problem) {
            Err(error) if case.usual => return Err(error),
            Err(_) => return Ok(Vec::new()),
            Ok(reference) => reference,
        };
        let process = case.law.prepare::<R>(case.problem)?;
        if let Some(gpu) = engine.gpu() {
            let limits = gpu.report.limits();
            if Settled::new(&case.law, case.problem).cpu_only.is_some() {
                return Ok(Vec::new());
            }
            let served = serving(&process, &limits);
            if !case.usual && served.check(&KernelShape::of(&process), &limits).is_err() {
                return Ok(Vec::new());
            }
            let mut kernel = carom_engine::gpu::Kernel::new(gpu, &process, self.seed)?;
            let chunk = chunk(engine) as u64;
            let with_readback = self.repeat(|rounds| {
                let start = Instant::now();
                kernel.dispatch_all::<R>(0, rounds * chunk, || self.stopped())?;
                Ok(start.elapsed().as_secs_f64())
            })?;
            kernel.measure();
            let times = match kernel.seconds() {
                None => None,
                Some(_) => Some(self.repeat(|rounds| {
                    kernel.compute_all(0, rounds * chunk, || self.stopped())?;
                    Ok(kernel.seconds().unwrap_or_default())
                })?),
            };
            let times = Times { kernel: times, host: with_readback };
            let flop = flop_per_sample::<R>(&case.law, &reference, case.problem, None)?;
            return Ok(vec![self.measurement(engine, case, precision, peaks, None, times, flop)?]);
        }
        let unasked = planner::choose::<R>(&reference, None)?;
        let SolverChoice { tables, .. } = match case.solver {
            None => unasked,
            // Skips solvers that do not support the problem, and the planner's own solver, measured
            // already.
            Some(_) => match planner::choose::<R>(&reference, case.solver) {
                Ok(choice) if choice.solver != unasked.solver => choice,
                _ => return Ok(Vec::new()),
            },
        };
        let flop = flop_per_sample(&case.law, &reference, case.problem, tables.as_ref())?;
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
            let pool = Some(&pool);
            measured.push(self.measurement(engine, case, precision, peaks, pool, times, flop)?);
        }
        Ok(measured)
    }

    #[expect(clippy::too_many_arguments, reason = "what was measured before")]
    fn measurement(
        &self,
        engine: &Engine,
        case: &Case<'_>,
        precision: Precision,
        peaks: &[MeasuredPeak],
        pool: Option<&rayon::ThreadPool>,
        times: Times,
        flop_per_sample: f64,
    ) -> Result<Measurement> {
        let threads = pool.map(rayon::ThreadPool::current_num_threads);
        let of_round = (chunk(engine) * threads.unwrap_or(1)) as f64;
        let mut last: Option<Finished> = None;
        let (mut build, mut finish) = (f64::INFINITY, 0.0);
        let whole = self.repeat(|rounds| {
            let plan = self.plan(case, precision, rounds * of_round as u64);
            let sample = || engine.summarize(case.problem, &plan, |_| ());
            let run = pool.map_or_else(sample, |pool| pool.install(sample))?;
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
        let flop_per_second = flop_per_sample * kernel.median;
        let peak =
            peaks.iter().find(|peak| peak.precision == precision.name() && peak.threads == threads);
        Ok(Measurement {
            scene: case.scene.to_string(),
            contacts: case.problem.contact_count(),
            precision: precision.name(),
            process: case.process().name(),
            law: case.law.name(),
            facets: case.facets().0,
            solution: case.facets().1.name(),
            solver: run.solver,
            threads,
            samples: summary.samples,
            kernel,
            clock: if times.kernel.is_some() { "timestamps" } else { "host" },
            with_readback: threads.is_none().then_some(host),
            end_to_end,
            steps_mean,
            lcps_per_second: steps_mean * kernel.median,
            flop_per_sample,
            flop_per_second,
            share_of_peak: peak.map(|peak| flop_per_second / peak.flop_per_second),
            finish_share: finish,
            repaired_share: summary.repaired as f64 / summary.samples as f64,
            not_accepted_share: summary.rejected_share(),
            build_ms: 1e3 * build,
            command: self.command(case, &run, threads),
        })
    }

    /// A command with the samples of a run of the case, on a CPU with `threads`.
    pub(super) fn command(
        &self,
        case: &Case<'_>,
        run: &Finished,
        threads: Option<usize>,
    ) -> String {
        let name = if run.device.kind == "cpu" { "cpu" } else { &run.device.name };
        let mut command = format!(
            "carom sample {} {} --samples {} --seed {} --device {} --precision {} --explain",
            quoted(case.scene),
            case.options(),
            run.summary.samples,
            self.seed,
            quoted(name),
            run.precision.name(),
        );
        if let Some(threads) = threads {
            command += &format!(" --solver {} --threads {threads}", run.solver);
        }
        command
    }
}

/// Sorted times of [`CHUNK`] samples in the kernel, of all threads together or of each thread.
struct Times {
    kernel: Option<Vec<f64>>,
    host: Vec<f64>,
}

/// The memory in which one thread computes samples.
pub(super) struct Hand<R: Kernels> {
    work: Workspace<R>,
    endings: Vec<Ending<R>>,
    totals: Vec<R>,
}

impl<R: Kernels> Hand<R> {
    pub(super) fn new(process: &Process<R>, stop: &Option<Arc<AtomicBool>>) -> Self {
        let none = Ending { status: Status::Unsolved, steps: 0, residual: R::ZERO };
        let totals = vec![R::ZERO; process.space().step.width() * CHUNK];
        let mut work = process.workspace();
        work.stop().clone_from(stop);
        Hand { work, endings: vec![none; CHUNK], totals }
    }

    pub(super) fn sample(
        &mut self,
        process: &Process<R>,
        tables: Option<&LaneTables<R>>,
        seed: u64,
        first: u64,
        count: usize,
    ) {
        let width = process.space().step.width();
        let endings = &mut self.endings[..count];
        let totals = &mut self.totals[..count * width];
        let work = &mut self.work;
        R::compute(Job { tables, process, seed, first, endings, totals, work });
    }
}

fn rate(times: &[f64], samples: f64) -> Rate {
    let spread = at(times, 0.9) / at(times, 0.1) - 1.0;
    let (best, median) = (samples / times[0], samples / at(times, 0.5));
    Rate { best, median, spread, repeats: times.len() }
}

fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
    match text.chars().all(plain) {
        true => text.to_string(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}
