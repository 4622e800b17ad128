use std::collections::BTreeMap;

use nalgebra::DMatrix;

use carom_core::cones::conic::ConicRow;

/// Linear expression: weights of variables.
pub type Expression = Vec<(usize, f64)>;

/// Quadratic form `z' X z` with `X = C + sum_k x_k X_k`, symmetric.
pub struct Form {
    size: usize,
    constant: DMatrix<f64>,
    of: BTreeMap<usize, DMatrix<f64>>,
}

impl Form {
    /// Zero form of `size` coordinates.
    pub fn new(size: usize) -> Self {
        Form { size, constant: DMatrix::zeros(size, size), of: BTreeMap::new() }
    }

    pub fn size(&self) -> usize {
        self.size
    }

    /// Adds `weight (a.z) (b.z)` in the first coordinates, with numbers `a` and expressions `b`.
    pub fn add(&mut self, a: &[f64], b: &[Expression], weight: f64) {
        for (i, x) in a.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            for (j, expression) in b.iter().enumerate() {
                expression.iter().for_each(|(at, y)| self.entry(i, j, *at, weight * x * y));
            }
        }
    }

    /// Adds `x_at weight z_i z_j`.
    pub fn entry(&mut self, i: usize, j: usize, at: usize, weight: f64) {
        let size = self.size;
        let matrix = self.of.entry(at).or_insert_with(|| DMatrix::zeros(size, size));
        matrix[(i, j)] += 0.5 * weight;
        matrix[(j, i)] += 0.5 * weight;
    }

    /// Adds `number z_i z_j`.
    pub fn constant(&mut self, i: usize, j: usize, number: f64) {
        self.constant[(i, j)] += 0.5 * number;
        self.constant[(j, i)] += 0.5 * number;
    }

    pub fn negated(mut self) -> Self {
        self.constant.neg_mut();
        self.of.values_mut().for_each(|matrix| matrix.neg_mut());
        self
    }

    /// The form in the coordinates of an orthonormal basis.
    pub fn turned(&self, basis: &DMatrix<f64>) -> Form {
        let turn = |matrix: &DMatrix<f64>| basis.tr_mul(&(matrix * basis));
        Form {
            size: self.size,
            constant: turn(&self.constant),
            of: self.of.iter().map(|(at, matrix)| (*at, turn(matrix))).collect(),
        }
    }

    /// Program row for an entry of `X` times a number.
    pub fn row(&self, i: usize, j: usize, times: f64) -> ConicRow {
        let entries = self.of.iter().map(|(at, matrix)| (*at, -times * matrix[(i, j)]));
        (entries.collect(), times * self.constant[(i, j)])
    }

    pub fn value(&self, x: &[f64]) -> DMatrix<f64> {
        self.of.iter().fold(self.constant.clone(), |sum, (at, matrix)| sum + matrix * x[*at])
    }
}
