//! Maximum of an objective: over samples, and as a proved bound.

use std::time::Duration;

use crate::bounds::{Aim, BoundKind};
use crate::proofs::Proofs;
use carom_core::Limits;
use carom_core::error::Result;
use carom_core::outcome::Samples;
use carom_core::problem::ContactProblem;
use carom_engine::{Engine, Finished, Plan, Precision, Search, SearchGoal};

/// Largest sampled value of an objective, with bounds.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// Run that sampled the set.
    pub run: Finished,
    /// Objective before the impact, if it has a value.
    pub before: Option<f64>,
    /// Accepted sample with the largest objective; `None` without accepted samples.
    pub farthest: Option<Farthest>,
    /// Proved bounds.
    pub proofs: Proofs,
}

/// Sample with the largest objective.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Farthest {
    /// Objective at the sample.
    pub value: f64,
    /// Index of the sample; ties go to the first.
    pub sample: u64,
}

impl Bounds {
    /// Gap between the strongest bound and the farthest sample; negative if the sample exceeds it.
    pub fn gap(&self) -> Option<f64> {
        Some(self.proofs.strongest()?.value - self.farthest?.value)
    }
}

/// Samples the set by `plan` and bounds the objective, see [`Proofs::new`]. A share `explore` of
/// the samples, if any, seeks large values for a direction, or outcomes in all directions for a
/// cost. Uncertain numbers have to be fixed before.
///
/// # Errors
/// See [`Proofs::new`], [`Engine::sample`] and [`Engine::explore`].
pub fn bounds(
    engine: &Engine,
    problem: &ContactProblem,
    plan: &Plan,
    aim: &Aim,
    kinds: &[BoundKind],
    within: Option<Duration>,
    explore: Option<f64>,
) -> Result<Bounds> {
    aim.check(problem)?;
    problem.refuse_pose("bounds are those of")?;
    if let Some(share) = explore {
        Search { share, goal: SearchGoal::Far(Vec::new()) }.check(problem, plan)?;
    }
    let mut proofs =
        Proofs::new(problem, &plan.law, aim, kinds, within, &Limits::until(plan.stop.clone()))?;
    let most = plan.law.most_residual(problem, Precision::F64.residual());
    let mut farthest: Option<Farthest> = None;
    let mut see = |samples: &Samples| {
        for i in samples.accepted(most) {
            let value = aim.value(samples.row(&samples.velocity, i))?;
            if farthest.is_none_or(|farthest| value > farthest.value) {
                farthest = Some(Farthest { value, sample: samples.first + i as u64 });
            }
        }
        Ok(())
    };
    let directions = match aim {
        Aim::Direction(c) => vec![c.clone()],
        Aim::Cost(_) => Vec::new(),
    };
    let run = match explore {
        Some(share) => {
            let goal = SearchGoal::Far(directions);
            engine.explore(problem, plan, &Search { share, goal }, &mut see)?
        }
        None => engine.sample(problem, plan, &mut see)?,
    };
    let before = aim.value(problem.velocity().as_slice()).ok();
    proofs.withdraw(problem, farthest.map(|farthest| farthest.value), before);
    Ok(Bounds { run, before, farthest, proofs })
}
