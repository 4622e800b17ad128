//! The tolerances and limits of the integration.

use carom_core::Real;

/// Most trials of one substep.
pub const MAX_TRIALS: u32 = 64;

/// Operations (products of two numbers) that a sample may take, at first, where the contact problem
/// has up to [`ROWS`] rows; more in proportion to the cube of the rows. The budget takes a few
/// milliseconds.
pub const BUDGET: u64 = 4_000_000;

/// Number of rows up to which [`BUDGET`] does not grow.
pub const ROWS: usize = 24;

/// After the first number of blocks, the length of a block doubles each time the second number of
/// blocks has passed.
pub const LENGTHEN: [u32; 2] = [64, 8];

/// Most doublings of a block.
pub const DOUBLINGS: u32 = 10;

/// Largest number of contacts for which there is a GPU kernel: their modes fill a word of 32 bits.
/// In space a software driver takes about a minute to build the kernel for that many.
pub const MOST_ON_GPU: usize = 16;

/// The first plain step of a sample over the time in which sliding settles.
pub const FIRST_RATIO: f64 = 0.12;

/// The tolerances of a precision; velocities are dimensionless.
#[derive(Clone, Copy, Debug)]
pub struct Tolerances<R> {
    /// Largest error of a velocity in a substep, as estimated.
    pub error: R,
    /// Sliding velocities below this count as zero.
    pub halt: R,
    /// Normal velocities below this part of the threshold of rest count as zero.
    pub landing: R,
    /// Forces are converged when their relative error is below this.
    pub balance: R,
    /// Most operations of a sample.
    pub budget: u64,
}

impl<R: Real> Tolerances<R> {
    /// The tolerances for an accuracy, as far as the precision allows, of problems with `rows`
    /// rows.
    pub fn new(accuracy: f64, rows: usize) -> Self {
        let single = R::EPSILON > f64::EPSILON;
        let [least, halt, balance] = if single { [2e-6, 2e-6, 2e-6] } else { [1e-12, 1e-9, 1e-11] };
        let error = (accuracy / 6.0).max(least);
        let more = rows.div_ceil(ROWS).pow(3) as u64;
        let least = 4.0 * R::EPSILON / R::TERMINATION;
        Tolerances {
            error: R::from_f64(error),
            halt: R::from_f64(halt.max(1e-3 * error)),
            landing: R::from_f64((1e-3 * error / R::TERMINATION).clamp(least, 0.25)),
            balance: R::from_f64(balance),
            budget: (BUDGET as f64 * (1e-4 / accuracy).max(1.0).sqrt()) as u64 * more,
        }
    }

    /// A sixteenth of the error and twice the budget, for samples that are computed again.
    pub fn finer(self) -> Self {
        let (error, budget) = (self.error * R::from_f64(0.0625), 2 * self.budget);
        Tolerances { error, budget, ..self }
    }
}
