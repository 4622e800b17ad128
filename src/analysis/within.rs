//! Proofs for loops: the best one within a given time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::Reach;
use crate::bounds::{Bound, BoundKind, Stop, bound_so_far, bound_until};
use crate::bounds::{check_direction, exact, stopped};
use carom_core::error::{Error, Result};
use carom_core::problem::ContactProblem;

/// How often an interrupt is looked for.
const TICK: Duration = Duration::from_millis(20);

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
/// where the flag is raised.
pub fn bound_within(
    problem: &ContactProblem,
    c: &[f64],
    kind: BoundKind,
    within: Duration,
    stop: &Stop,
) -> Result<Bound> {
    match kind {
        BoundKind::Exact | BoundKind::Enclosure => {
            check_direction(problem, c)?;
            return exact(problem, c, &Reach::default().within(within), stop);
        }
        BoundKind::Conic => return bound_until(problem, c, kind, stop),
        BoundKind::Certified => {}
    }
    let found = in_time(within, stop, |late| bound_so_far(problem, c, kind, late))?;
    if stopped(stop) { Err(Error::interrupted()) } else { Ok(found) }
}

/// Does `work` with a flag that is raised when so much time has passed, or `stop` is raised.
pub fn in_time<T>(within: Duration, stop: &Stop, work: impl FnOnce(&Stop) -> T) -> T {
    let begun = Instant::now();
    let late = Arc::new(AtomicBool::new(within.is_zero()));
    let flag = Some(late.clone());
    let (done, waits) = mpsc::channel::<()>();
    let clock = move || {
        while !stopped(stop) && begun.elapsed() < within {
            let left = within.saturating_sub(begun.elapsed()).min(TICK);
            if waits.recv_timeout(left) == Err(RecvTimeoutError::Disconnected) {
                return;
            }
        }
        late.store(true, Ordering::Relaxed);
    };
    thread::scope(|scope| {
        scope.spawn(clock);
        let found = work(&flag);
        drop(done);
        found
    })
}
