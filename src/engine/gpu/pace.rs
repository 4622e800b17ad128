//! The budget of dispatches, from the time of those before: no driver ends a short one.

/// The time that a dispatch is to take, in s: drivers end long ones, and desktops wait for each.
const GOAL: f64 = 0.05;
/// The budget of the first dispatch, of which nothing is known, and the smallest one.
const FIRST: u32 = 4096;
const LEAST: u32 = 64;
/// Most by which the budget grows or shrinks from a dispatch to the next.
const MOST: f64 = 4.0;

/// The budget of the next dispatch of a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pace {
    /// Units that a thread may spend.
    pub(super) budget: u32,
    /// The largest budget.
    most: u32,
}

impl Pace {
    /// The pace of a kernel whose budget is `most` at most.
    pub(super) fn new(most: u32) -> Self {
        Pace { budget: most.min(FIRST), most }
    }

    /// Takes the time of a dispatch in s. Only one that used its budget up has a longer successor.
    pub(super) fn took(&mut self, seconds: f64, used_up: bool) {
        let grows = if used_up { MOST } else { 1.0 };
        let factor = (GOAL / seconds.max(1e-9)).clamp(1.0 / MOST, grows);
        let least = LEAST.min(self.most);
        self.budget = ((f64::from(self.budget) * factor) as u32).clamp(least, self.most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Dispatches of a device that does `rate` units a second.
    fn settled(rate: f64, most: u32) -> Vec<f64> {
        let mut pace = Pace::new(most);
        let dispatch = |_| {
            let seconds = f64::from(pace.budget) / rate;
            pace.took(seconds, true);
            seconds
        };
        (0..20).map(dispatch).collect()
    }

    #[test]
    fn dispatches_soon_take_as_long_as_they_should() {
        for rate in [1e4, 1e5, 1e6, 1e7] {
            let times = settled(rate, u32::MAX);
            assert!(times.iter().all(|t| *t <= 0.41), "{rate}: {times:?}");
            assert!(times[10..].iter().all(|t| (t - GOAL).abs() < 0.01), "{rate}: {times:?}");
        }
    }

    #[test]
    fn budgets_stay_within_their_limits() {
        assert_eq!(Pace::new(10).budget, 10);
        assert!(settled(1e9, 6000).iter().all(|t| *t <= 6e-6));
        let mut pace = Pace::new(1_000_000);
        (0..20).for_each(|_| pace.took(10.0, true));
        assert_eq!(pace.budget, LEAST);
        // Samples that ended early say nothing of a longer dispatch.
        (0..20).for_each(|_| pace.took(1e-6, false));
        assert_eq!(pace.budget, LEAST);
    }
}
