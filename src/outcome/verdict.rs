//! When a sample is computed again.

use crate::real::Real;

/// Number of steps from which on a single-precision sample is computed again: rounding errors add up, and after some
/// hundred steps they reach the threshold of rest.
pub const LONG_RUN: u32 = 128;

/// The residual above which a sample of m contacts with T axes each is computed again.
pub fn flag<R: Real>(m: usize, axes: usize) -> f64 {
    if m <= 3 && axes == 1 { R::FLAG } else { R::RESIDUAL }
}
