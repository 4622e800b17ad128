//! How much work a law with finitely many outcomes may do.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The work that is left to a law, in multiplications, and a flag that ends it earlier.
///
/// A law spends its work before it does it, at least every tenth of a second. Counts, not clocks,
/// end it: what it finds does not depend on the machine.
#[derive(Debug)]
pub struct Effort {
    left: Cell<f64>,
    stop: Option<Arc<AtomicBool>>,
    stopped: Cell<bool>,
}

impl Default for Effort {
    fn default() -> Self {
        Effort::of(Self::WORK)
    }
}

impl Effort {
    /// The work of one resolution that is not told otherwise: some seconds.
    pub const WORK: f64 = 4e9;

    /// An effort of `work` multiplications.
    pub fn of(work: f64) -> Self {
        Effort { left: Cell::new(work), stop: None, stopped: Cell::new(false) }
    }

    /// [`Effort::WORK`], or less: until somebody raises the flag.
    pub fn until(stop: Arc<AtomicBool>) -> Self {
        Effort { stop: Some(stop), ..Effort::default() }
    }

    /// Takes `work` multiplications; false where there are not so many left, or the flag is raised.
    /// From then on there are none.
    pub fn spend(&self, work: f64) -> bool {
        if self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            self.stopped.set(true);
        }
        let left = if self.stopped.get() { -1.0 } else { self.left.get() - work };
        self.left.set(if left < 0.0 { -1.0 } else { left });
        left >= 0.0
    }

    /// Whether it is used up, or the flag was found raised.
    pub fn is_over(&self) -> bool {
        self.left.get() < 0.0
    }

    /// What a reader of the outcomes must know where it is over.
    pub fn warning(&self) -> Option<String> {
        let why = match self.stopped.get() {
            true => "it was interrupted",
            false => "it took the work that one may (budget)",
        };
        self.is_over().then(|| format!("the search for outcomes is not complete: {why}"))
    }
}
