//! Normal distributions of points, and normal numbers by address.

use nalgebra::{DMatrix, DVector};

use carom_core::rng::{Purpose, Stream, normal};

/// Normal distribution in n dimensions.
#[derive(Clone, Debug, PartialEq)]
pub struct Normal {
    /// Mean (n).
    pub mean: DVector<f64>,
    /// `L` (n,n), lower triangular; the covariance is `L L'`.
    pub factor: DMatrix<f64>,
}

impl Normal {
    /// Normal distribution with a mean (n) and a positive definite covariance (n,n).
    pub fn new(mean: DVector<f64>, covariance: &DMatrix<f64>) -> Option<Normal> {
        Some(Normal { mean, factor: covariance.clone().cholesky()?.l() })
    }

    /// Log density at a point (n).
    pub fn log_density(&self, y: &[f64]) -> f64 {
        let apart = DVector::from_column_slice(y) - &self.mean;
        let Some(scaled) = self.factor.solve_lower_triangular(&apart) else {
            return f64::NEG_INFINITY;
        };
        let volume: f64 = self.factor.diagonal().iter().map(|x| x.ln()).sum();
        let turns = 0.5 * y.len() as f64 * std::f64::consts::TAU.ln();
        -0.5 * scaled.norm_squared() - volume - turns
    }

    /// `count` points (count,n), row by row; point i is a function of (seed, i).
    pub fn draws(&self, count: usize, seed: u64) -> Vec<f64> {
        let n = self.mean.len();
        let mut draws = Vec::with_capacity(n * count);
        for i in 0..count {
            let point = &self.factor * DVector::from_vec(deviates(n, seed, i)) + &self.mean;
            draws.extend_from_slice(point.as_slice());
        }
        draws
    }
}

/// `n` independent standard normal numbers, a function of `seed` and the number `i`.
pub fn deviates(n: usize, seed: u64, i: usize) -> Vec<f64> {
    normal::deviates(&Stream::new(seed, i as u64), 1, Purpose::User, n)
}
