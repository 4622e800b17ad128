//! When a sample is solved again.

use crate::real::Real;

/// Steps from which on a single-precision sample is solved again: rounding adds up, and after some hundred steps it
/// reaches the velocities that count as rest.
pub const LONG_RUN: u32 = 128;

/// The residual above which a sample of m contacts with T axes each is solved again.
pub fn flag<R: Real>(m: usize, axes: usize) -> f64 {
    if m <= 3 && axes == 1 { R::FLAG } else { R::RESIDUAL }
}
