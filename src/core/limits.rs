//! The limits of a computation.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A flag that, once true, ends work early; `None` never ends it.
pub type Stop = Option<Arc<AtomicBool>>;

/// Whether the flag is raised.
#[inline]
pub fn stopped(stop: &Stop) -> bool {
    stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
}

fn is_over(stop: &Stop, deadline: Option<Instant>) -> bool {
    stopped(stop) || deadline.is_some_and(|end| Instant::now() >= end)
}

/// The limits of a computation: a work limit in multiplications, a flag that ends it early, and a
/// deadline.
///
/// A law charges its work in advance, at least every tenth of a second. Without a deadline, counts
/// end the work, so results do not depend on the machine. Solvers and proofs charge no work.
#[derive(Clone, Debug)]
pub struct Limits {
    left: Cell<f64>,
    stop: Stop,
    deadline: Option<Instant>,
    stopped: Cell<bool>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits::of(Self::WORK)
    }
}

impl Limits {
    /// The default work limit of one resolution: some seconds.
    pub const WORK: f64 = 4e9;

    /// At most `work` multiplications.
    pub fn of(work: f64) -> Self {
        let (left, stopped) = (Cell::new(work), Cell::new(false));
        Limits { left, stop: None, deadline: None, stopped }
    }

    /// [`Limits::WORK`], and an early end when the flag is raised.
    pub fn until(stop: impl Into<Stop>) -> Self {
        Limits { stop: stop.into(), ..Limits::default() }
    }

    /// Adds a deadline `time` from now.
    pub fn within(self, time: Duration) -> Self {
        Limits { deadline: Instant::now().checked_add(time), ..self }
    }

    /// The flag that ends the computation early, if any.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Whether the flag is raised or the time is over.
    pub fn stopped(&self) -> bool {
        is_over(&self.stop, self.deadline)
    }

    /// [`Limits::stopped`] as a callback for solvers.
    pub(crate) fn watch(&self) -> impl Fn() -> bool + use<> {
        let (stop, deadline) = (self.stop.clone(), self.deadline);
        move || is_over(&stop, deadline)
    }

    /// Charges `work` multiplications; returns false if fewer are left, or if the computation is
    /// [stopped](Limits::stopped). From then on none are left.
    pub fn spend(&self, work: f64) -> bool {
        if self.stopped() {
            self.stopped.set(true);
        }
        let left = if self.stopped.get() { -1.0 } else { self.left.get() - work };
        self.left.set(if left < 0.0 { -1.0 } else { left });
        left >= 0.0
    }

    /// Whether the work is spent, or the computation was found stopped.
    pub fn is_over(&self) -> bool {
        self.left.get() < 0.0
    }

    /// The warning for a reader of the outcomes, if the work is over.
    pub fn warning(&self) -> Option<String> {
        let why = match self.stopped.get() {
            true => "it was interrupted",
            false => "it took the work that one may (budget)",
        };
        self.is_over().then(|| format!("the search for outcomes is not complete: {why}"))
    }
}
