//! How finely the inclusion is integrated, and its limits.

use crate::real::Real;

/// Limit on the substeps of a sample, at first: some ten times the number that all but jammed contacts take.
pub const MAX_SUBSTEPS: u32 = 4000;

/// Most trials of one substep.
pub const MAX_TRIALS: u32 = 64;

/// Most sweeps over the contacts that stick or are to be stopped.
pub const MAX_SWEEPS: u32 = 100;

/// The tolerances of a precision; velocities are dimensionless.
#[derive(Clone, Copy, Debug)]
pub struct Tolerances<R> {
    /// Largest error of the sliding velocities in a substep, estimated by the second-order companion.
    pub error: R,
    /// Sliding velocities below this count as zero.
    pub halt: R,
    /// Forces are converged when their relative change is below this.
    pub balance: R,
    /// Most substeps of a sample.
    pub substeps: u32,
}

impl<R: Real> Tolerances<R> {
    /// The tolerances of precision `R`, chosen by trial on random problems: with them one contact in f64 stays well
    /// within 1e-5 of the exact law.
    pub fn of_precision() -> Self {
        let double = [3e-7, 1e-8, 1e-13];
        let single = [1e-5, 2e-6, 1e-7];
        let [error, halt, balance] = if R::EPSILON > f64::EPSILON { single } else { double }.map(R::from_f64);
        Tolerances { error, halt, balance, substeps: MAX_SUBSTEPS }
    }

    /// An eighth of the error and eight times the substeps, for samples that fail otherwise: stiff sliding of strongly
    /// coupled contacts takes many substeps.
    pub fn finer(self) -> Self {
        Tolerances { error: self.error * R::from_f64(0.125), substeps: 8 * self.substeps, ..self }
    }
}
