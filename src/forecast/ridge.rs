//! Kernel ridge regression: a smooth function of several numbers from examples.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use carom_core::error::{Error, Result};

/// A kernel ridge regression with a Gaussian kernel, fitted to examples:
///
/// ```text
/// f(x) = b + sum_j k(x, x_j) a_j,   k(x, z) = exp(-|x - z|^2 / (2 h^2 F)),
/// (K + ridge I) a = y - b,
/// ```
///
/// for F features in units of their standard deviations, and `b` the mean of the targets `y`.
///
/// Source: \[SS02\] Sec. 4.6; the residuals of left-out groups are those of \[RW06\] Sec. 5.4.2,
/// for blocks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ridge {
    /// Bandwidth `h`.
    pub bandwidth: f64,
    /// The ridge.
    pub ridge: f64,
    /// Means of the features (F).
    pub centre: Vec<f64>,
    /// Standard deviations of the features (F); 1 where a feature is constant.
    pub scale: Vec<f64>,
    /// Means of the targets (T).
    pub mean: Vec<f64>,
    /// Examples in units of the scales (N,F).
    pub examples: Vec<Vec<f64>>,
    /// Coefficients `a` (N,T).
    pub weights: Vec<Vec<f64>>,
}

/// Fitted regression with its cross-validation residuals.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// Regression on all examples.
    pub ridge: Ridge,
    /// Targets minus predictions of a regression without the example's group (N,T).
    pub left_out: DMatrix<f64>,
}

impl Ridge {
    /// Grid of bandwidths.
    pub const BANDWIDTHS: [f64; 4] = [0.7, 1.2, 2.0, 3.5];
    /// Grid of ridges.
    pub const RIDGES: [f64; 4] = [3e-3, 1e-2, 3e-2, 1e-1];

    /// Fits examples: features (N,F), targets (N,T). Bandwidth and ridge minimise the mean norm of
    /// the leave-group-out residuals; `groups` (N) are group numbers.
    ///
    /// # Errors
    /// No example, or numbers that are not finite.
    pub fn fit(inputs: &DMatrix<f64>, targets: &DMatrix<f64>, groups: &[usize]) -> Result<Fitted> {
        Ridge::fit_among(inputs, targets, groups, &Ridge::BANDWIDTHS, &Ridge::RIDGES)
    }

    /// Fits examples with one of the `bandwidths` and one of the `ridges`.
    ///
    /// # Errors
    /// See [`Ridge::fit`].
    pub fn fit_among(
        features: &DMatrix<f64>,
        targets: &DMatrix<f64>,
        groups: &[usize],
        bandwidths: &[f64],
        ridges: &[f64],
    ) -> Result<Fitted> {
        if features.nrows() == 0 || !features.iter().chain(targets.iter()).all(|x| x.is_finite()) {
            return Err(Error::input("a regression takes one or more examples of finite numbers"));
        }
        let (centre, scale) = standard(features);
        let examples = DMatrix::from_fn(features.nrows(), features.ncols(), |i, j| {
            (features[(i, j)] - centre[j]) / scale[j]
        });
        let mean: Vec<f64> = targets.column_iter().map(|target| target.mean()).collect();
        let y =
            DMatrix::from_fn(targets.nrows(), targets.ncols(), |i, j| targets[(i, j)] - mean[j]);
        let squares = squares(&examples);
        let choices: Vec<(f64, f64)> =
            bandwidths.iter().flat_map(|h| ridges.iter().map(move |r| (*h, *r))).collect();
        let fitted = |&(bandwidth, ridge): &(f64, f64)| {
            let solved = solve(&squares, bandwidth * bandwidth * features.ncols() as f64, ridge)?;
            let left_out = left_out(&solved, &y, groups)?;
            let loss = left_out.row_iter().map(|row| row.norm()).sum::<f64>();
            Some((loss, bandwidth, ridge, solved.solve(&y), left_out))
        };
        let best = choices.par_iter().filter_map(fitted).min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((_, bandwidth, ridge, weights, left_out)) = best else {
            return Err(Error::input("no ridge makes the kernel matrix positive definite"));
        };
        let rows = |of: &DMatrix<f64>| of.row_iter().map(|r| r.iter().copied().collect()).collect();
        let (examples, weights) = (rows(&examples), rows(&weights));
        let ridge = Ridge { bandwidth, ridge, centre, scale, mean, examples, weights };
        Ok(Fitted { ridge, left_out })
    }

