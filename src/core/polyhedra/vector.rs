//! Vectors of cones.

use std::fmt::Debug;

/// Most entries of a vector.
pub const MOST_ENTRIES: usize = 8;

/// A vector up to positive factors.
pub trait Vector: Clone + Debug + Send + Sync {
    /// The type of inner products.
    type Scalar;

    /// The vector whose entries (at most [`MOST_ENTRIES`]) are sums of products of three finite
    /// numbers.
    fn of_sums(entries: &[Vec<[f64; 3]>]) -> Self;

    /// The vector with the entries `x`, at most [`MOST_ENTRIES`] finite numbers.
    fn new(x: &[f64]) -> Self {
        Self::of_sums(&x.iter().map(|x| vec![[*x, 1.0, 1.0]]).collect::<Vec<_>>())
    }

    /// The unit vector `i` of `n` entries.
    fn unit(n: usize, i: usize) -> Self;

    /// Whether inner products are exact.
    const EXACT: bool;

    /// The rounded entries times a positive factor that scales the largest one to between 1/2 and
    /// 1.
    fn near(&self) -> &[f64; MOST_ENTRIES];

    /// [`Vector::near`] plus `by` times the [`Vector::near`] of `along`, without rounding.
    fn moved(&self, by: f64, along: &Self) -> Self;

    /// Bit length of the longest entry; 0 for entries of fixed length.
    fn bits(&self) -> usize {
        0
    }

    /// `-x`
    fn opposite(&self) -> Self;

    /// `a . x`
    fn dot(&self, x: &Self) -> Self::Scalar;

    /// 1, 0 or -1: the sign of `a . x`.
    fn side(&self, x: &Self) -> i32;

    /// `|p| x + |q| y`
    fn between(p: &Self::Scalar, x: &Self, q: &Self::Scalar, y: &Self) -> Self;

    /// The sign of the first entry.
    fn weight(&self) -> i32;
}

/// `a . x` in doubles.
pub fn dot(a: &[f64; MOST_ENTRIES], x: &[f64; MOST_ENTRIES]) -> f64 {
    a.iter().zip(x).map(|(a, x)| a * x).sum()
}
