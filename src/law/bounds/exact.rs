//! The exact bound: the support of the exact set.

use super::kind::{Bound, BoundKind};
use super::whitened::Whitened;
use crate::error::Result;
use crate::law::reach::Reach;
use crate::problem::ContactProblem;

/// What is added for the rounding of vertices, a part of `|c|_{M^-1} |v-|_M`. It is generous where contacts are not nearly dependent.
pub const ROUNDING: f64 = 1e-10;

/// The largest `c.v+` of the exact set, and attained but for rounding; proved where the set is.
///
/// # Errors
/// Those of [`Reach::set`].
pub fn exact(problem: &ContactProblem, c: &[f64]) -> Result<Bound> {
    let set = Reach { describe: false, ..Reach::default() }.set(problem)?;
    let (value, _) = set.support(c);
    // |c|_{M^-1} |v-|_M
    let space = Whitened::new(problem);
    let scale =
        space.and_then(|space| Some(space.direction(c)?.norm() * space.speed)).unwrap_or(f64::INFINITY);
    Ok(Bound {
        kind: BoundKind::Exact,
        value: value + ROUNDING * scale,
        certified: set.is_complete(),
        by_ranges: false,
    })
}
