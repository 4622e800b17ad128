//! Latencies: the time of few samples.

use std::time::Instant;

use super::report::MANY_REPEATS;
use super::sampling::Hand;
use super::{Bench, Latency, REPEATS, at};
use crate::{ContactProblem, Error, Result};
use carom_core::rng::Stream;
use carom_engine::gpu::Kernel;
use carom_engine::{Batch, Engine, Plan, Precision, Prepared, planner};
use carom_law::Law;
use carom_law::lanes::Kernels;

/// Number of samples for the first latencies.
const FEW: u64 = 1000;
/// Number of problems for the last latency, and of samples for each.
const MANY: (usize, u64) = (256, 256);

impl Bench {
    /// The latencies of few samples on one core, and of many small problems on the whole device.
    pub(super) fn latencies<R: Kernels>(
        &self,
        engine: &Engine,
        scene: &str,
        problem: &ContactProblem,
        precision: Precision,
    ) -> Result<Vec<Latency>> {
        let law = Law::from(super::case::default_on(engine, problem));
        let (count, each) = MANY;
        let (seed, stop) = (self.seed, self.stop.clone());
        let plan = Plan { law: law.clone(), seed, samples: each, stop, ..Plan::default() };
        let problems = varied(problem, count)?;
        let latency =
            |what, problems, samples, threads, (times, kernel): (Vec<f64>, f64)| Latency {
                what,
                scene: scene.to_string(),
                precision: precision.name(),
                problems,
                samples,
                threads,
                repeats: times.len(),
                min_us: 1e6 * times[0],
                median_us: 1e6 * at(&times, 0.5),
                p99_us: (times.len() >= MANY_REPEATS).then(|| 1e6 * at(&times, 0.99)),
                kernel_us: 1e6 * kernel,
            };
        let once = |ready: &mut Prepared<R>| -> Result<()> {
            ready.sample(0, FEW as usize);
            Ok(())
        };
        if let Some(gpu) = engine.gpu() {
            let mut batch = engine.batch::<R>(&plan);
            let prepared = self.time_all(|_| batch.sample(&problems).map(drop))?;
            let anew = self.time_all(|_| engine.batch::<R>(&plan).sample(&problems).map(drop))?;
            let bounds: Vec<_> =
                problems.iter().map(|p| law.prepare::<R>(p)).collect::<Result<_>>()?;
            let (bounds, seeds) = (bounds.iter().collect::<Vec<_>>(), vec![self.seed; count]);
            let mut kernel = Kernel::of_many(gpu, &bounds, &seeds, each as u32)?;
            let least = self.time_all(|_| {
                kernel.dispatch_all::<R>(0, count as u64 * each, || self.stopped()).map(drop)
            })?[0];
            return Ok(vec![
                latency("prepared", count, each, None, (prepared, least)),
                latency("new problems", count, each, None, (anew, least)),
            ]);
        }
        // The kernel alone recomputes the samples. Among prepared data, only the tolerance of a map
        // depends on the velocity.
        let mut tables = planner::choose::<R>(&law.prepare::<f64>(problem)?, None)?.tables;
        let mut hand = Hand::new(&law.prepare::<R>(problem)?, &self.stop);
        let mut kernel = |problem: &ContactProblem, samples: u64| -> Result<f64> {
            let process = law.prepare::<R>(problem)?;
            if let (Some(tables), Some(rates)) = (&mut tables, process.rates()) {
                tables.set_caps(rates.largest_caps().map(|caps| caps.to_f64()));
            }
            let mut least = f64::INFINITY;
            for _ in 0..REPEATS {
                let start = Instant::now();
                hand.sample(&process, tables.as_ref(), self.seed, 0, samples as usize);
                least = least.min(start.elapsed().as_secs_f64());
            }
            Ok(least)
        };
        let alone = kernel(problem, FEW)?;
        let many = problems.iter().map(|problem| kernel(problem, each)).sum::<Result<f64>>()?;

        let mut ready = Prepared::<R>::new(problem, &plan)?;
        let prepared = self.time_all(|_| once(&mut ready))?;
        let moved = self.time_all(|i| {
            ready.velocity(problems[i % count].velocity().as_slice())?;
            once(&mut ready)
        })?;
        let anew = self.time_all(|i| once(&mut Prepared::new(&problems[i % count], &plan)?))?;
        let threads = rayon::current_num_threads();
        let solver = planner::choose::<R>(&law.prepare::<f64>(problem)?, None)?.solver;
        let mut batch = Batch::<R>::new(&Plan { solver: Some(solver), ..plan.clone() });
        let batched = self.time_all(|_| batch.sample(&problems).map(drop))?;
        let once = self.time_all(|_| Batch::<R>::new(&plan).sample(&problems).map(drop))?;
        Ok(vec![
            latency("prepared", 1, FEW, Some(1), (prepared, alone)),
            latency("new velocity", 1, FEW, Some(1), (moved, alone)),
            latency("new problem", 1, FEW, Some(1), (anew, alone)),
            latency("prepared", count, each, Some(threads), (batched, many / threads as f64)),
            latency("new problems", count, each, Some(threads), (once, many / threads as f64)),
        ])
    }

    /// The sorted times of `once` in seconds, repeated for the measuring time.
    fn time_all(&self, mut once: impl FnMut(usize) -> Result<()>) -> Result<Vec<f64>> {
        once(0)?;
        let start = Instant::now();
        let mut times = Vec::new();
        while times.len() < REPEATS || start.elapsed().as_secs_f64() < self.seconds {
            if self.stopped() {
                return Err(Error::interrupted());
            }
            let start = Instant::now();
            once(times.len())?;
            times.push(start.elapsed().as_secs_f64());
        }
        times.sort_by(f64::total_cmp);
        Ok(times)
    }
}

/// Copies of the problem whose velocity entries vary by up to three percent, reproducibly.
fn varied(problem: &ContactProblem, count: usize) -> Result<Vec<ContactProblem>> {
    (0..count as u64)
        .map(|i| {
            let stream = Stream::new(0, i);
            let mut spec = problem.spec().clone();
            for (j, v) in spec.velocity.iter_mut().enumerate() {
                // A velocity that satisfies bilateral constraints still does when it is scaled.
                let entry = if problem.spec().bilateral.is_empty() { j as u32 } else { 0 };
                let word = stream.block(entry, carom_core::rng::Purpose::Rate, 0)[0];
                *v *= 0.97 + 0.06 * f64::from(carom_core::rng::stream::unit(word));
            }
            ContactProblem::new(spec)
        })
        .collect()
}
