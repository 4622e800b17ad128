//! Linear relations between few variables in exact rationals.

use dashu_int::ops::{Gcd, UnsignedAbs};
use dashu_int::{IBig, Sign, UBig};

use super::dyadic::{Dyadic, quotient};

/// A square relation `y = T x / d` with an integer matrix `T` (N,N) and an integer `d` other than
/// 0.
///
/// A pivot at `k` exchanges the input `x_k` and the output `y_k`. The entries of `T` and `d` remain
/// determinants of the first matrix, so every division is exact. Source: E. H. Bareiss: Sylvester's
/// identity and multistep integer-preserving Gaussian elimination. Mathematics of Computation 22
/// (1968) 565-578; A. W. Tucker: A combinatorial equivalence of matrices. Combinatorial Analysis,
/// Proceedings of Symposia in Applied Mathematics 10 (1960) 129-140 (principal pivots).
#[derive(Clone, Debug)]
pub struct Tableau {
    size: usize,
    entries: Vec<IBig>,
    divisor: IBig,
}

impl Tableau {
    /// `y = T x` with `T` (N,N) row by row.
    pub fn new(size: usize, entries: Vec<IBig>) -> Self {
        Tableau { size, entries, divisor: IBig::ONE }
    }

    /// An entry of `T`.
    pub fn at(&self, row: usize, column: usize) -> &IBig {
        &self.entries[row * self.size + column]
    }

    /// `d`
    pub fn divisor(&self) -> &IBig {
        &self.divisor
    }

    /// Exchanges `x_k` and `y_k`, where `T_kk` is not 0.
    pub fn pivot(&mut self, k: usize) {
        let (n, pivot) = (self.size, self.at(k, k).clone());
        let row: Vec<IBig> = self.entries[k * n..(k + 1) * n].to_vec();
        for i in (0..n).filter(|i| *i != k) {
            let factor = self.at(i, k).clone();
            for j in (0..n).filter(|j| *j != k) {
                let entry = &mut self.entries[i * n + j];
                let cross = !(factor.is_zero() || row[j].is_zero());
                if cross || !entry.is_zero() {
                    *entry *= &pivot;
                    if cross {
                        *entry -= &factor * &row[j];
                    }
                    *entry /= &self.divisor;
                }
            }
        }
        for j in 0..n {
            self.entries[k * n + j] = if j == k { self.divisor.clone() } else { -&row[j] };
        }
        self.divisor = pivot;
    }

    /// Fixes `x_k` at 0.
    pub fn fix(&mut self, k: usize) {
        (0..self.size).for_each(|i| self.entries[i * self.size + k] = IBig::ZERO);
    }

    /// The pivot among `candidates` that keeps most of its first entry `sizes` (N). `None` where
    /// all are 0.
    pub fn best(&self, candidates: impl Iterator<Item = usize>, sizes: &[IBig]) -> Option<usize> {
        let part = |k: usize| {
            quotient(&Dyadic::new(self.at(k, k).clone(), 0), &(&self.divisor * &sizes[k])).abs()
        };
        let possible = candidates.filter(|k| !self.at(*k, *k).is_zero());
        possible.max_by(|a, b| part(*a).total_cmp(&part(*b)))
    }

    /// The entries on the diagonal (N).
    pub fn diagonal(&self) -> Vec<IBig> {
        (0..self.size).map(|k| self.at(k, k).clone()).collect()
    }

    /// Divides `T` and `d` by their greatest common divisor, then substitutes `d x` for `x`, so
    /// that `d` becomes 1; returns the reduced `d`.
    pub fn restart(&mut self) -> IBig {
        let mut common: UBig = (&self.divisor).unsigned_abs();
        for entry in self.entries.iter().filter(|entry| !entry.is_zero()) {
            if common.is_one() {
                break;
            }
            common = common.gcd(entry.unsigned_abs());
        }
        let common = match self.divisor.sign() {
            Sign::Positive => IBig::from(common),
            Sign::Negative => -IBig::from(common),
        };
        self.entries.iter_mut().for_each(|entry| *entry /= &common);
        std::mem::replace(&mut self.divisor, IBig::ONE) / common
    }
}
