//! Search for outcomes that reach far: samples that take over the draws of those that reach farthest, but for some steps.

use rayon::prelude::*;

use super::check::{BLOCK, Desk, Finisher, Unchecked};
use super::{Engine, Plan, Run};
use crate::error::{Error, Result};
use crate::law::{Law, Routh, Sampler};
use crate::outcome::{PointSet, Samples};
use crate::problem::ContactProblem;
use crate::rng::stream::{index, unit};
use crate::rng::{Patch, Purpose, Stream};

/// Directions in which far outcomes are sought.
const DIRECTIONS: usize = 128;

/// Samples that are kept for each direction.
const BEST: usize = 8;

/// How often the best are chosen again.
const GENERATIONS: u64 = 12;

/// Most steps that are drawn again at once, where not all later ones are.
const MOST_STEPS: u32 = 2;

/// A sample by its draws: those of `sample`, with the draws of other samples in some steps.
#[derive(Clone, Debug)]
struct Genome {
    sample: u64,
    patches: Vec<Patch>,
    /// The steps that it took.
    steps: u32,
}

/// For each direction the samples that reach farthest, the farthest first.
struct Best {
    directions: Vec<Vec<f64>>,
    found: Vec<Vec<(f64, Genome)>>,
}

impl Best {
    /// For directions that are uniform in the kinetic metric; they depend on the seed alone.
    fn new(problem: &ContactProblem, metric: &PointSet, seed: u64) -> Self {
        let n = problem.coordinate_count();
        let direction = |d: u64| {
            let stream = Stream::new(seed, u64::MAX - d);
            let draw = |j: usize| f64::from(unit(stream.draw(0, Purpose::User, j as u32)));
            // Normal numbers by Box and Muller.
            let normal = |i: usize| {
                let size = (-2.0 * (1.0 - draw(2 * i)).ln()).sqrt();
                size * (std::f64::consts::TAU * draw(2 * i + 1)).cos()
            };
            let x = nalgebra::DVector::from_fn(n, |i, _| normal(i));
            metric.map().tr_mul(&x).iter().copied().collect()
        };
        let directions: Vec<Vec<f64>> = (0..DIRECTIONS as u64).map(direction).collect();
        Best { found: vec![Vec::new(); directions.len()], directions }
    }

    fn offer(&mut self, velocity: &[f64], genome: impl Fn() -> Genome) {
        for (direction, found) in self.directions.iter().zip(&mut self.found) {
            let reach: f64 = direction.iter().zip(velocity).map(|(c, v)| c * v).sum();
            let at = found.partition_point(|(other, _)| *other >= reach);
            if at < BEST && at.checked_sub(1).is_none_or(|before| found[before].0 > reach) {
                found.insert(at, (reach, genome()));
                found.truncate(BEST);
            }
        }
    }
}

