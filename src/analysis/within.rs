//! Proofs for loops: the best one within a given time.

use std::time::Duration;

use crate::Reach;
use crate::bounds::{Bound, BoundKind, bound_so_far, bound_until, check_direction, exact};
use carom_core::Limits;
use carom_core::error::{Error, Result};
use carom_core::problem::ContactProblem;

/// The best bound of `c.v+`, in its units, of a kind that is found in so much time, for a direction
/// `c` (n).
///
/// A certified bound is never above the conic one, which is found first, in milliseconds: the
/// solver then looks at the clock at each iteration, the proof at each face. What is prepared
/// before is not cut short: 0.1 s for five planar contacts. The exact bound has half of the time
/// for the set, half for its proof, and is not certified without one. The conic bound takes the
/// time it takes. As of [`bound`](crate::bounds::bound), `certified` says whether it is proved.
///
/// # Errors
/// Those of [`bound`](crate::bounds::bound); an exact set that is not found in time; an interrupt,
/// where `limits` end the search before.
pub fn bound_within(
    problem: &ContactProblem,
    c: &[f64],
    kind: BoundKind,
    within: Duration,
    limits: &Limits,
) -> Result<Bound> {
    match kind {
        BoundKind::Exact | BoundKind::Enclosure => {
            check_direction(problem, c)?;
            exact(problem, c, &Reach::default().within(within), limits)
        }
        BoundKind::Conic => bound_until(problem, c, kind, limits),
        BoundKind::Certified => {
            let found = bound_so_far(problem, c, kind, &limits.clone().within(within))?;
            if limits.stopped() { Err(Error::interrupted()) } else { Ok(found) }
        }
    }
}
