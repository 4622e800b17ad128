//! The budget of a dispatch, from the times of earlier dispatches. Drivers abort long dispatches.

/// Target time of a dispatch in s: drivers abort long dispatches, and desktops freeze meanwhile.
pub const GOAL: f64 = 0.05;
/// The budget of the first dispatch, before any time is known.
const FIRST: u32 = 4096;
/// The smallest budget.
pub const LEAST: u32 = 64;
/// Largest factor by which the budget grows or shrinks from a dispatch to the next.
const MOST: f64 = 4.0;

/// The budget of the next dispatch of a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// Units that a thread may spend.
    pub budget: u32,
    /// The largest budget.
    most: u32,
}

impl Pace {
    /// A pace whose budget is at most `most`.
    pub fn new(most: u32) -> Self {
        Pace { budget: most.min(FIRST), most }
    }

    /// Adapts the budget to the time of a dispatch in s. The budget grows only after a dispatch
    /// that used it up.
    pub fn took(&mut self, seconds: f64, used_up: bool) {
        let grows = if used_up { MOST } else { 1.0 };
        let factor = (GOAL / seconds.max(1e-9)).clamp(1.0 / MOST, grows);
        let least = LEAST.min(self.most);
        self.budget = ((f64::from(self.budget) * factor) as u32).clamp(least, self.most);
    }
}