    /// Value of the function (T) at features (F).
    pub fn predict(&self, features: &[f64]) -> Vec<f64> {
        let numbers = features.iter().zip(&self.centre).zip(&self.scale);
        let x: Vec<f64> = numbers.map(|((x, centre), scale)| (x - centre) / scale).collect();
        let width = self.bandwidth * self.bandwidth * x.len() as f64;
        let mut value = self.mean.clone();
        for (example, weights) in self.examples.iter().zip(&self.weights) {
            let square: f64 = x.iter().zip(example).map(|(a, b)| (a - b) * (a - b)).sum();
            let near = kernel(square, width);
            value.iter_mut().zip(weights).for_each(|(value, weight)| *value += near * weight);
        }
        value
    }
}

fn kernel(square: f64, width: f64) -> f64 {
    (-0.5 * square / width).exp()
}

fn standard(features: &DMatrix<f64>) -> (Vec<f64>, Vec<f64>) {
    let scale =
        |deviation: f64, mean: f64| if deviation > 1e-9 * mean.abs() { deviation } else { 1.0 };
    let columns = features.column_iter();
    columns.map(|of| (of.mean(), scale(of.variance().sqrt(), of.mean()))).unzip()
}

/// Squared distances of all pairs of rows.
fn squares(rows: &DMatrix<f64>) -> DMatrix<f64> {
    let products = rows * rows.transpose();
    DMatrix::from_fn(rows.nrows(), rows.nrows(), |i, j| {
        (products[(i, i)] + products[(j, j)] - 2.0 * products[(i, j)]).max(0.0)
    })
}

fn solve(squares: &DMatrix<f64>, width: f64, ridge: f64) -> Option<Cholesky<f64, Dyn>> {
    let mut matrix = squares.map(|square| kernel(square, width));
    (0..matrix.nrows()).for_each(|i| matrix[(i, i)] += ridge);
    matrix.cholesky()
}

/// Leave-group-out residuals (N,T): `(A_gg)^-1 (A y)_g` for group g, with `A` the inverse of the
/// factored matrix.
fn left_out(solved: &Cholesky<f64, Dyn>, y: &DMatrix<f64>, of: &[usize]) -> Option<DMatrix<f64>> {
    let (inverse, weights) = (solved.inverse(), solved.solve(y));
    let mut residuals = DMatrix::zeros(y.nrows(), y.ncols());
    for members in members(of) {
        let block = inverse.select_rows(&members).select_columns(&members).cholesky()?;
        let of_group = block.solve(&weights.select_rows(&members));
        for (i, row) in members.into_iter().zip(of_group.row_iter()) {
            residuals.set_row(i, &row);
        }
    }
    Some(residuals)
}

/// Indices of each group's members.
pub fn members(groups: &[usize]) -> Vec<Vec<usize>> {
    let mut members: std::collections::BTreeMap<usize, Vec<usize>> = Default::default();
    groups.iter().enumerate().for_each(|(i, group)| members.entry(*group).or_default().push(i));
    members.into_values().collect()
}

/// Examples as a matrix, row by row.
pub fn rows(rows: &[DVector<f64>]) -> DMatrix<f64> {
    let columns = rows.first().map_or(0, |row| row.len());
    DMatrix::from_fn(rows.len(), columns, |i, j| rows[i][j])
}
