//! The work limit of one sample.

/// The multiplications left to a sample.
///
/// With up to [`Budget::UNKNOWNS`] unknowns in the complementarity problem of a step, a sample may
/// take [`Budget::WORK`] multiplications, a second or less. Beyond, the budget grows with the
/// square of the unknowns, and with the limit on steps if that is larger than usual. Counts, not
/// clocks, end a sample, so its end does not depend on the machine. Kernels of a GPU, for up to 12
/// contacts, count no work.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    whole: u64,
    left: u64,
}

impl Budget {
    /// The multiplications of a sample with up to [`Budget::UNKNOWNS`] unknowns.
    pub const WORK: u64 = 1_000_000_000;

    /// The unknowns of 20 planar contacts.
    pub const UNKNOWNS: usize = 100;

    /// A budget of `whole` multiplications for each sample.
    pub fn new(whole: u64) -> Self {
        Budget { whole, left: whole }
    }

    /// The budget of samples with `unknowns` unknowns per step.
    pub fn of(unknowns: usize) -> Self {
        let more = (unknowns as f64 / Self::UNKNOWNS as f64).max(1.0).powi(2);
        Budget::new((Self::WORK as f64 * more) as u64)
    }

    /// The budget with a limit of `steps`; each multiple of the `usual` limit adds a whole budget.
    pub fn with_limit(self, steps: u32, usual: u32) -> Self {
        Budget::new(self.whole.saturating_mul(u64::from(steps.div_ceil(usual).max(1))))
    }

    /// Begins a sample.
    pub fn begin(&mut self) {
        self.left = self.whole;
    }

    /// Spends `work` multiplications, at most down to 0.
    pub fn spend(&mut self, work: u64) {
        self.left = self.left.saturating_sub(work);
    }

    /// Number of multiplications left.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Whether no multiplications are left.
    pub fn is_over(&self) -> bool {
        self.left == 0
    }
}
