//! Samples of many problems in one call.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::{Engine, Kernels, Plan, Prepared, gpu};
use carom_core::error::{Error, Result};
use carom_core::outcome::Samples;
use carom_core::problem::{ContactProblem, Uncertainty};

/// The first samples of many problems, on all cores or on a GPU. Repeated calls share tables
/// between problems that differ only in velocity, and reuse the memory of the samples.
///
/// On a GPU all problems must have the same number of contacts. One dispatch computes all problems,
/// unless memory requires more dispatches.
#[derive(Debug)]
pub struct Batch<'e, R: Kernels> {
    plan: Plan,
    samplers: Samplers<R>,
    gpu: Option<gpu::GpuBatch<'e, R>>,
    samples: Vec<Samples>,
}

impl Engine {
    /// A batch on this device, in precision `R`. The law, the solver (on the CPU), the number of
    /// samples, the seed and the stop flag come from the plan.
    pub fn batch<R: Kernels>(&self, plan: &Plan) -> Batch<'_, R> {
        Batch { gpu: self.gpu.as_ref().map(gpu::GpuBatch::new), ..Batch::new(plan) }
    }
}

impl<R: Kernels> Batch<'_, R> {
    /// A batch on the CPU. See [`Engine::batch`].
    pub fn new(plan: &Plan) -> Self {
        let samplers = Samplers(HashMap::new());
        Batch { plan: plan.clone(), samplers, gpu: None, samples: Vec::new() }
    }

    /// The first `plan.samples` samples of each problem. All problems have the plan's seed.
    ///
    /// # Errors
    /// Errors of [`Batch::sample_seeded`].
    pub fn sample(&mut self, problems: &[ContactProblem]) -> Result<&[Samples]> {
        self.sample_seeded(problems, &vec![self.plan.seed; problems.len()])
    }

    /// The first `plan.samples` samples of each problem, with a seed for each in place of the
    /// plan's.
    ///
    /// # Errors
    /// Errors of [`Prepared::new`], with the index of the problem; a number of seeds that differs
    /// from the number of problems; on a GPU different numbers of contacts, a device that does not
    /// support the law or was lost; an interrupted run.
    pub fn sample_seeded(
        &mut self,
        problems: &[ContactProblem],
        seeds: &[u64],
    ) -> Result<&[Samples]> {
        if seeds.len() != problems.len() {
            let what = format!("{} seeds for {} problems", seeds.len(), problems.len());
            return Err(Error::usage(what).at("seed"));
        }
        let rows = problems.iter().map(|p| p.coordinate_count() + 2 * p.jacobian().nrows()).max();
        let (count, samples) = (problems.len(), self.plan.samples);
        let rows = rows.unwrap_or(0) as u128 + 8;
        if (count as u128) * rows * u128::from(samples) > MOST_NUMBERS {
            let what = format!("{samples} samples of {count} problems do not fit into memory");
            let hint =
                "sample fewer at a time; `Engine::sample` hands any number on block by block";
            return Err(Error::usage(what).at("samples").hint(hint));
        }
        let keys: Vec<Vec<u64>> = problems.par_iter().map(all_but_velocity).collect();
        self.samples.resize(problems.len(), Samples::default());
        let (plan, samples) = (&self.plan, &mut self.samples);
        match &mut self.gpu {
            Some(gpu) => gpu.sample_seeded(problems, keys, seeds, plan, samples)?,
            None => self.samplers.sample(problems, &keys, seeds, plan, samples)?,
        }
        Ok(&self.samples)
    }
}

/// Largest number of values in a batch's samples: 1 TiB in f64.
const MOST_NUMBERS: u128 = 1 << 37;

/// Pools of prepared problems, by table. Threads take one and put it back.
#[derive(Debug)]
struct Samplers<R: Kernels>(HashMap<Vec<u64>, Mutex<Vec<Prepared<R>>>>);

