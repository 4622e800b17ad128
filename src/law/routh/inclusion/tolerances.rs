//! The tolerances and limits of the integration.

use carom_core::Real;

/// Limit of trials per substep.
pub const MAX_TRIALS: u32 = 64;

/// Initial operation budget (products of two numbers) of a sample with up to [`ROWS`] rows; it
/// grows with the cube of the rows. The budget corresponds to a few milliseconds.
pub const BUDGET: u64 = 4_000_000;

/// Number of rows up to which [`BUDGET`] applies.
pub const ROWS: usize = 24;

/// Growth of the block length: number of blocks before the first doubling, number of blocks between
/// doublings.
pub const LENGTHEN: [u32; 2] = [64, 8];

/// Limit of the doublings of a block.
pub const DOUBLINGS: u32 = 10;

/// Largest number of contacts with a GPU kernel: their modes fill a word of 32 bits. For sixteen
/// spatial contacts a software driver takes about a minute to build the kernel.
pub const MOST_ON_GPU: usize = 16;

/// The first plain step of a sample, relative to the settling time of sliding.
pub const FIRST_RATIO: f64 = 0.12;

/// The tolerances of a precision; velocities are dimensionless.
#[derive(Clone, Copy, Debug)]
pub struct Tolerances<R> {
    /// Largest estimated error of a velocity in a substep.
    pub error: R,
    /// Sliding velocities below this count as zero.
    pub halt: R,
    /// Fraction of the rest threshold below which normal velocities count as zero.
    pub landing: R,
    /// Forces are converged when their relative error is below this.
    pub balance: R,
    /// Operation budget of a sample.
    pub budget: u64,
}

impl<R: Real> Tolerances<R> {
    /// The tolerances for an accuracy of problems with `rows` rows, limited by the precision.
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

    /// A sixteenth of the error and twice the budget, for recomputed samples.
    pub fn finer(self) -> Self {
        let (error, budget) = (self.error * R::from_f64(0.0625), 2 * self.budget);
        Tolerances { error, budget, ..self }
    }
}
