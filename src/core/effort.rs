//! The work that a law with finitely many outcomes may do.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that, once true, ends work early; `None` never ends it.
pub type Stop = Option<Arc<AtomicBool>>;

/// Whether the flag is raised.
#[inline]
pub fn stopped(stop: &Stop) -> bool {
    stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
}

/// The work that remains to a law, in multiplications, and a flag that ends the law earlier.
///
/// A law charges its work before doing it, at least every tenth of a second. Counts, not clocks,
/// end the work, so that results do not depend on the machine.
#[derive(Debug)]
pub struct Effort {
    left: Cell<f64>,
    stop: Stop,
    stopped: Cell<bool>,
}

impl Default for Effort {
    fn default() -> Self {
        Effort::of(Self::WORK)
    }
}

impl Effort {
    /// The work of one resolution where no other limit is set: some seconds.
    pub const WORK: f64 = 4e9;

    /// An effort of `work` multiplications.
    pub fn of(work: f64) -> Self {
        Effort { left: Cell::new(work), stop: None, stopped: Cell::new(false) }
    }

    /// An effort of [`Effort::WORK`] that ends early when the flag is raised.
    pub fn until(stop: Arc<AtomicBool>) -> Self {
        Effort { stop: Some(stop), ..Effort::default() }
    }

    /// The flag that ends the effort early, if there is one.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Takes `work` multiplications; returns false where fewer are left, or the flag is raised.
    /// From then on none are left.
    pub fn spend(&self, work: f64) -> bool {
        if stopped(&self.stop) {
            self.stopped.set(true);
        }
        let left = if self.stopped.get() { -1.0 } else { self.left.get() - work };
        self.left.set(if left < 0.0 { -1.0 } else { left });
        left >= 0.0
    }

    /// Whether the effort is spent, or the flag was found raised.
    pub fn is_over(&self) -> bool {
        self.left.get() < 0.0
    }

    /// The warning for a reader of the outcomes where the effort is spent.
    pub fn warning(&self) -> Option<String> {
        let why = match self.stopped.get() {
            true => "it was interrupted",
            false => "it took the work that one may (budget)",
        };
        self.is_over().then(|| format!("the search for outcomes is not complete: {why}"))
    }
}