impl<R: Kernels> Samplers<R> {
    fn sample(
        &mut self,
        problems: &[ContactProblem],
        keys: &[Vec<u64>],
        seeds: &[u64],
        plan: &Plan,
        samples: &mut [Samples],
    ) -> Result<()> {
        provide(&mut self.0, keys, |i| {
            Ok(Mutex::new(vec![Prepared::for_samples(&problems[i], plan, plan.samples)?]))
        })?;
        // Each thread takes a range of consecutive problems, as neighbours mostly have the same
        // table.
        let share = problems.len().div_ceil(4 * rayon::current_num_threads()).max(1);
        let samplers = &self.0;
        samples.par_chunks_mut(share).enumerate().try_for_each(|(c, samples)| {
            let mut kept: Option<(usize, Prepared<R>)> = None;
            for (i, samples) in (c * share..).zip(samples) {
                if plan.stopped() {
                    return Err(Error::interrupted());
                }
                if let Some((j, sampler)) = kept.take_if(|(j, _)| keys[*j] != keys[i]) {
                    lock(&samplers[&keys[j]]).push(sampler);
                }
                let (_, sampler) = kept.get_or_insert_with(|| (i, take(&samplers[&keys[i]])));
                sampler.velocity(problems[i].velocity().as_slice()).map_err(within(i))?;
                sampler.seed(seeds[i]);
                sampler.sample_into(0, plan.samples as usize, samples);
            }
            if let Some((j, sampler)) = kept {
                lock(&samplers[&keys[j]]).push(sampler);
            }
            Ok(())
        })
    }
}

/// Takes a sampler out of the pool; the last one stays, and is copied.
fn take<R: Kernels>(samplers: &Mutex<Vec<Prepared<R>>>) -> Prepared<R> {
    let mut samplers = lock(samplers);
    if samplers.len() > 1 { samplers.swap_remove(1) } else { samplers[0].clone() }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Key of a problem: the bits of all data except the velocity.
fn all_but_velocity(problem: &ContactProblem) -> Vec<u64> {
    let spec = problem.spec();
    let Uncertainty { friction, restitution, inertia, noise, .. } = problem.uncertainty();
    let e = problem.restitution().unwrap_or_default();
    let numbers =
        problem.mass().iter().chain(problem.jacobian().iter()).chain(problem.friction()).chain(e);
    let ranges = [friction, restitution, inertia];
    let uncertain = ranges.into_iter().flatten().flatten().chain([noise]);
    let parts = problem.mass_parts().iter().flat_map(|part| part.mass.iter().flatten());
    let bits = numbers.chain(uncertain).chain(parts).chain(&spec.step).map(|x| x.to_bits());
    let places =
        problem.mass_parts().iter().flat_map(|part| part.coordinates.iter().map(|&i| i as u64));
    let sizes = [problem.contact_count(), e.len()].into_iter().chain(ranges.map(Vec::len));
    let sizes = sizes.map(|size| size as u64).chain([u64::from(spec.max_steps.unwrap_or(0))]);
    bits.chain(sizes).chain(places).chain(pose(problem)).collect()
}

/// The bits of an uncertain pose, with gaps and contact points.
fn pose(problem: &ContactProblem) -> Vec<u64> {
    let (spec, uncertainty) = (problem.spec(), problem.uncertainty());
    if !uncertainty.poses() {
        return Vec::new();
    }
    let text = serde_json::json!([uncertainty, spec.gap, spec.points]).to_string();
    let word = |bytes: &[u8]| bytes.iter().fold(0, |word, byte| word << 8 | u64::from(*byte));
    text.as_bytes().chunks(8).map(word).collect()
}

/// Number of unused tables that stay in the cache.
const SPARE: usize = 1024;

/// Adds the number of the problem to an error.
pub(super) fn within(i: usize) -> impl Fn(Error) -> Error {
    move |error| error.at(format!("problems[{i}]"))
}

/// Builds values for new keys, on all cores; first drops unused values if the cache is too large.
pub(super) fn provide<T: Send>(
    known: &mut HashMap<Vec<u64>, T>,
    keys: &[Vec<u64>],
    build: impl Fn(usize) -> Result<T> + Sync + Send,
) -> Result<()> {
    let mut new: HashMap<&Vec<u64>, usize> = HashMap::new();
    for (i, key) in keys.iter().enumerate() {
        if !known.contains_key(key) {
            new.entry(key).or_insert(i);
        }
    }
    if known.len() + new.len() > keys.len() + SPARE {
        let used: HashSet<&Vec<u64>> = keys.iter().collect();
        known.retain(|key, _| used.contains(key));
    }
    let mut new: Vec<(&Vec<u64>, usize)> = new.into_iter().collect();
    new.sort_by_key(|(_, i)| *i);
    let built: Vec<Result<T>> = new.par_iter().map(|&(_, i)| build(i).map_err(within(i))).collect();
    for ((key, _), built) in new.into_iter().zip(built) {
        known.insert(key.clone(), built?);
    }
    Ok(())
}
