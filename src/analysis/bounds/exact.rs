use super::{Bound, BoundKind, Limits, conic, energy};
use crate::reach::{ExactSet, Reach};
use carom_core::error::Result;
use carom_core::problem::ContactProblem;

/// Margin for the rounding of vertices, a part of `|c|_{M^-1} |v-|_M`: each entry is rounded once,
/// so the margin is generous unless units of coordinates differ by a factor of 1e5.
pub const ROUNDING: f64 = 1e-10;

/// The largest `c.v+` of the exact set, which some outcome attains but for rounding; proved where
/// the set is. Where the set is not tight, the bound is an enclosure, no larger than the conic
/// bound. The time is that of a `reach` of inelastic impacts; the flag ends it.
pub fn exact(problem: &ContactProblem, c: &[f64], reach: &Reach, limits: &Limits) -> Result<Bound> {
    let set = reach.clone().for_bounds(limits).in_integers(problem)?;
    let found = support(problem, c, &set);
    if found.kind == BoundKind::Exact {
        return Ok(found);
    }
    let conic = conic(problem, c, limits);
    Ok(if conic.is_proved() { found.cut(conic.value) } else { found })
}

/// The largest `c.v+` of an exact set of the problem.
pub fn support(problem: &ContactProblem, c: &[f64], set: &ExactSet) -> Bound {
    let (value, _) = set.support(c);
    let value = value + ROUNDING * energy(problem, c);
    Bound { attained: set.is_tight(), ..Bound::new(kind(set), value, set.is_complete()) }
}

/// The kind of the bounds that a set gives.
pub fn kind(set: &ExactSet) -> BoundKind {
    if set.is_tight() { BoundKind::Exact } else { BoundKind::Enclosure }
}
