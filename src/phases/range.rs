//! The range of the Delassus matrix.

use carom_core::Real;
use nalgebra::{DMatrix, SymmetricEigen};

use crate::Impact;
use crate::array::{add, dot};

/// Largest number of contacts.
pub const MOST_CONTACTS: usize = 32;

/// Thresholds of the eigenvalues of `W`, relative to the largest: an eigenvalue below the first
/// counts as 0; one between the two leaves the rank undecided.
const RANK: [f64; 2] = [1e-13, 1e-11];

/// The factor `B` of `W = B B'`, with columns padded to P.
#[derive(Clone, Debug)]
pub struct Range<R, const P: usize> {
    /// Rank of `W`.
    pub rank: usize,
    /// The rows of `B`: normals (m), then two tangents of each contact.
    pub rows: Vec<[R; P]>,
    /// The inverses of the eigenvalues.
    inverse: [R; P],
}

/// A sample's problem in coordinates of the range.
pub struct Problem<'a, R, const P: usize> {
    /// Number of contacts, of rows, and rank.
    pub m: usize,
    pub k: usize,
    pub rank: usize,
    /// The rows of `B`.
    pub rows: &'a [[R; P]],
    /// Coefficients of friction and of restitution, larger tangential eigenvalues and approach
    /// thresholds (m each).
    pub mu: &'a [R],
    pub e: &'a [R],
    pub tops: &'a [R],
    pub rest: &'a [R],
}

/// Square roots of the positive eigenvalues of `w` (K,K), and eigenvectors times these roots;
/// `None` where rounding leaves the rank undecided.
pub fn factor(w: Vec<f64>) -> Option<Vec<(f64, Vec<f64>)>> {
    let k = w.len().isqrt();
    if !w.iter().all(|x| x.is_finite()) {
        return None;
    }
    let eigen = SymmetricEigen::new(DMatrix::from_vec(k, k, w));
    let most = eigen.eigenvalues.max();
    let [zero, clear] = RANK.map(|part| part * most);
    let open = |value: &f64| *value > zero && *value <= clear;
    if eigen.eigenvalues.iter().any(open) {
        return None;
    }
    let pairs = eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter());
    let columns = pairs.filter(|(value, _)| **value > clear).map(|(value, vector)| {
        let root = value.sqrt();
        (root, vector.iter().map(|x| x * root).collect())
    });
    Some(columns.collect())
}

impl<R: Real, const P: usize> Range<R, P> {
    /// The range with the columns of `B` (K each), at most P.
    pub fn new(columns: &[(f64, Vec<f64>)]) -> Self {
        let k = columns.first().map_or(0, |(_, column)| column.len());
        let (mut rows, mut inverse) = (vec![[R::ZERO; P]; k], [R::ZERO; P]);
        for (j, (root, column)) in columns.iter().enumerate() {
            inverse[j] = R::from_f64(1.0 / (root * root));
            rows.iter_mut().zip(column).for_each(|(row, x)| row[j] = R::from_f64(*x));
        }
        Range { rank: columns.len(), rows, inverse }
    }

    /// The coordinates of the contact velocity `u` (K).
    pub fn coordinates(&self, u: &[R]) -> [R; P] {
        let mut y = sum(&self.rows, u);
        y.iter_mut().zip(&self.inverse).for_each(|(y, inverse)| *y = *y * *inverse);
        y
    }

    /// The problem of a sample.
    pub fn problem<'a>(&'a self, impact: &Impact<'a, R>) -> Problem<'a, R, P> {
        let &Impact { mu, e, tops, rest, .. } = impact;
        let (m, k) = (mu.len(), self.rows.len());
        Problem { m, k, rank: self.rank, rows: &self.rows, mu, e, tops, rest }
    }
}

/// `B' l`: the change of coordinates by impulses `l` (K).
pub fn sum<R: Real, const P: usize>(rows: &[[R; P]], l: &[R]) -> [R; P] {
    let mut push = [R::ZERO; P];
    rows.iter().zip(l).for_each(|(row, l)| add(&mut push, *l, row));
    push
}

impl<R: Real, const P: usize> Problem<'_, R, P> {
    /// `u = B y`.
    #[inline(always)]
    pub fn velocities(&self, y: &[R; P], u: &mut [R]) {
        for (u, row) in u.iter_mut().zip(self.rows) {
            *u = dot(row, y);
        }
    }
}
