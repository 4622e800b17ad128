//! Samples with little delay: a sampler that stays prepared, and batches of problems.

use std::collections::HashMap;

use rayon::prelude::*;

use super::finish::Finisher;
use super::lanes::{Job, Lane, Map};
use super::plan::Plan;
use super::planner::{self, StepSolver};
use crate::error::{Error, Result};
use crate::law::routh::{Bound, Ending, Routh, Workspace};
use crate::law::{Law, Solution};
use crate::lcp::{ExplicitMap, ModeTable};
use crate::outcome::Samples;
use crate::problem::ContactProblem;
use crate::status::Status;

/// A problem on the CPU, prepared: call it again and again, with new velocities or new problems.
///
/// It runs on the caller's thread. Its samples are those of [`Engine::sample`](super::Engine::sample) up to rounding:
/// where the plan does not say how to solve steps, it takes the whole table for up to three contacts, which is there
/// ten times sooner than a tree.
#[derive(Debug)]
pub struct Sampler<R: Lane> {
    problem: ContactProblem,
    law: Routh,
    solver: Option<StepSolver>,
    seed: u64,
    bound: Bound<R>,
    reference: Bound<f64>,
    map: Option<Map<R>>,
    work: Workspace<R>,
    repair: Workspace<f64>,
    endings: Vec<Ending<R>>,
    totals: Vec<R>,
    samples: Samples,
}

impl<R: Lane> Sampler<R> {
    /// Prepares a problem. Of the plan the law, the solver, the seed and the stop flag count.
    ///
    /// # Errors
    /// What the law or the solver cannot honour.
    pub fn new(problem: &ContactProblem, plan: &Plan) -> Result<Self> {
        let Law::Routh(law) = &plan.law;
        let reference = law.bind::<f64>(problem)?;
        let map = map(&reference, plan.solver)?;
        Self::with_map(problem, plan, reference, map)
    }

    fn with_map(
        problem: &ContactProblem,
        plan: &Plan,
        reference: Bound<f64>,
        map: Option<Map<R>>,
    ) -> Result<Self> {
        let Law::Routh(law) = &plan.law;
        let bound = reference.cast::<R>(law, problem)?;
        let (mut work, mut repair) = (bound.workspace(), reference.workspace());
        work.stop.clone_from(&plan.stop);
        repair.stop.clone_from(&plan.stop);
        let mut sampler = Sampler {
            problem: problem.clone(),
            law: law.clone(),
            solver: plan.solver,
            seed: plan.seed,
            work,
            repair,
            bound,
            reference,
            map,
            endings: Vec::new(),
            totals: Vec::new(),
            samples: Samples::default(),
        };
        sampler.follow();
        Ok(sampler)
    }

    /// Takes another velocity (n) before the impact; mass, Jacobians and friction stay. Does not allocate.
    ///
    /// # Errors
    /// Those of [`ContactProblem::set_velocity`], a step out of range. The sampler is then not to be used further.
    pub fn velocity(&mut self, velocity: &[f64]) -> Result<()> {
        self.problem.set_velocity(velocity)?;
        self.law.approach(&self.problem, &mut self.bound)?;
        self.law.approach(&self.problem, &mut self.reference)?;
        self.follow();
        Ok(())
    }

    /// Takes another problem. Where only the velocity differs, [`Sampler::velocity`] is faster.
    ///
    /// # Errors
    /// Those of [`Sampler::new`]; the sampler then stays as it was.
    pub fn problem(&mut self, problem: &ContactProblem) -> Result<()> {
        let plan = Plan {
            law: Law::Routh(self.law.clone()),
            solver: self.solver,
            seed: self.seed,
            stop: self.work.stop.clone(),
            ..Plan::default()
        };
        *self = Sampler::new(problem, &plan)?;
        Ok(())
    }

    /// The map's tolerance follows the caps.
    fn follow(&mut self) {
        if let Some(map) = &mut self.map {
            map.table.set_caps(self.reference.caps.iter().copied());
        }
    }

