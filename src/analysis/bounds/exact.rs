//! The exact bound: the support of the exact set.

use super::kind::{Bound, BoundKind};
use super::whitened::energy;
use crate::analysis::reach::{ExactSet, Reach};
use crate::error::Result;
use crate::law::cones::conic::Stop;
use crate::problem::ContactProblem;

/// Margin for the rounding of vertices, a part of `|c|_{M^-1} |v-|_M`: each entry is rounded once,
/// so the margin is generous unless units of coordinates differ by a factor of 1e5.
pub const ROUNDING: f64 = 1e-10;

/// The largest `c.v+` of the exact set, which some outcome attains but for rounding; proved where
/// the set is.
///
/// # Errors
/// Those of [`Reach::set`].
pub fn exact(problem: &ContactProblem, c: &[f64]) -> Result<Bound> {
    exact_until(problem, c, &None)
}

/// [`exact`], unless the flag is raised.
///
/// # Errors
/// Those of [`exact`]; an interrupt.
pub fn exact_until(problem: &ContactProblem, c: &[f64], stop: &Stop) -> Result<Bound> {
    let set = Reach::default().for_bounds(stop).in_integers(problem)?;
    Ok(support(problem, c, &set))
}

/// The largest `c.v+` of an exact set of the problem.
pub fn support(problem: &ContactProblem, c: &[f64], set: &ExactSet) -> Bound {
    let (value, _) = set.support(c);
    Bound {
        kind: BoundKind::Exact,
        value: value + ROUNDING * energy(problem, c),
        certified: set.is_complete(),
        by_ranges: false,
        attained: set.is_tight(),
        withdrawn: None,
    }
}
