//! Numbers that count the operations on them.

use std::cell::Cell;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use bytemuck::{Pod, Zeroable};

use super::Real;

thread_local! {
    static OPERATIONS: Cell<u64> = const { Cell::new(0) };
}

/// An `f64` whose sums, differences, products, quotients and square roots are counted, thread by
/// thread; comparisons, changes of sign and absolute values are not.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Pod, Zeroable)]
#[repr(transparent)]
pub struct Counted(f64);

impl Counted {
    /// Number of operations of this thread since the last call.
    pub fn operations() -> u64 {
        OPERATIONS.take()
    }
}

/// One more operation, whose result is `value`.
fn counted(value: f64) -> Counted {
    OPERATIONS.set(OPERATIONS.get() + 1);
    Counted(value)
}

impl Add for Counted {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        counted(self.0 + other.0)
    }
}

impl Sub for Counted {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        counted(self.0 - other.0)
    }
}

impl Mul for Counted {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        counted(self.0 * other.0)
    }
}

impl Div for Counted {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        counted(self.0 / other.0)
    }
}

impl Neg for Counted {
    type Output = Self;
    fn neg(self) -> Self {
        Counted(-self.0)
    }
}

impl AddAssign for Counted {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Counted {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Real for Counted {
    const ZERO: Self = Counted(0.0);
    const ONE: Self = Counted(1.0);
    const HUGE: Self = Counted(f64::HUGE);
    const NAME: &'static str = "f64";
    const EPSILON: f64 = <f64 as Real>::EPSILON;
    const TERMINATION: f64 = f64::TERMINATION;
    const FLOOR: f64 = f64::FLOOR;
    const RESIDUAL: f64 = f64::RESIDUAL;
    const FLAG: f64 = f64::FLAG;
    const DISTINCT: f64 = f64::DISTINCT;
    const AMBIGUOUS: Self = Counted(f64::AMBIGUOUS);
    const CONDITION: Self = Counted(f64::CONDITION);
    const PIVOT: Self = Counted(f64::PIVOT);
    const TIE: Self = Counted(f64::TIE);

    type Wide = Self;

    fn widen(self) -> Self {
        self
    }
    fn narrow(wide: Self) -> Self {
        wide
    }
    fn from_f64(x: f64) -> Self {
        Counted(x)
    }
    fn to_f64(self) -> f64 {
        self.0
    }
    fn abs(self) -> Self {
        Counted(self.0.abs())
    }
    fn sqrt(self) -> Self {
        counted(self.0.sqrt())
    }
    fn is_finite(self) -> bool {
        self.0.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_are_counted_once() {
        Counted::operations();
        let x = Counted::from_f64(3.0);
        let mut sum = (x * x + Counted::ONE).sqrt() / (x - Counted::ONE);
        sum += -x.abs();
        assert_eq!(Counted::operations(), 6);
        assert_eq!(Counted::operations(), 0);
        assert_eq!(sum.to_f64(), 10.0_f64.sqrt() / 2.0 - 3.0);
    }
}
