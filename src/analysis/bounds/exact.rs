use super::{Bound, BoundKind, Limits, conic, energy};
use crate::reach::{ExactSet, Reach};
use carom_core::error::Result;
use carom_core::problem::ContactProblem;

/// Margin for the rounding of vertices, relative to `|c|_{M^-1} |v-|_M`. Each entry is rounded
/// once, so the margin is generous unless units of coordinates differ by a factor of 1e5.
pub const ROUNDING: f64 = 1e-10;

/// Maximum of `c.v+` over the exact set; proved if the set is. A tight set attains it up to
/// rounding. Otherwise the bound is an enclosure, at most the conic bound. `reach` sets the time
/// limit for inelastic impacts; the flag stops it.
pub fn exact(problem: &ContactProblem, c: &[f64], reach: &Reach, limits: &Limits) -> Result<Bound> {
    let set = reach.clone().for_bounds(limits).in_integers(problem)?;
    let found = support(problem, c, &set);
    if found.kind == BoundKind::Exact {
        return Ok(found);
    }
    let conic = conic(problem, c, limits);
    Ok(if conic.is_proved() { found.cut(conic.value) } else { found })
}

/// Maximum of `c.v+` over an exact set of the problem.
pub fn support(problem: &ContactProblem, c: &[f64], set: &ExactSet) -> Bound {
    let (value, _) = set.support(c);
    let value = value + ROUNDING * energy(problem, c);
    Bound { attained: set.is_tight(), ..Bound::new(kind(set), value, set.is_complete()) }
}

/// Kind of the bounds over a set.
pub fn kind(set: &ExactSet) -> BoundKind {
    if set.is_tight() { BoundKind::Exact } else { BoundKind::Enclosure }
}
