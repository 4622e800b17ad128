use std::cell::Cell;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use bytemuck::{Pod, Zeroable};

use super::Real;

thread_local! {
    static OPERATIONS: Cell<u64> = const { Cell::new(0) };
}

/// An `f64` that counts sums, differences, products, quotients and square roots by thread, but not
/// comparisons, changes of sign and absolute values.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Pod, Zeroable)]
#[repr(transparent)]
pub struct Counted(f64);

impl Counted {
    /// Number of operations of this thread since the last call.
    pub fn operations() -> u64 {
        OPERATIONS.take()
    }
}

/// Counts an operation with result `value`.
fn counted(value: f64) -> Counted {
    OPERATIONS.set(OPERATIONS.get() + 1);
    Counted(value)
}

macro_rules! operation {
    ($operator:ident, $method:ident, $sign:tt) => {
        impl $operator for Counted {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                counted(self.0 $sign other.0)
            }
        }
    };
}

operation!(Add, add, +);
operation!(Sub, sub, -);
operation!(Mul, mul, *);
operation!(Div, div, /);

impl Neg for Counted {
    type Output = Self;
    fn neg(self) -> Self {
        Counted(-self.0)
    }
}

beside_f64! {
    Counted, Counted,
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
