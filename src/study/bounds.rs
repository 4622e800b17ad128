//! The reach of a set in a direction, or the largest cost: as sampled, and as proved that nothing
//! exceeds it.

use std::time::Duration;

use super::require_samples;
use crate::analysis::Reach;
use crate::analysis::bounds::certified::refusal;
use crate::analysis::bounds::{Aim, Bound, BoundKind, applies, covers};
use crate::engine::{Engine, Finished, Plan, Search, SearchGoal, bound_within};
use crate::error::{Error, ErrorKind, Result};
use crate::outcome::Samples;
use crate::problem::ContactProblem;

/// The largest sampled value of what is asked, and bounds of it.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// The run that sampled the set.
    pub run: Finished,
    /// The quantity.
    pub aim: Aim,
    /// The quantity before the impact, where it has a value.
    pub before: Option<f64>,
    /// The accepted sample that goes farthest.
    pub farthest: Farthest,
    /// Bounds that the quantity does not exceed, from the narrowest kind to the widest.
    pub bounds: Vec<Bound>,
    /// The time that the exact set, and the certified bound of a direction, might take.
    pub within: Option<Duration>,
    /// Kinds that apply and have no bound for this problem, and why.
    pub missing: Vec<(BoundKind, Error)>,
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
    /// The smallest proved bound; of those that rounding alone tells apart, that of the narrowest
    /// kind.
    pub fn strongest(&self) -> Option<&Bound> {
        let proved =
            || self.bounds.iter().filter(|bound| bound.certified && bound.value.is_finite());
        let smallest = proved().map(|bound| bound.value).fold(f64::INFINITY, f64::min);
        proved().find(|bound| bound.value <= smallest + 1e-9 * smallest.abs())
    }

    /// What is left open: how far the strongest bound is above the farthest sample, at least 0.
    pub fn gap(&self) -> Option<f64> {
        Some((self.strongest()?.value - self.farthest.value).max(0.0))
    }

    /// Excess of the sample over the narrowest proved bound: 0, or about the inaccuracy of samples.
    pub fn excess(&self) -> f64 {
        self.strongest().map_or(0.0, |bound| (self.farthest.value - bound.value).max(0.0))
    }
}

impl Engine {
    /// Samples the set as `plan` says and bounds what is asked by every kind of `kinds`, or by all
    /// that hold for the plan's law and mostly take seconds where it is empty. The search for the
    /// exact set ends within 20 s, or `within` that time. The search for the certified bound of a
    /// direction ends `within` that time as well; then it applies where it would take long, too.
    /// The share `explore` of the samples, if any, seeks large values, or outcomes in all
    /// directions where it is no direction that is asked for. Uncertain numbers are to be settled
    /// before.
    ///
    /// # Errors
    /// Those of [`Aim::bound`] for kinds that were asked for, of [`Engine::sample`] and of
    /// [`Engine::explore`]; a kind that does not hold for the plan's law; a set without accepted
    /// samples.
    pub fn bounds(
        &self,
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
        let reach = Reach::of(&plan.law, problem).for_bounds(&plan.stop);
        let reach = within.map_or(reach.clone(), |time| reach.within(time));
        let in_time = |kind: BoundKind| match kind {
            BoundKind::Exact => reach.ends_often(problem),
            BoundKind::Certified => {
                applies(kind, problem, &plan.law) || within.is_some() && refusal(problem).is_none()
            }
            BoundKind::Conic => true,
        };
        let covering = BoundKind::ALL.into_iter().filter(|kind| covers(*kind, problem, &plan.law));
        let all: Vec<BoundKind> = covering.filter(|kind| in_time(*kind)).collect();
        let (mut bounds, mut missing) = (Vec::new(), Vec::new());
        for kind in if kinds.is_empty() { all } else { kinds.to_vec() } {
            let found = match (kind, aim, within) {
                _ if !covers(kind, problem, &plan.law) => {
                    let what = format!("no bound `{}` holds for this law", kind.name());
                    Err(Error::usage(what).at("kind").hint(kind.excludes()))
                }
                (BoundKind::Exact, ..) => {
                    reach.in_integers(problem).map(|set| aim.bound_on(problem, &set))
                }
                (_, Aim::Direction(c), Some(within)) => {
                    bound_within(problem, c, kind, within, &plan.stop)
                }
                _ => aim.bound(problem, kind, &plan.stop),
            };
            match found {
                Ok(bound) => bounds.push(bound),
                Err(error) if kinds.is_empty() && error.kind != ErrorKind::Interrupted => {
                    missing.push((kind, error))
                }
                Err(error) => return Err(error),
            }
        }
        let most = plan.law.prepare::<f64>(problem)?.most_residual::<f64>();
        let mut farthest = Farthest { value: f64::NEG_INFINITY, sample: 0 };
        let mut see = |samples: &Samples| {
            for i in samples.accepted(most) {
                let value = aim.value(samples.row(&samples.velocity, i))?;
                if value > farthest.value {
                    farthest = Farthest { value, sample: samples.first + i as u64 };
                }
            }
            Ok(())
        };
        let directions = match aim {
            Aim::Direction(c) => vec![c.clone()],
            Aim::Cost(_) => Vec::new(),
        };
        let run = match explore {
            Some(share) => self.explore(
                problem,
                plan,
                &Search { share, goal: SearchGoal::Far(directions) },
                &mut see,
            )?,
            None => self.sample(problem, plan, &mut see)?,
        };
        require_samples(&run)?;
        let before = aim.value(problem.velocity().as_slice()).ok();
        let seen = before.map_or(0.0, f64::abs).max(farthest.value.abs());
        let room = aim.room(problem, seen);
        let attained = bounds.iter().filter(|bound| bound.certified && bound.attained);
        let most = attained.map(|bound| bound.value - room).fold(farthest.value, f64::max);
        let bounds = bounds.iter().map(|bound| bound.unless_passed(most, room)).collect();
        Ok(Bounds { run, aim: aim.clone(), before, farthest, bounds, within, missing })
    }
}
