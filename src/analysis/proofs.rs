//! Bounds on an objective without samples.

use std::time::{Duration, Instant};

use super::{Reach, bound_within};
use crate::bounds::certified::refusal;
use crate::bounds::{Aim, Bound, BoundKind, Limits, WRONG, applies, covers, uncovered};
use carom_core::error::{Error, ErrorKind, Result};
use carom_core::problem::ContactProblem;
use carom_law::Law;

/// Relative difference of values, in units of the energy bound, that counts as rounding.
const ROUNDING: f64 = 1e-9;

/// Bounds on an objective after an impact.
#[derive(Clone, Debug)]
pub struct Proofs {
    /// Bounded objective.
    pub aim: Aim,
    /// Upper bounds on the objective: proved ones from the narrowest kind to the widest, then the
    /// others. An enclosure is at most the smallest proved bound.
    pub bounds: Vec<Bound>,
    /// Time limit of the exact set and the certified bound together.
    pub within: Option<Duration>,
    /// Applicable kinds without a bound for this problem, with reasons.
    pub missing: Vec<(BoundKind, Error)>,
    /// Difference of values that counts as rounding.
    rounding: f64,
}

impl Proofs {
    /// Bounds the objective by every kind of `kinds`; if empty, by all kinds that hold for the law
    /// and mostly take seconds. The search for the exact set ends within 20 s. `within` limits the
    /// exact set and the certified bound together; the certified bound of a direction is then tried
    /// even if it may take long. The conic bound has no time limit. If no bound is proved and the
    /// conic one holds, it is added.
    ///
    /// # Errors
    /// No kind that holds for all draws of the law; errors of [`Aim::bound`] for requested kinds;
    /// an uncertain pose.
    pub fn new(
        problem: &ContactProblem,
        law: &Law,
        aim: &Aim,
        kinds: &[BoundKind],
        within: Option<Duration>,
        limits: &Limits,
    ) -> Result<Self> {
        aim.check(problem)?;
        problem.refuse_pose("bounds are those of")?;
        let asked = !kinds.is_empty();
        let kinds = if asked { kinds.to_vec() } else { applicable(problem, law, aim, within)? };
        let begun = Instant::now();
        let (mut bounds, mut missing) = (Vec::new(), Vec::new());
        for (i, kind) in kinds.iter().copied().enumerate() {
            let slow = kinds[i..].iter().filter(|kind| **kind != BoundKind::Conic).count();
            let left = |time: Duration| time.saturating_sub(begun.elapsed()) / slow.max(1) as u32;
            match found(problem, law, aim, kind, within.map(left), limits) {
                Ok(bound) => bounds.push(bound),
                Err(error) if !asked && error.kind != ErrorKind::Interrupted => {
                    missing.push((kind, error));
                }
                Err(error) => return Err(error),
            }
        }
        let conic = BoundKind::Conic;
        let unproved = !bounds.iter().any(Bound::is_proved) && !kinds.contains(&conic);
        if unproved && covers(conic, problem, law) {
            bounds.push(aim.bound(problem, conic, limits)?);
        }
        let rounding = ROUNDING / WRONG * aim.room(problem, 0.0);
        Ok(Proofs { aim: aim.clone(), bounds: ordered(bounds), within, missing, rounding })
    }

    /// Smallest proved bound. Up to rounding the conic bound has precedence, as it holds for most
    /// laws; then the narrowest kind.
    pub fn strongest(&self) -> Option<&Bound> {
        let proved = || self.bounds.iter().filter(|bound| bound.is_proved());
        let smallest = proved().map(|bound| bound.value).fold(f64::INFINITY, f64::min);
        let least = || proved().filter(|bound| self.near(bound.value, smallest));
        least().find(|bound| bound.kind == BoundKind::Conic).or_else(|| least().next())
    }

    /// Withdraws refuted bounds: exceeded by a `sample`, or by an outcome that attains another
    /// bound. `before`: the value before the impact, if any.
    pub fn withdraw(&mut self, problem: &ContactProblem, sample: Option<f64>, before: Option<f64>) {
        let seen = before.into_iter().chain(sample).fold(0.0, |seen: f64, x| seen.max(x.abs()));
        let room = self.aim.room(problem, seen);
        let attained = self.bounds.iter().filter(|bound| bound.certified && bound.attained);
        let most = attained.map(|bound| bound.value - room).chain(sample);
        let most = most.fold(f64::NEG_INFINITY, f64::max);
        let bounds = self.bounds.iter().map(|bound| bound.unless_passed(most, room));
        self.bounds = ordered(bounds.collect());
    }

