//! Exact sums, independent of the order of their terms.

/// An exact sum of floating-point numbers, as an expansion of numbers whose digits do not overlap.
///
/// Source: J. R. Shewchuk: Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
/// Predicates. Discrete Comput. Geom. 18 (1997), Grow-Expansion. Deviation: zeros are dropped.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sum(Vec<f64>);

impl FromIterator<f64> for Sum {
    fn from_iter<T: IntoIterator<Item = f64>>(numbers: T) -> Self {
        let mut sum = Sum::default();
        numbers.into_iter().for_each(|number| sum.add(number));
        sum
    }
}

impl Sum {
    /// Adds a number.
    pub fn add(&mut self, number: f64) {
        let (mut carry, mut kept) = (number, 0);
        for i in 0..self.0.len() {
            let (sum, rest) = two_sum(carry, self.0[i]);
            carry = sum;
            if rest != 0.0 {
                self.0[kept] = rest;
                kept += 1;
            }
        }
        self.0.truncate(kept);
        if carry != 0.0 {
            self.0.push(carry);
        }
    }

    /// Adds another sum.
    pub fn merge(&mut self, other: &Sum) {
        other.0.iter().for_each(|number| self.add(*number));
    }

    /// The sum, rounded to nearest: a function of the exact sum.
    pub fn value(&self) -> f64 {
        let mut left = self.0.iter().rev();
        let mut sum = left.next().copied().unwrap_or(0.0);
        while let Some(next) = left.next() {
            let (high, low) = two_sum(sum, *next);
            sum = high;
            if low == 0.0 {
                continue;
            }
            // Ties round to even, unless the remainder decides.
            let beyond = left.next().is_some_and(|rest| (*rest > 0.0) == (low > 0.0));
            let nudged = high + 2.0 * low;
            if beyond && nudged - high == 2.0 * low {
                sum = nudged;
            }
            break;
        }
        sum
    }

    /// Numbers with this exact sum, each the rounded sum of itself and its successors: a function
    /// of the exact sum. A sum that is not finite is one number.
    pub fn parts(&self) -> Vec<f64> {
        let (mut rest, mut parts) = (self.clone(), Vec::new());
        loop {
            let value = rest.value();
            if value == 0.0 {
                return parts;
            }
            parts.push(value);
            if !value.is_finite() {
                return parts;
            }
            rest.add(-value);
        }
    }
}

/// The rounded sum of two numbers, and the rounding error (Knuth).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(numbers: impl IntoIterator<Item = f64>) -> Sum {
        numbers.into_iter().collect()
    }

    #[test]
    fn small_terms_are_not_lost() {
        assert_eq!(of([1e100, 1.0, -1e100]).parts(), [1.0]);
        assert_eq!(of([1.0, -1.0]).parts(), [0.0; 0]);
        // 1 + 2^-53 lies halfway between two doubles; the smallest term decides.
        let half = 0.5 * f64::EPSILON;
        assert_eq!(of([1.0, half]).value(), 1.0);
        assert_eq!(of([1.0, half, 1e-300]).value(), 1.0 + f64::EPSILON);
        assert_eq!(of([1.0, half, -1e-300]).value(), 1.0);
        assert!(!of([f64::MAX, f64::MAX, -1.0]).parts()[0].is_finite());
    }

    proptest! {
        /// The oracle adds integers below 2^119, which 128 bits hold.
        #[test]
        fn the_order_of_the_terms_does_not_matter(
            terms in prop::collection::vec((-1_i64 << 53..1 << 53, 0_i32..60), 1..40),
            cut in 0_usize..40,
        ) {
            let number = |(digits, exponent): &(i64, i32)| *digits as f64 * 2.0_f64.powi(*exponent);
            let whole: i128 = terms.iter().map(|(digits, exponent)| i128::from(*digits) << exponent).sum();
            let forth = of(terms.iter().map(number));
            prop_assert_eq!(forth.value(), whole as f64);
            let (some, others) = terms.split_at(cut.min(terms.len()));
            let mut other = of(others.iter().rev().map(number));
            other.merge(&of(of(some.iter().map(number)).parts()));
            prop_assert_eq!(other.parts(), forth.parts());
            let parts: i128 = forth.parts().iter().map(|part| *part as i128).sum();
            prop_assert_eq!(parts, whole);
        }
    }
}
