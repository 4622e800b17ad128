//! The acceptance of samples, and the conditions for solving a sample again.

use crate::{Real, Status};

/// Number of steps from which on a single-precision sample is recomputed: rounding errors add up,
/// and after some hundred steps they reach the threshold of rest.
pub const LONG_RUN: u32 = 128;

/// Limits beyond which a sample is flagged and solved again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlagLimits {
    /// The largest residual.
    pub residual: f64,
    /// Number of steps from which on a run is long.
    pub long_run: u32,
}

impl FlagLimits {
    /// The limits of a precision, for m contacts with T axes each.
    pub fn new<R: Real>(m: usize, axes: usize) -> Self {
        FlagLimits {
            residual: if m <= 3 && axes == 1 { R::FLAG } else { R::RESIDUAL },
            long_run: if R::EPSILON > f64::EPSILON { LONG_RUN } else { u32::MAX },
        }
    }
}

/// Whether a sample is solved again in double precision: its status is not regular, or its numbers
/// are doubtful. `at_rest`: whether no contact approaches; `finite`: whether all numbers are
/// finite.
/// Twin: `shaders/outcome/verdict.wgsl::is_flagged`.
#[inline(always)]
pub fn is_flagged(
    status: Status,
    steps: u32,
    residual: f64,
    at_rest: bool,
    finite: bool,
    limits: FlagLimits,
) -> bool {
    let ended = ((status == Status::Terminated) & at_rest) | (status == Status::StepLimit);
    let sound = (residual <= limits.residual) & (steps < limits.long_run) & finite;
    !(ended & sound)
}

/// Whether a sample is accepted: the impact is over, solved within the residual `most`, and all
/// numbers are finite. Twin: `shaders/outcome/verdict.wgsl::is_accepted`.
#[inline(always)]
pub fn is_accepted(status: Status, residual: f64, finite: bool, most: f64) -> bool {
    (status == Status::Terminated) & (residual <= most) & finite
}

/// The residual of a sample that is not solved again. `approach`: its approach speed over the
/// threshold of rest. A sample with status terminated that still approaches has at least the
/// residual `most` times `approach`, so it is not accepted.
pub fn settled_residual(status: Status, residual: f64, approach: f64, most: f64) -> f64 {
    if status == Status::Terminated && approach > 1.0 {
        residual.max(approach * most)
    } else {
        residual
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A terminated sample without a flag is accepted: a device counts samples without flags as
    /// accepted.
    #[test]
    fn nothing_unflagged_is_refused() {
        fn check<R: Real>() {
            for (m, axes) in [(1, 1), (3, 1), (4, 1), (2, 2)] {
                assert!(FlagLimits::new::<R>(m, axes).residual <= R::RESIDUAL);
            }
        }
        check::<f32>();
        check::<f64>();
    }

    #[test]
    fn one_defect_flags() {
        let limits = FlagLimits { residual: 1e-6, long_run: 128 };
        let (over, limit) = (Status::Terminated, Status::StepLimit);
        assert!(!is_flagged(over, 127, 1e-6, true, true, limits));
        assert!(!is_flagged(limit, 127, 1e-6, false, true, limits));
        assert!(is_flagged(over, 128, 0.0, true, true, limits));
        assert!(is_flagged(over, 1, 1.1e-6, true, true, limits));
        assert!(is_flagged(over, 1, f64::NAN, true, true, limits));
        assert!(is_flagged(over, 1, 0.0, false, true, limits));
        assert!(is_flagged(limit, 1, 0.0, false, false, limits));
        assert!(is_flagged(Status::Unsolved, 1, 0.0, true, true, limits));
        assert!(is_flagged(Status::NotFinite, 1, 0.0, true, true, limits));
        assert!(is_accepted(over, 1e-6, true, 1e-6) && !is_accepted(limit, 0.0, true, 1e-6));
        assert!(!is_accepted(over, f64::NAN, true, 1e-6) && !is_accepted(over, 0.0, false, 1e-6));
        assert_eq!(settled_residual(over, 1e-9, 1.5, 1e-6), 1.5e-6);
        assert_eq!(settled_residual(limit, 1e-9, 1.5, 1e-6), 1e-9);
        assert_eq!(settled_residual(over, 1e-9, 1.0, 1e-6), 1e-9);
        let residual = settled_residual(over, 0.0, 1.0_f64.next_up(), 1e-6);
        assert!(!is_accepted(over, residual, true, 1e-6));
    }
}