impl Engine {
    /// Samples a problem, and spends the part `share` of the samples, the last ones, on a search for outcomes that reach far in 128
    /// directions.
    ///
    /// The first samples are those of [`Engine::sample`]. Then, generation by generation, each new sample takes over the draws of one of
    /// the best in a direction, except in some steps or from a step on, where it has draws of its own. Every sample is a checked
    /// solution like all others, computed on the CPU in f64; shares of contact modes are shifted by the search.
    ///
    /// A simple genetic search with truncation selection and without recombination.
    ///
    /// # Errors
    /// Those of [`Engine::sample`]; a share outside (0, 1); a law other than Routh's, a sampler other than `coverage` and `uniform`,
    /// uncertain numbers.
    pub fn explore(
        &self,
        problem: &ContactProblem,
        plan: &Plan,
        share: f64,
        mut sink: impl FnMut(&Samples) -> Result<()>,
    ) -> Result<Run> {
        let refused = |what: &str| Err(Error::usage(what).at("--explore"));
        if !(share > 0.0 && share < 1.0) {
            return refused("expected a share between 0 and 1");
        }
        match &plan.law {
            Law::Routh(Routh { sampler: Sampler::Coverage | Sampler::Uniform, .. }) => {}
            Law::Routh(_) => return refused("the samplers to search with are coverage and uniform"),
            _ => return refused("the law to search with is routh"),
        }
        if !problem.uncertainty().is_none() {
            return refused("uncertain numbers are not searched");
        }
        let explored = ((plan.samples as f64 * share) as u64).clamp(1, plan.samples.max(2) - 1);
        let first = Plan { samples: plan.samples.max(2) - explored, ..plan.clone() };
        let metric = PointSet::new(problem.mass(), problem.velocity(), &[]);
        let metric =
            metric.ok_or_else(|| Error::input("the mass matrix is not positive definite").at("mass"))?;
        let reference = plan.law.prepare::<f64>(problem)?;
        let residual = reference.most_residual::<f64>();
        let mut best = Best::new(problem, &metric, plan.seed);
        let mut run = self.sample(problem, &first, |samples| {
            for i in samples.accepted(residual) {
                let (sample, steps) = (samples.first + i as u64, samples.steps[i]);
                let genome = || Genome { sample, patches: Vec::new(), steps };
                best.offer(samples.row(&samples.velocity, i), genome);
            }
            sink(samples)
        })?;
        let begun = std::time::Instant::now();
        let finisher = Finisher::new::<f64>(problem, &reference, plan.seed, true);
        let mut next = first.samples;
        for generation in 0..GENERATIONS {
            let end = first.samples + explored * (generation + 1) / GENERATIONS;
            let genomes: Vec<Genome> =
                (next..end).filter_map(|sample| child(&best, plan.seed, sample)).collect();
            let blocks: Vec<(Samples, _)> = genomes
                .par_chunks(BLOCK)
                .enumerate()
                .map_init(
                    || {
                        let (mut work, mut desk) = (reference.workspace(), Desk::new(problem, &reference));
                        work.stop().clone_from(&plan.stop);
                        desk.work.stop().clone_from(&plan.stop);
                        (work, desk)
                    },
                    |(work, desk), (block, genomes)| {
                        let (mut endings, mut totals) = (Vec::new(), Vec::new());
                        for Genome { sample, patches, .. } in genomes {
                            let stream = Stream::new(plan.seed, *sample).patched(patches);
                            endings.push(reference.sample(&stream, work));
                            totals.extend_from_slice(work.total());
                        }
                        let (mut samples, mut summary) = (Samples::default(), finisher.summary());
                        let first = next + (block * BLOCK) as u64;
                        let raw = Unchecked { first, endings: &endings, totals: &totals };
                        finisher.finish(raw, desk, Some(&mut samples), Some(&mut summary));
                        (samples, summary)
                    },
                )
                .collect();
            if plan.stopped() {
                return Err(Error::interrupted());
            }
            for ((samples, summary), genomes) in blocks.iter().zip(genomes.chunks(BLOCK)) {
                for i in samples.accepted(residual) {
                    let genome = || Genome { steps: samples.steps[i], ..genomes[i].clone() };
                    best.offer(samples.row(&samples.velocity, i), genome);
                }
                run.summary.merge(summary);
                sink(samples)?;
            }
            next = end;
        }
        let seconds = begun.elapsed().as_secs_f64();
        run.seconds_total += seconds;
        run.seconds_kernel += seconds;
        Ok(run)
    }
}

/// A new sample: one of the best in a direction, with draws of its own in a few steps or from a step on. `None` where no sample is
/// accepted.
fn child(best: &Best, seed: u64, sample: u64) -> Option<Genome> {
    let stream = Stream::new(seed, sample);
    let words = stream.block(0, Purpose::User, 0);
    let found = &best.found[(sample % DIRECTIONS as u64) as usize];
    let (_, parent) = found.get(index(words[0], found.len() as u32) as usize)?;
    // Early steps matter most, and there are fewer blocks than segments.
    let place = f64::from(unit(words[1])).powi(2);
    let from = (place * f64::from(parent.steps)) as u32;
    let until = match index(words[2], 2) {
        0 => u32::MAX,
        _ => from + 1 + index(words[3], MOST_STEPS),
    };
    let mut patches = parent.patches.clone();
    patches.push(Patch { from, until, sample });
    Some(Genome { sample: parent.sample, patches, steps: parent.steps })
}