    /// Whether a proved bound equals the conic one up to rounding; the conic bound then says more.
    pub fn is_no_better(&self, bound: &Bound) -> bool {
        let conic = |other: &&Bound| other.kind == BoundKind::Conic && other.is_proved();
        bound.kind != BoundKind::Conic
            && bound.is_proved()
            && self.bounds.iter().filter(conic).any(|conic| self.near(bound.value, conic.value))
    }

    /// Whether two values agree up to rounding.
    fn near(&self, a: f64, b: f64) -> bool {
        (a - b).abs() <= self.rounding.max(1e-9 * b.abs())
    }
}

/// Error of a request for proofs about forecasts.
pub fn forecasts() -> Error {
    Error::usage("proofs hold for the outcomes of a law, and forecasts of a model are none")
        .hint("--law-only samples the outcomes of the model's law")
}

/// Proved bounds first; caps enclosures at the smallest proved bound.
fn ordered(bounds: Vec<Bound>) -> Vec<Bound> {
    let proved = bounds.iter().filter(|bound| bound.is_proved());
    let smallest = proved.map(|bound| bound.value).fold(f64::INFINITY, f64::min);
    let mut bounds: Vec<Bound> = bounds.into_iter().map(|bound| bound.cut(smallest)).collect();
    bounds.sort_by_key(|bound| !bound.is_proved());
    bounds
}

/// Kinds that hold for the law and mostly take seconds.
fn applicable(
    problem: &ContactProblem,
    law: &Law,
    aim: &Aim,
    within: Option<Duration>,
) -> Result<Vec<BoundKind>> {
    let holding = BoundKind::ALL.into_iter().filter(|kind| covers(*kind, problem, law));
    let holding: Vec<BoundKind> = holding.collect();
    if let ([], Some(why)) = (&holding[..], uncovered(BoundKind::Exact, problem, law)) {
        return Err(why);
    }
    let limited = within.is_some() && matches!(aim, Aim::Direction(_));
    let in_time = |kind: &BoundKind| match kind {
        BoundKind::Exact | BoundKind::Enclosure => Reach::of(law, problem).ends_often(problem),
        BoundKind::Certified if limited => refusal(problem).is_none(),
        _ => applies(*kind, problem, law),
    };
    Ok(holding.into_iter().filter(in_time).collect())
}

/// Bound of a kind within the remaining time.
fn found(
    problem: &ContactProblem,
    law: &Law,
    aim: &Aim,
    kind: BoundKind,
    left: Option<Duration>,
    limits: &Limits,
) -> Result<Bound> {
    if let Some(why) = uncovered(kind, problem, law) {
        return Err(why);
    }
    match (kind, aim, left) {
        (BoundKind::Exact, ..) => {
            let reach = Reach::of(law, problem).for_bounds(limits);
            let reach = left.map_or(reach.clone(), |left| reach.within(left));
            Ok(aim.bound_on(problem, &reach.in_integers(problem)?))
        }
        (BoundKind::Certified, Aim::Direction(c), Some(left)) => {
            bound_within(problem, c, kind, left, limits)
        }
        (BoundKind::Certified, Aim::Cost(_), Some(left)) => {
            aim.bound(problem, kind, &limits.clone().within(left)).map_err(|error| {
                let late = error.kind == ErrorKind::Interrupted && !limits.stopped();
                let what = "the bound `certified` of the cost was not found in time";
                if late { Error::usage(what).at("within") } else { error }
            })
        }
        _ => aim.bound(problem, kind, limits),
    }
}

/// Extents (n each) of the coordinates over an enclosure, intersected with proved bounds of a kind;
/// the time limit holds for each bound.
pub fn cut_extents(
    problem: &ContactProblem,
    [mut least, mut most]: [Vec<f64>; 2],
    kind: BoundKind,
    each: Duration,
    limits: &Limits,
) -> Result<[Vec<f64>; 2]> {
    let n = problem.coordinate_count();
    let proved = |i: usize, sign: f64| -> Result<f64> {
        let c: Vec<f64> = (0..n).map(|j| if i == j { sign } else { 0.0 }).collect();
        let bound = bound_within(problem, &c, kind, each, limits)?;
        Ok(if bound.is_proved() { bound.value } else { f64::INFINITY })
    };
    for i in 0..n {
        most[i] = most[i].min(proved(i, 1.0)?);
        least[i] = least[i].max(-proved(i, -1.0)?);
    }
    Ok([least, most])
}
