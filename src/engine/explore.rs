//! Search for outcomes that reach far: a new sample copies the draws of one that reaches farthest,
//! except in some steps.

use rayon::prelude::*;

use super::check::{BLOCK, Unchecked, Verifier, VerifierScratch};
use super::{Engine, Finished, Plan};
use crate::error::{Error, Result};
use crate::law::{Law, Sampler};
use crate::outcome::{PointSet, Samples};
use crate::problem::ContactProblem;
use crate::rng::stream::{index, unit};
use crate::rng::{Patch, Purpose, Stream};

/// Directions in which far outcomes are sought.
const DIRECTIONS: usize = 256;

/// Number of times that the best samples are chosen again.
const GENERATIONS: u64 = 40;

/// Most steps that are drawn again together, where the later ones stay.
const MOST_STEPS: u32 = 2;

/// Most leading bits of a draw that stay where the draw changes a little.
const MOST_BITS: u32 = 10;

/// The search for far outcomes, and its share of the samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// The share of the samples that the search spends, between 0 and 1; these are the last
    /// samples.
    pub share: f64,
    /// The directions `c` (n each) of large `c.v+`; 256 uniform ones where the list is empty.
    pub directions: Vec<Vec<f64>>,
}

impl Search {
    /// Refuses a search that the problem, law or plan does not allow.
    ///
    /// # Errors
    /// Those of [`Engine::explore`].
    pub fn check(&self, problem: &ContactProblem, plan: &Plan) -> Result<()> {
        let refused = |what: &str| Err(Error::usage(what).option("explore"));
        let share = self.share;
        if !(share > 0.0 && share < 1.0) {
            return Err(Error::usage(format!(
                "expected a share above 0 and below 1, found {share}"
            ))
            .option("explore"));
        }
        if plan.forecaster.is_some() {
            return refused("outcomes of a law are searched, and a model's samples are forecasts");
        }
        match &plan.law {
            Law::Routh(law) if matches!(law.sampler(), Sampler::Coverage | Sampler::Uniform) => {}
            Law::Routh(_) => {
                return refused("the samplers to search with are coverage and uniform");
            }
            _ => return refused("the law to search with is routh"),
        }
        if self.directions.iter().any(|c| c.len() != problem.coordinate_count()) {
            return refused("a direction has one number for each coordinate");
        }
        if !problem.uncertainty().is_none() {
            return refused("uncertain numbers are not searched");
        }
        if plan.samples < 2 {
            return refused("a search takes at least 2 samples");
        }
        if plan.first > 0 {
            return refused("a search takes over draws of samples from the first one on");
        }
        Ok(())
    }
}

/// A sample by its draws: the draws of `sample`, with the draws of other samples in some steps.
#[derive(Clone, Debug)]
struct Genome {
    sample: u64,
    patches: Vec<Patch>,
    /// Number of steps of the sample.
    steps: u32,
}

/// The farthest sample in each direction, and how far it reaches.
struct Best {
    directions: Vec<Vec<f64>>,
    found: Vec<Option<(f64, Genome)>>,
}

impl Best {
    /// The best samples before any is known, for the directions of a search. Where it has no
    /// directions, they are uniform in the kinetic metric and depend on the seed alone.
    fn new(problem: &ContactProblem, search: &Search, metric: &PointSet, seed: u64) -> Self {
        let n = problem.coordinate_count();
        let direction = |d: u64| {
            let stream = Stream::new(seed, u64::MAX - d);
            let draw = |j: usize| f64::from(unit(stream.draw(0, Purpose::User, j as u32)));
            // Normal random numbers by Box and Muller's method.
            let normal = |i: usize| {
                let size = (-2.0 * (1.0 - draw(2 * i)).ln()).sqrt();
                size * (std::f64::consts::TAU * draw(2 * i + 1)).cos()
            };
            let x = nalgebra::DVector::from_fn(n, |i, _| normal(i));
            metric.map().tr_mul(&x).iter().copied().collect()
        };
        let directions = match search.directions.is_empty() {
            true => (0..DIRECTIONS as u64).map(direction).collect(),
            false => search.directions.clone(),
        };
        Best { found: vec![None; directions.len()], directions }
    }

    fn offer(&mut self, velocity: &[f64], genome: impl Fn() -> Genome) {
        for (direction, found) in self.directions.iter().zip(&mut self.found) {
            let reach: f64 = direction.iter().zip(velocity).map(|(c, v)| c * v).sum();
            if found.as_ref().is_none_or(|(farthest, _)| reach > *farthest) {
                *found = Some((reach, genome()));
            }
        }
    }
}

