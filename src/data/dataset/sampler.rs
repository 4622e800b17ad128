//! Sampling of states: each state by itself, or with a sampler prepared once for states that differ
//! in velocity only.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::plan::{DatasetPlan, DatasetState};
use crate::{ContactProblem, Error, Result};
use carom_core::outcome::Samples;
use carom_engine::{Engine, Plan, PreparedImpact};
use carom_law::ProcessKind;
use rayon::prelude::*;

/// A state with its problem and its samples.
pub struct Sampled {
    pub state: DatasetState,
    pub problem: ContactProblem,
    pub samples: Samples,
    /// The largest residual of an accepted sample.
    pub residual: f64,
}

impl Sampled {
    /// Whether no contact approaches, so that every outcome is the velocity before the impact.
    pub fn is_still(&self) -> bool {
        let uncertainty = self.problem.uncertainty();
        !self.problem.approaches() && uncertainty.noise == 0.0 && !uncertainty.poses()
    }
}

/// Samples the states of a plan. All methods give bitwise equal samples.
pub struct DatasetSampler<'p> {
    plan: &'p DatasetPlan,
    engine: Engine,
    prepared: Option<(PreparedImpact, f64)>,
    stop: &'p Arc<AtomicBool>,
}

impl<'p> DatasetSampler<'p> {
    /// A sampler of a plan's states; `stop` interrupts it.
    pub fn new(plan: &'p DatasetPlan, stop: &'p Arc<AtomicBool>) -> Result<Self> {
        let engine = Engine::cpu("asked for");
        let problem = &plan.first;
        // Tables of steps depend on the velocity, so prepared samplers do not help there.
        let kind = plan.states.how.law.process_on(problem);
        let steps = matches!(kind, ProcessKind::Steps | ProcessKind::Bouncing);
        if plan.states.common.is_none() || steps {
            return Ok(DatasetSampler { plan, engine, prepared: None, stop });
        }
        let how = Plan { samples: 1, ..plan.plan(&plan.state(0), Some(stop)) };
        let residual = engine.collect(problem, &how)?.0.summary.tolerance().residual;
        let how = Plan { precision: Some(plan.precision), ..how };
        let prepared = PreparedImpact::new(problem, &how)?;
        Ok(DatasetSampler { plan, engine, prepared: Some((prepared, residual)), stop })
    }

    /// The first `samples` samples of each given state, in order, on all cores. `tell` is called
    /// for each state with the number of its samples.
    pub fn sample(
        &self,
        numbers: &[u64],
        samples: u64,
        tell: &(dyn Fn(u64) + Sync),
    ) -> Vec<(u64, Result<Sampled>)> {
        let share = numbers.len().div_ceil(4 * rayon::current_num_threads()).max(1);
        let of_chunk = |numbers: &[u64]| -> Vec<(u64, Result<Sampled>)> {
            let mut own = self.prepared.clone();
            let one = |&number: &u64| {
                let sampled = self.one(number, samples, &mut own);
                if sampled.is_err() {
                    own = self.prepared.clone();
                }
                tell(samples);
                (number, sampled)
            };
            numbers.iter().map(one).collect()
        };
        numbers.par_chunks(share).flat_map_iter(of_chunk).collect()
    }

    fn one(
        &self,
        number: u64,
        samples: u64,
        own: &mut Option<(PreparedImpact, f64)>,
    ) -> Result<Sampled> {
        let state = self.plan.state(number);
        let problem = self.plan.problem_of(&state)?;
        let (samples, residual) = match own {
            Some((prepared, residual)) => {
                let count = samples as usize;
                let mut samples = Samples::default();
                prepared.seed(state.seed);
                prepared.velocity(problem.velocity().as_slice())?;
                prepared.sample_into(0, count, &mut samples);
                if self.stop.load(Ordering::Relaxed) {
                    return Err(Error::interrupted());
                }
                (samples, *residual)
            }
            None => {
                let plan = Plan { samples, ..self.plan.plan(&state, Some(self.stop)) };
                let (run, samples) = self.engine.collect(&problem, &plan)?;
                (samples, run.summary.tolerance().residual)
            }
        };
        Ok(Sampled { state, problem, samples, residual })
    }

    /// Passes the samples of a state in parts to `take`, if they exceed memory. Errors of the state
    /// are inner errors; errors of `take` are outer errors.
    pub fn stream(
        &self,
        number: u64,
        mut take: impl FnMut(&Sampled) -> Result<()>,
    ) -> Result<Result<()>> {
        let (state, engine) = (self.plan.state(number), &self.engine);
        let plan = self.plan.plan(&state, Some(self.stop));
        let one = Plan { samples: 1, ..plan.clone() };
        let tried = |problem: ContactProblem| {
            let (run, samples) = engine.collect(&problem, &one)?;
            Ok((problem, samples, run.summary.tolerance().residual))
        };
        let (problem, samples, residual) = match self.plan.problem_of(&state).and_then(tried) {
            Ok(found) => found,
            Err(error) => return Ok(Err(error)),
        };
        let mut sampled = Sampled { state, problem: problem.clone(), samples, residual };
        engine.sample(&problem, &plan, |samples| {
            sampled.samples = samples.clone();
            take(&sampled)
        })?;
        Ok(Ok(()))
    }
}
