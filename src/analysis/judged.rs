//! The reach of a set in a direction, or the largest cost: as sampled, and as proved that nothing
//! exceeds it.

use std::time::Duration;

use crate::bounds::{Aim, BoundKind};
use crate::proofs::Proofs;
use carom_core::Limits;
use carom_core::error::Result;
use carom_core::outcome::Samples;
use carom_core::problem::ContactProblem;
use carom_engine::{Engine, Finished, Plan, Precision, Search, SearchGoal};

/// The largest sampled value of what is asked, and bounds of it.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// The run that sampled the set.
    pub run: Finished,
    /// The quantity before the impact, where it has a value.
    pub before: Option<f64>,
    /// The accepted sample that goes farthest, if any is accepted.
    pub farthest: Option<Farthest>,
    /// What is proved.
    pub proofs: Proofs,
}

/// A sample that goes farthest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Farthest {
    /// The quantity for the sample.
    pub value: f64,
    /// The number of the sample; the first of those that reach as far.
    pub sample: u64,
}

impl Bounds {
    /// How far the strongest bound is above the farthest sample; below 0 if that exceeds it.
    pub fn gap(&self) -> Option<f64> {
        Some(self.proofs.strongest()?.value - self.farthest?.value)
    }
}

/// Samples the set as `plan` says and bounds what is asked, see [`Proofs::new`]. The share
/// `explore` of the samples, if any, seeks large values, or outcomes in all directions where it
/// is no direction that is asked for. Uncertain numbers are to be settled before.
///
/// # Errors
/// Those of [`Proofs::new`], of [`Engine::sample`] and of [`Engine::explore`].
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
