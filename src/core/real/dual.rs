use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use bytemuck::{Pod, Zeroable};

use super::Real;

/// `value + slope t` for an infinitesimal `t > 0`: a number whose inputs move along a direction.
///
/// Arithmetic follows the rules of differentiation (forward mode). The order is lexicographic, as
/// for an infinitesimal `t`: equal values are compared by their slopes. A program that branches on
/// `u > 0` so takes the branch that it takes shortly after `t = 0`, and the slope of its result is
/// the one-sided directional derivative. A square root at 0 has no slope; it is then not finite.
///
/// Source: A. Griewank: On stable piecewise linearization and generalized algorithmic
/// differentiation. Optimization Methods and Software 28 (2013) 1139-1178. Deviation: there
/// absolute values are differentiated, here any comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Pod, Zeroable)]
#[repr(C)]
pub struct Dual {
    /// The number.
    pub value: f64,
    /// The derivative along the direction.
    pub slope: f64,
}

impl Dual {
    const fn constant(value: f64) -> Self {
        Dual { value, slope: 0.0 }
    }
}

impl Add for Dual {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Dual { value: self.value + other.value, slope: self.slope + other.slope }
    }
}

impl Sub for Dual {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Dual { value: self.value - other.value, slope: self.slope - other.slope }
    }
}

impl Mul for Dual {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Dual {
            value: self.value * other.value,
            slope: self.slope * other.value + self.value * other.slope,
        }
    }
}

impl Div for Dual {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        Dual { value, slope: (self.slope - value * other.slope) / other.value }
    }
}

impl Neg for Dual {
    type Output = Self;
    fn neg(self) -> Self {
        Dual { value: -self.value, slope: -self.slope }
    }
}

beside_f64! {
    Dual, Dual::constant,
    fn to_f64(self) -> f64 {
        self.value
    }
    fn slope(self) -> f64 {
        self.slope
    }
    fn abs(self) -> Self {
        if self < Self::ZERO { -self } else { self }
    }
    fn sqrt(self) -> Self {
        let value = self.value.sqrt();
        let slope = if self.slope == 0.0 { 0.0 } else { 0.5 * self.slope / value };
        Dual { value, slope }
    }
    fn is_finite(self) -> bool {
        self.value.is_finite() && self.slope.is_finite()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(value: f64, slope: f64) -> Dual {
        Dual { value, slope }
    }

    #[test]
    fn slopes_are_derivatives() {
        let f = |x: Dual| (x * x + Dual::ONE).sqrt() / (x - at(3.0, 0.0)) - x;
        let g = |x: f64| (x * x + 1.0).sqrt() / (x - 3.0) - x;
        for x in [-2.0, -0.3, 0.7, 5.0] {
            let h = 1e-5;
            let central = (g(x + h) - g(x - h)) / (2.0 * h);
            let found = f(at(x, 1.0));
            assert_eq!(found.value, g(x));
            let near = (found.slope - central).abs() < 1e-9 * (1.0 + central.abs());
            assert!(near, "{x}: {found:?}, {central}");
        }
    }

    #[test]
    fn equal_values_are_ordered_by_their_slopes() {
        assert!(at(0.0, 1.0) > Dual::ZERO && at(0.0, -1.0) < Dual::ZERO);
        assert!(at(1.0, -9.0) > at(0.5, 9.0));
        assert_eq!(at(0.0, -2.0).abs(), at(0.0, 2.0));
        assert_eq!(Real::max(at(1.0, 1.0), at(1.0, 3.0)), at(1.0, 3.0));
        assert!(!at(0.0, 1.0).sqrt().is_finite() && at(0.0, 0.0).sqrt() == Dual::ZERO);
    }
}
