//! Samples with little delay: a sampler that stays prepared, and batches of problems.

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;

use rayon::prelude::*;

use super::finish::{Desk, Finisher, Unchecked};
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
#[derive(Clone, Debug)]
pub struct Sampler<R: Lane> {
    problem: ContactProblem,
    law: Routh,
    solver: Option<StepSolver>,
    seed: u64,
    bound: Bound<R>,
    reference: Bound<f64>,
    map: Option<Map<R>>,
    work: Workspace<R>,
    desk: Desk,
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
        let bound = reference.cast::<R>(law, problem)?;
        let (mut work, mut desk) = (bound.workspace(), Desk::new(problem, &reference));
        work.stop.clone_from(&plan.stop);
        desk.work.stop.clone_from(&plan.stop);
        let mut sampler = Sampler {
            problem: problem.clone(),
            law: law.clone(),
            solver: plan.solver,
            seed: plan.seed,
            work,
            desk,
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
        let mut samples = std::mem::take(&mut self.samples);
        self.sample_into(first, count, &mut samples);
        self.samples = samples;
        &self.samples
    }

    /// The same into `samples`, whatever they were.
    pub fn sample_into(&mut self, first: u64, count: usize, samples: &mut Samples) {
        let width = 2 * self.bound.step.contacts;
        self.endings.resize(count, Ending { status: Status::Unsolved, steps: 0, residual: R::ZERO });
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
        let raw = Unchecked { first, endings: &self.endings, totals: &self.totals };
        finisher.finish(raw, &mut self.desk, Some(samples), None);
    }
}

fn map<R: Lane>(reference: &Bound<f64>, solver: Option<StepSolver>) -> Result<Option<Map<R>>> {
    let small = reference.step.contacts <= ModeTable::<R>::MAX_CONTACTS;
    if solver.is_none() && small && reference.solution == Solution::Random {
        return Ok(Some(Map::new(reference, ExplicitMap::whole(&reference.step))));
    }
    Ok(planner::choose(reference, solver)?.map)
}

/// The first samples of many problems, on all cores. It stays prepared: problems that differ from earlier ones in their
/// velocities only, share their tables, and the samples keep their room.
#[derive(Debug)]
pub struct Batch<R: Lane> {
    plan: Plan,
    /// Per table the samplers that threads have made of it.
    samplers: HashMap<Vec<u64>, Mutex<Vec<Sampler<R>>>>,
    samples: Vec<Samples>,
}

impl<R: Lane> Batch<R> {
    /// Tables that stay although the last problems had no use for them.
    const SPARE: usize = 1024;

    /// A batch without tables. Of the plan the law, the solver, the number of samples, the seed and the stop flag count.
    pub fn new(plan: &Plan) -> Self {
        Batch { plan: plan.clone(), samplers: HashMap::new(), samples: Vec::new() }
    }

    /// The first `plan.samples` samples of each problem.
    ///
    /// # Errors
    /// Those of [`Sampler::new`], with the number of the problem; an interrupted run.
    pub fn sample(&mut self, problems: &[ContactProblem]) -> Result<&[Samples]> {
        let within = |i: usize| move |error: Error| error.at(format!("problems[{i}]"));
        let keys: Vec<Vec<u64>> = problems.par_iter().map(all_but_velocity).collect();
        let mut new: HashMap<&Vec<u64>, usize> = HashMap::new();
        for (i, key) in keys.iter().enumerate() {
            if !self.samplers.contains_key(key) {
                new.entry(key).or_insert(i);
            }
        }
        if self.samplers.len() + new.len() > keys.len() + Self::SPARE {
            let used: HashSet<&Vec<u64>> = keys.iter().collect();
            self.samplers.retain(|key, _| used.contains(key));
        }
        let plan = &self.plan;
        let made = new.into_par_iter().map(|(key, i)| {
            let sampler = Sampler::new(&problems[i], plan).map_err(within(i))?;
            Ok((key.clone(), Mutex::new(vec![sampler])))
        });
        let made: Vec<_> = made.collect::<Result<_>>()?;
        self.samplers.extend(made);
        self.samples.resize(problems.len(), Samples::default());
        // Each thread takes problems in a row, which mostly share a table.
        let share = problems.len().div_ceil(4 * rayon::current_num_threads()).max(1);
        let samplers = &self.samplers;
        self.samples.par_chunks_mut(share).enumerate().try_for_each(|(c, samples)| {
            let mut kept: Option<(usize, Sampler<R>)> = None;
            for (i, samples) in (c * share..).zip(samples) {
                if plan.stopped() {
                    return Err(Error::interrupted());
                }
                if let Some((j, sampler)) = kept.take_if(|(j, _)| keys[*j] != keys[i]) {
                    lock(&samplers[&keys[j]]).push(sampler);
                }
                let sampler = match &mut kept {
                    Some((_, sampler)) => sampler,
                    None => {
                        let mut spare = lock(&samplers[&keys[i]]);
                        let sampler = match spare.as_slice() {
                            [one] => one.clone(),
                            _ => spare.pop().expect("a sampler of every table stays"),
                        };
                        &mut kept.insert((i, sampler)).1
                    }
                };
                sampler.velocity(problems[i].velocity().as_slice()).map_err(within(i))?;
                sampler.sample_into(0, plan.samples as usize, samples);
            }
            if let Some((j, sampler)) = kept {
                lock(&samplers[&keys[j]]).push(sampler);
            }
            Ok(())
        })?;
        Ok(&self.samples)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The first `plan.samples` samples of each problem, once. See [`Batch`].
///
/// # Errors
/// Those of [`Batch::sample`].
pub fn batch<R: Lane>(problems: &[ContactProblem], plan: &Plan) -> Result<Vec<Samples>> {
    let mut batch = Batch::<R>::new(plan);
    batch.sample(problems)?;
    Ok(batch.samples)
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
