//! Vectors of doubles.

use super::vector::{MOST_ENTRIES, Vector};

/// Absolute value up to which inner products count as 0.
pub const TOLERANCE: f64 = 1e-10;

/// Relative size of a sum of two numbers that counts as a rounding error of 0.
const ROUNDING: f64 = 1e-14;

/// A vector of doubles with a largest entry of 1, or the zero vector.
///
/// Cones of such vectors are rounded outwards: points that violate an inequality by [`TOLERANCE`]
/// stay.
#[derive(Clone, Copy, Debug)]
pub struct Doubles([f64; MOST_ENTRIES]);

impl Doubles {
    fn scaled(mut x: [f64; MOST_ENTRIES]) -> Self {
        let largest = x.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let factor = if largest > 0.0 { 1.0 / largest } else { 0.0 };
        x.iter_mut().for_each(|x| *x *= factor);
        Doubles(x)
    }
}

impl Vector for Doubles {
    type Scalar = f64;

    const EXACT: bool = false;

    fn of_sums(entries: &[Vec<[f64; 3]>]) -> Self {
        let mut sums = [0.0; MOST_ENTRIES];
        for (sum, terms) in sums.iter_mut().zip(entries) {
            *sum = terms.iter().map(|[a, b, c]| a * b * c).sum();
        }
        Doubles::scaled(sums)
    }

    fn unit(_: usize, i: usize) -> Self {
        Doubles(std::array::from_fn(|j| f64::from(u8::from(i == j))))
    }

    #[inline]
    fn near(&self) -> &[f64; MOST_ENTRIES] {
        &self.0
    }

    fn moved(&self, by: f64, along: &Self) -> Self {
        Doubles::scaled(std::array::from_fn(|i| self.0[i] + by * along.0[i]))
    }

    #[inline]
    fn opposite(&self) -> Self {
        Doubles(self.0.map(|x| -x))
    }

    #[inline]
    fn dot(&self, x: &Self) -> f64 {
        const HALF: usize = MOST_ENTRIES / 2;
        let sums: [f64; HALF] =
            std::array::from_fn(|i| self.0[i] * x.0[i] + self.0[i + HALF] * x.0[i + HALF]);
        (sums[0] + sums[2]) + (sums[1] + sums[3])
    }

    #[inline]
    fn side(&self, x: &Self) -> i32 {
        sign(self.dot(x))
    }

    #[inline]
    fn between(p: &f64, x: &Self, q: &f64, y: &Self) -> Self {
        let [p, q] = [p.abs(), q.abs()];
        Doubles::scaled(std::array::from_fn(|i| {
            let sum = p * x.0[i] + q * y.0[i];
            if sum.abs() <= ROUNDING * (p + q) { 0.0 } else { sum }
        }))
    }

    #[inline]
    fn weight(&self) -> i32 {
        sign(self.0[0])
    }
}

#[inline]
fn sign(x: f64) -> i32 {
    i32::from(x > TOLERANCE) - i32::from(x < -TOLERANCE)
}
