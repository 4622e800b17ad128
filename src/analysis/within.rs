//! Bounds within a time limit, for control loops.

use std::time::Duration;

use crate::Reach;
use crate::bounds::{Bound, BoundKind, bound_so_far, bound_until, check_direction, exact};
use carom_core::Limits;
use carom_core::error::{Error, Result};
use carom_core::problem::ContactProblem;

/// Best bound of a kind on `c.v+`, in its units, within a time limit, for a direction `c` (n).
///
/// A certified bound is never above the conic one, which is computed first, in milliseconds. The
/// solver then polls the clock at each iteration, the proof at each face. The preparation is not
/// interrupted: 0.1 s for five planar contacts. The exact bound spends half of the time on the set,
/// half on its certificate, and is not certified without one. The conic bound has no time limit. As
/// for [`bound`](crate::bounds::bound), `certified` says whether it is proved.
///
/// # Errors
/// See [`bound`](crate::bounds::bound); an exact set not found in time; an interrupt by `limits`.
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