impl Engine {
    /// Samples a problem, and spends the last samples on a search for outcomes that reach far in
    /// some directions.
    ///
    /// The first samples are those of [`Engine::sample`]. Then, generation by generation, each new
    /// sample copies the draws of the sample that reaches farthest in a direction, and changes
    /// some: all from a step on, those of one or two steps, or only their last bits, which changes
    /// rates a little. Every sample is a checked solution like all others, computed on the CPU in
    /// f64; shares of contact modes are shifted by the search.
    ///
    /// Source: I. Rechenberg: Evolutionsstrategie. Frommann-Holzboog 1973: one parent, many
    /// children, the best of all is the next parent. Deviations: all directions share one pool of
    /// samples; steps of a change are random.
    ///
    /// # Errors
    /// Those of [`Engine::sample`]; a share outside (0, 1); directions without n numbers; a law
    /// other than Routh's, a sampler other than `coverage` and `uniform`, uncertain numbers.
    pub fn explore(
        &self,
        problem: &ContactProblem,
        plan: &Plan,
        search: &Search,
        mut sink: impl FnMut(&Samples) -> Result<()>,
    ) -> Result<Finished> {
        search.check(problem, plan)?;
        let share = search.share;
        let explored = ((plan.samples as f64 * share) as u64).clamp(1, plan.samples - 1);
        let first = Plan { samples: plan.samples - explored, ..plan.clone() };
        let metric = PointSet::new(problem.mass(), problem.velocity(), &[]);
        let metric = metric
            .ok_or_else(|| Error::input("the mass matrix is not positive definite").at("mass"))?;
        let reference = plan.law.prepare::<f64>(problem)?;
        let residual = reference.most_residual::<f64>();
        let mut best = Best::new(problem, search, &metric, plan.seed);
        let mut run = self.sample(problem, &first, |samples| {
            for i in samples.accepted(residual) {
                let (sample, steps) = (samples.first + i as u64, samples.steps[i]);
                let genome = || Genome { sample, patches: Vec::new(), steps };
                best.offer(samples.row(&samples.velocity, i), genome);
            }
            sink(samples)
        })?;
        let begun = std::time::Instant::now();
        let verifier = Verifier::new::<f64>(problem, &reference, plan.seed, true);
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
                        let (mut work, mut scratch) =
                            (reference.workspace(), VerifierScratch::new(problem, &reference));
                        work.stop().clone_from(&plan.stop);
                        scratch.work.stop().clone_from(&plan.stop);
                        (work, scratch)
                    },
                    |(work, scratch), (block, genomes)| {
                        let (mut endings, mut totals) = (Vec::new(), Vec::new());
                        for Genome { sample, patches, .. } in genomes {
                            let stream = Stream::new(plan.seed, *sample).patched(patches);
                            endings.push(reference.sample(&stream, work));
                            totals.extend_from_slice(work.total());
                        }
                        let (mut samples, mut summary) = (Samples::default(), verifier.summary());
                        let first = next + (block * BLOCK) as u64;
                        let raw = Unchecked { first, endings: &endings, totals: &totals };
                        verifier.verify(raw, scratch, Some(&mut samples), Some(&mut summary));
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

/// A new sample: the draws of the farthest sample in a direction, with changes. `None` where no
/// sample is accepted.
fn child(best: &Best, seed: u64, sample: u64) -> Option<Genome> {
    let words = Stream::new(seed, sample).block(0, Purpose::User, 0);
    let (_, parent) = best.found[(sample % best.found.len() as u64) as usize].as_ref()?;
    // Early steps matter most, and a step has several segments.
    let place = f64::from(unit(words[0])).powi(2) / 2.0;
    let from = (place * f64::from(parent.steps)) as u32;
    let some = from + 1 + index(words[1], MOST_STEPS);
    let (until, taken) = match index(words[2], 4) {
        0 => (u32::MAX, u32::MAX),
        1 => (some, u32::MAX),
        _ => (some, u32::MAX >> (1 + index(words[3], MOST_BITS))),
    };
    let mut patches = parent.patches.clone();
    patches.push(Patch { from, until, sample, taken });
    Some(Genome { sample: parent.sample, patches, steps: parent.steps })
}
