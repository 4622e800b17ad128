use rayon::prelude::*;

use crate::motion::midpoint::{ImpactLaw, StrikeOutcome};
use carom_core::error::{Error, Result};
use carom_core::outcome::distance::PointSet;
use carom_core::outcome::representatives::distinct;
use carom_core::problem::ContactProblem;
use carom_engine::{Plan, Precision, PreparedImpact};
use carom_law::FiniteLaw;

/// Distance, in units of `|v-|_M`, within which two outcomes count as one.
pub(super) const DISTINCT: f64 = 1e-6;

/// Number of samples that a thread computes at a time.
const CHUNK: u64 = 256;

/// Outcomes of an impact, all with the same mass.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    /// The outcomes.
    pub outcomes: Vec<StrikeOutcome>,
    /// The sample of each outcome, or its number in the law's list.
    pub numbers: Vec<u64>,
}

/// Continued outcome that represents all outcomes nearest to it.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The outcome.
    pub outcome: StrikeOutcome,
    /// The sample of the outcome, or its number in the law's list.
    pub number: u64,
    /// Share of the outcomes that it represents.
    pub share: f64,
}

impl Candidates {
    /// Outcomes of `law` on `problem`; for a sampled law the accepted ones among samples `first ..`
    /// of the seed.
    ///
    /// # Errors
    /// A problem that the law does not support.
    pub fn of(
        law: &ImpactLaw,
        problem: &ContactProblem,
        seed: u64,
        samples: std::ops::Range<u64>,
    ) -> Result<Self> {
        match law {
            ImpactLaw::Finite(law) => finite(law, problem),
            ImpactLaw::Sampled(run) => {
                let (problem, plan) = ImpactLaw::sampled(run, problem, seed)?;
                sampled(&problem, &plan, samples)
            }
        }
    }

    /// At most `count` outcomes by farthest-point selection, and the largest distance of an outcome
    /// from its nearest chosen one, in units of `|v-|_M`.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub fn chosen(&self, problem: &ContactProblem, count: usize) -> Result<(Vec<Chosen>, f64)> {
        let velocities: Vec<f64> =
            self.outcomes.iter().flat_map(|outcome| outcome.velocity.clone()).collect();
        let set = PointSet::new(problem.mass(), problem.velocity(), &velocities)
            .ok_or_else(|| Error::input("the mass matrix is not positive definite").at("mass"))?;
        let n = problem.coordinate_count();
        let found = distinct(set.points(), n, count, DISTINCT);
        let total = self.outcomes.len().max(1) as f64;
        let chosen = found.points.iter().enumerate().map(|(place, &at)| Chosen {
            outcome: self.outcomes[at].clone(),
            number: self.numbers[at],
            share: found.nearest.iter().filter(|nearest| **nearest == place).count() as f64 / total,
        });
        Ok((chosen.collect(), found.radius))
    }
}

fn finite(law: &FiniteLaw, problem: &ContactProblem) -> Result<Candidates> {
    let (numbers, outcomes) = StrikeOutcome::all(law, problem)?.into_iter().unzip();
    Ok(Candidates { outcomes, numbers })
}

fn sampled(
    problem: &ContactProblem,
    plan: &Plan,
    samples: std::ops::Range<u64>,
) -> Result<Candidates> {
    let residual = plan.law.most_residual(problem, Precision::F64.residual());
    let prepared = PreparedImpact::new(problem, plan)?;
    let chunk = |prepared: &mut PreparedImpact, first: u64| {
        let count = CHUNK.min(samples.end - first) as usize;
        let found = prepared.sample(first, count);
        let accepted = found.accepted(residual).into_iter();
        accepted.map(|i| (first + i as u64, StrikeOutcome::of(found, i))).collect::<Vec<_>>()
    };
    let chunks: Vec<u64> = samples.clone().step_by(CHUNK as usize).collect();
    let found: Vec<_> =
        chunks.into_par_iter().map_init(|| prepared.clone(), chunk).flatten_iter().collect();
    let (numbers, outcomes) = found.into_iter().unzip();
    Ok(Candidates { outcomes, numbers })
}
