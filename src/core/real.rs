//! The two precisions. `f64` is the reference; `f32` repeats the single-precision arithmetic of a
//! shader. [`Dual`] is `f64` with a derivative, [`Counted`] is `f64` with counted operations.

use std::fmt::Debug;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// Implements [`Real`] for types with an `f64` and further data, with the tolerances of `f64`;
/// `$of` converts an `f64`. The remaining items are specific to the type.
macro_rules! beside_f64 {
    ($t:ident, $of:path, $($own:tt)*) => {
        impl AddAssign for $t {
            fn add_assign(&mut self, other: Self) {
                *self = *self + other;
            }
        }

        impl SubAssign for $t {
            fn sub_assign(&mut self, other: Self) {
                *self = *self - other;
            }
        }

        impl Real for $t {
            const ZERO: Self = $of(0.0);
            const ONE: Self = $of(1.0);
            const HUGE: Self = $of(f64::HUGE);
            const NAME: &'static str = "f64";
            const EPSILON: f64 = <f64 as Real>::EPSILON;
            const TERMINATION: f64 = f64::TERMINATION;
            const FLOOR: f64 = f64::FLOOR;
            const RESIDUAL: f64 = f64::RESIDUAL;
            const FLAG: f64 = f64::FLAG;
            const DISTINCT: f64 = f64::DISTINCT;
            const AMBIGUOUS: Self = $of(f64::AMBIGUOUS);
            const CONDITION: Self = $of(f64::CONDITION);
            const PIVOT: Self = $of(f64::PIVOT);
            const TIE: Self = $of(f64::TIE);

            type Wide = Self;

            fn widen(self) -> Self {
                self
            }
            fn narrow(wide: Self) -> Self {
                wide
            }
            fn from_f64(x: f64) -> Self {
                $of(x)
            }
            $($own)*
        }
    };
}

mod counted;
mod dual;

pub use counted::Counted;
pub use dual::Dual;

/// A floating-point type for the laws, with its tolerances.
///
/// All tolerances apply to dimensionless quantities: velocities over `max|u-|` of the contact
/// velocities before the impact, impulses times `max W_ii` over `max|u-|` (see [`crate::lcp`]).
pub trait Real:
    Copy
    + Debug
    + Default
    + PartialOrd
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + AddAssign
    + Sub<Output = Self>
    + SubAssign
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + bytemuck::Pod
{
    /// Zero.
    const ZERO: Self;
    /// The number 1.
    const ONE: Self;
    /// A number larger than any result of the computations.
    const HUGE: Self;
    /// The precision's name: `f32` or `f64`.
    const NAME: &'static str;
    /// Distance from 1 to the next number.
    const EPSILON: f64;
    /// A sample is over when `min Jn v >= -TERMINATION max|v-|`. The threshold is thirty times the
    /// rounding error of a normal velocity that a step has brought to zero, and far below any
    /// measurable velocity.
    const TERMINATION: f64;
    /// The threshold of that test is at least `FLOOR max|u-|`. In units with contact velocities far
    /// above coordinate velocities, [`Self::TERMINATION`] alone would lie below the rounding error
    /// of `u`.
    const FLOOR: f64;
    /// A step's solution is accepted up to this complementarity residual.
    const RESIDUAL: f64;
    /// A sample with up to three planar contacts is recomputed in double precision above this
    /// residual. About one single-precision sample in a thousand exceeds it; the others agree with
    /// double precision within about 1e-6.
    const FLAG: f64;
    /// Two solutions of a step are distinct when their contact velocities differ by more than this.
    const DISTINCT: f64;
    /// Two computed solutions of a step that differ by no more than this are the same solution with
    /// different rounding errors.
    const AMBIGUOUS: Self;
    /// Largest violation of the conditions of a mode by rounding. It must lie below
    /// [`Self::TERMINATION`]: otherwise a contact could count as at rest for the step and as
    /// approaching for the impact, and the impact would never end.
    const CONDITION: Self;
    /// Pivots smaller than this, relative to the largest entry of their column, count as zero.
    const PIVOT: Self;
    /// Ratios closer than this count as tied.
    const TIE: Self;

    /// The type in which linear systems are solved: double precision.
    type Wide: Real;

    /// The number in [`Self::Wide`].
    fn widen(self) -> Self::Wide;
    /// The nearest number of this precision.
    fn narrow(wide: Self::Wide) -> Self;
    /// The nearest number of this precision.
    fn from_f64(x: f64) -> Self;
    /// The number in `f64`.
    fn to_f64(self) -> f64;
    /// The derivative carried by the number; 0 except for [`Dual`].
    fn slope(self) -> f64 {
        0.0
    }
    /// Absolute value.
    fn abs(self) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Whether the number is neither infinite nor NaN.
    fn is_finite(self) -> bool;
    /// The larger of two numbers.
    fn max(self, other: Self) -> Self {
        if self > other { self } else { other }
    }
    /// The smaller of two numbers.
    fn min(self, other: Self) -> Self {
        if self < other { self } else { other }
    }
    /// The nearest number in `[low, high]`.
    fn clamp(self, low: Self, high: Self) -> Self {
        Real::min(Real::max(self, low), high)
    }
}

macro_rules! real {
    ($t:ident, $termination:expr, $floor:expr, $residual:expr, $flag:expr, $distinct:expr, $ambiguous:expr, $condition:expr, $pivot:expr, $tie:expr) => {
        impl Real for $t {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            const HUGE: Self = $t::MAX;
            const NAME: &'static str = stringify!($t);
            const EPSILON: f64 = $t::EPSILON as f64;
            const TERMINATION: f64 = $termination;
            const FLOOR: f64 = $floor;
            const RESIDUAL: f64 = $residual;
            const FLAG: f64 = $flag;
            const DISTINCT: f64 = $distinct;
            const AMBIGUOUS: Self = $ambiguous;
            const CONDITION: Self = $condition;
            const PIVOT: Self = $pivot;
            const TIE: Self = $tie;

            type Wide = f64;

            fn widen(self) -> f64 {
                f64::from(self)
            }
            fn narrow(wide: f64) -> Self {
                wide as $t
            }
            fn from_f64(x: f64) -> Self {
                x as $t
            }
            fn to_f64(self) -> f64 {
                self as f64
            }
            fn abs(self) -> Self {
                $t::abs(self)
            }
            fn sqrt(self) -> Self {
                $t::sqrt(self)
            }
            fn is_finite(self) -> bool {
                $t::is_finite(self)
            }
        }
    };
}

real!(f64, 1e-7, 1e-11, 1e-6, 1e-6, 1e-7, 1e-7, 1e-11, 1e-10, 1e-11);
real!(f32, 3e-6, 5e-7, 1e-5, 1e-6, 1e-5, 1.25e-6, 5e-7, 1e-4, 1e-5);