    /// Samples `first .. first + count`, checked, repaired where that is needed. Does not allocate once it has sampled
    /// as many.
    pub fn sample(&mut self, first: u64, count: usize) -> &Samples {
        let width = 2 * self.bound.step.contacts;
        self.endings.clear();
        self.endings.resize(count, Ending { status: Status::Unsolved, steps: 0, residual: R::ZERO });
        self.totals.clear();
        self.totals.resize(count * width, R::ZERO);
        let job = Job {
            map: self.map.as_ref(),
            bound: &self.bound,
            seed: self.seed,
            first,
            endings: &mut self.endings,
            totals: &mut self.totals,
            work: &mut self.work,
        };
        job.run();
        let double = R::EPSILON <= f64::EPSILON;
        let finisher = Finisher::new::<R>(&self.problem, &self.reference, self.seed, double);
        finisher.finish_into(first, &self.endings, &self.totals, &mut self.repair, &mut self.samples);
        &self.samples
    }
}

fn map<R: Lane>(reference: &Bound<f64>, solver: Option<StepSolver>) -> Result<Option<Map<R>>> {
    let small = reference.step.contacts <= ModeTable::<R>::MAX_CONTACTS;
    if solver.is_none() && small && reference.solution == Solution::Random {
        return Ok(Some(Map::new(reference, ExplicitMap::whole(&reference.step))));
    }
    Ok(planner::choose(reference, solver)?.map)
}

/// The first `plan.samples` samples of each problem, on all cores. Problems that differ in their velocities only share
/// their tables.
///
/// # Errors
/// Those of [`Sampler::new`], with the number of the problem; an interrupted run.
pub fn batch<R: Lane>(problems: &[ContactProblem], plan: &Plan) -> Result<Vec<Samples>> {
    let Law::Routh(law) = &plan.law;
    let mut groups: HashMap<Vec<u64>, Vec<usize>> = HashMap::new();
    for (i, problem) in problems.iter().enumerate() {
        groups.entry(all_but_velocity(problem)).or_default().push(i);
    }
    let within = |i: usize| move |error: Error| error.at(format!("problems[{i}]"));
    let groups: Vec<Vec<usize>> = groups.into_values().collect();
    let prepared = groups.par_iter().map(|group| {
        let reference = law.bind::<f64>(&problems[group[0]]).map_err(within(group[0]))?;
        let map = map::<R>(&reference, plan.solver).map_err(within(group[0]))?;
        Ok((reference, map))
    });
    let prepared: Vec<(Bound<f64>, Option<Map<R>>)> = prepared.collect::<Result<_>>()?;
    let jobs: Vec<(usize, usize)> =
        groups.iter().enumerate().flat_map(|(g, group)| group.iter().map(move |&i| (i, g))).collect();
    // Each thread prepares a sampler once for many problems.
    let share = jobs.len().div_ceil(4 * rayon::current_num_threads());
    let mut samples: Vec<(usize, Samples)> = jobs
        .into_par_iter()
        .with_min_len(share)
        .map_init(
            || None,
            |kept: &mut Option<(usize, Sampler<R>)>, (i, g)| {
                if plan.stopped() {
                    return Err(Error::interrupted());
                }
                let sampler = match kept {
                    Some((group, sampler)) if *group == g => {
                        sampler.velocity(problems[i].velocity().as_slice()).map_err(within(i))?;
                        sampler
                    }
                    _ => {
                        let (reference, map) = &prepared[g];
                        let mut reference = reference.clone();
                        law.approach(&problems[i], &mut reference).map_err(within(i))?;
                        let new = Sampler::with_map(&problems[i], plan, reference, map.clone());
                        &mut kept.insert((g, new.map_err(within(i))?)).1
                    }
                };
                sampler.sample(0, plan.samples as usize);
                Ok((i, std::mem::take(&mut sampler.samples)))
            },
        )
        .collect::<Result<_>>()?;
    samples.sort_by_key(|(i, _)| *i);
    Ok(samples.into_iter().map(|(_, samples)| samples).collect())
}

/// The bits of all that a problem has, but its velocity.
fn all_but_velocity(problem: &ContactProblem) -> Vec<u64> {
    let spec = problem.spec();
    let numbers = problem.mass().iter().chain(problem.jacobian().iter()).chain(problem.friction());
    let restitution = problem.restitution().unwrap_or_default();
    let bits = numbers.chain(restitution).chain(&spec.step).map(|x| x.to_bits());
    let sizes =
        [problem.contact_count() as u64, u64::from(spec.max_steps.unwrap_or(0)), restitution.len() as u64];
    bits.chain(sizes).collect()
}
