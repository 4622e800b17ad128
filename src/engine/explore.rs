//! Search for extreme outcomes and for outcomes near given velocities. A new sample copies the
//! draws of the currently best sample, and changes them in some steps.

use rayon::prelude::*;

use super::check::{BLOCK, Unchecked, Verifier, VerifierScratch};
use super::{Engine, Finished, Plan};
use carom_core::error::{Error, Result};
use carom_core::outcome::{PointSet, Samples};
use carom_core::problem::ContactProblem;
use carom_core::rng::stream::{index, unit};
use carom_core::rng::{Patch, Purpose, Stream};
use carom_law::{Law, Sampler};

/// Default number of search directions.
const DIRECTIONS: usize = 256;

/// Number of generations, each with newly selected parents.
const GENERATIONS: u64 = 40;

/// Distance over `|v-|_M` within which a target velocity counts as reached.
const REACHED: f64 = 0.01;

/// Most consecutive steps with new draws, if later steps keep their draws.
const MOST_STEPS: u32 = 2;

/// Most leading bits of a draw that a small mutation keeps.
const MOST_BITS: u32 = 10;

/// The search for far outcomes, and its share of the samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// The share of the samples that the search spends, between 0 and 1. The search takes the last
    /// samples.
    pub share: f64,
    /// The objective of the search.
    pub goal: SearchGoal,
}

/// Objective of a search.
#[derive(Clone, Debug, PartialEq)]
pub enum SearchGoal {
    /// Large `c.v+` for directions `c` (n each); an empty list stands for 256 uniform directions.
    Far(Vec<Vec<f64>>),
    /// Outcomes near velocities (n each), such as points of an exact set.
    Near(Vec<Vec<f64>>),
}

impl Search {
    /// Refuses a search that the problem, law or plan does not allow.
    ///
    /// # Errors
    /// Errors of [`Engine::explore`].
    pub fn check(&self, problem: &ContactProblem, plan: &Plan) -> Result<()> {
        let option = match self.goal {
            SearchGoal::Far(_) => "explore",
            SearchGoal::Near(_) => "aim",
        };
        let refused = |what: &str| Err(Error::usage(what).option(option));
        let share = self.share;
        if !(share > 0.0 && share < 1.0) {
            return refused(&format!("expected a share above 0 and below 1, found {share}"));
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
        let (SearchGoal::Far(vectors) | SearchGoal::Near(vectors)) = &self.goal;
        if vectors.iter().any(|c| c.len() != problem.coordinate_count()) {
            return refused("a direction or a velocity has one number for each coordinate");
        }
        if self.goal == SearchGoal::Near(Vec::new()) {
            return refused("samples are aimed at one velocity at least");
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

/// A sample by its draws: the draws of `sample`, patched in some steps with draws of other samples.
#[derive(Clone, Debug)]
struct Genome {
    sample: u64,
    patches: Vec<Patch>,
    /// Number of steps of the sample.
    steps: u32,
}

/// The best sample and its value for each direction or target velocity.
struct Best<'a> {
    metric: &'a PointSet,
    /// Directions (n), or target velocities as points in the kinetic metric.
    sought: Vec<Vec<f64>>,
    near: bool,
    found: Vec<Option<(f64, Genome)>>,
}

impl<'a> Best<'a> {
    /// Starts without best samples. Default directions are uniform in the kinetic metric, and
    /// depend on the seed alone.
    fn new(problem: &ContactProblem, search: &Search, metric: &'a PointSet, seed: u64) -> Self {
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
        let sought: Vec<Vec<f64>> = match &search.goal {
            SearchGoal::Far(none) if none.is_empty() => {
                (0..DIRECTIONS as u64).map(direction).collect()
            }
            SearchGoal::Far(directions) => directions.clone(),
            SearchGoal::Near(targets) => {
                targets.iter().map(|v| metric.point(v).as_slice().to_vec()).collect()
            }
        };
        let near = matches!(search.goal, SearchGoal::Near(_));
        Best { found: vec![None; sought.len()], metric, sought, near }
    }

    fn offer(&mut self, velocity: &[f64], genome: impl Fn() -> Genome) {
        let point =
            if self.near { self.metric.point(velocity).as_slice().to_vec() } else { vec![] };
        for (sought, found) in self.sought.iter().zip(&mut self.found) {
            let value: f64 = match self.near {
                true => -sought.iter().zip(point.iter()).map(|(a, b)| (a - b).powi(2)).sum::<f64>(),
                false => sought.iter().zip(velocity).map(|(c, v)| c * v).sum(),
            };
            if found.as_ref().is_none_or(|(best, _)| value > *best) {
                *found = Some((value, genome()));
            }
        }
    }

    /// Parents of the next generation. With target velocities, only the best samples for targets
    /// still out of reach; after the last target is reached, all.
    fn parents(&self) -> Vec<&Genome> {
        let all = || self.found.iter().flatten();
        let open = all().filter(|(value, _)| self.near && *value < -REACHED * REACHED);
        let open: Vec<&Genome> = open.map(|(_, genome)| genome).collect();
        if open.is_empty() { all().map(|(_, genome)| genome).collect() } else { open }
    }
}

impl Engine {
    /// Samples a problem, and spends the last samples on a search for outcomes far in some
    /// directions, or near some velocities.
    ///
    /// The first samples equal the first samples of [`Engine::sample`]. In each later generation, a
    /// new sample copies the draws of the best sample for a direction or a velocity, and redraws a
    /// part: all draws from a step on, the draws of one or two steps, or only their last bits,
    /// which changes relative impulse rates a little. Every sample is a checked solution of the
    /// law, computed on the CPU in f64. The search biases the shares of contact modes.
    ///
    /// Source: I. Rechenberg: Evolutionsstrategie. Frommann-Holzboog 1973: one parent, many
    /// children, the best of all is the next parent. Deviations: all directions share one pool of
    /// samples; steps of a change are random.
    ///
    /// # Errors
    /// Errors of [`Engine::sample`]; a share outside (0, 1); directions without n numbers; a law
    /// other than Routh's, a sampler other than `coverage` and `uniform`, uncertain numbers.
    pub fn explore(
        &self,
        problem: &ContactProblem,
        plan: &Plan,
        search: &Search,
        mut sink: impl FnMut(&Samples) -> Result<()>,
    ) -> Result<Finished> {
        self.explore_into(problem, plan, search, &mut sink)
    }

    fn explore_into(
        &self,
        problem: &ContactProblem,
        plan: &Plan,
        search: &Search,
        sink: &mut dyn FnMut(&Samples) -> Result<()>,
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
            let parents = best.parents();
            let genomes: Vec<Genome> =
                (next..end).filter_map(|sample| child(&parents, plan.seed, sample)).collect();
            let blocks: Vec<(Samples, _)> = genomes
                .par_chunks(BLOCK)
                .enumerate()
                .map_init(
                    || {
                        let scratch = VerifierScratch::new(problem, plan.workspace(&reference));
                        (plan.workspace(&reference), scratch)
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

/// A mutated copy of a parent's draws. `None` without parents.
fn child(parents: &[&Genome], seed: u64, sample: u64) -> Option<Genome> {
    let words = Stream::new(seed, sample).block(0, Purpose::User, 0);
    let parent = parents.get(sample.checked_rem(parents.len() as u64)? as usize)?;
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
