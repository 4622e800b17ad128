//! Near-singular contact blocks: opposed contacts whose Jacobian rows are nearly, but not exactly,
//! dependent.

use nalgebra::DVector;

use super::bounds::whitened::Whitened;
use carom_core::outcome::hull;
use carom_core::problem::ContactProblem;

/// Relative threshold of dependence in doubles: its square is lost to rounding in the Delassus
/// matrix.
pub const IN_DOUBLES: f64 = 1e-7;
/// Relative threshold of dependence in the inclusion. By trial: at its accuracy samples between
/// opposed contacts have been wrong from angles of 1e-4 on.
pub const IN_INCLUSION: f64 = 1e-3;
/// Number of friction directions that replace a circular cone.
const DIRECTIONS: u32 = 8;
/// Prime modulus of the rank computation: 2^61 - 1.
pub const PRIME: u128 = (1 << 61) - 1;

/// First contact whose rows depend on the rows before it up to the relative tolerance `limit`, but
/// not exactly, if impulses within the friction cones push against each other and nearly cancel.
///
/// At this accuracy the continuation of such an impact after sticking of all its contacts is
/// undetermined. Samples end there. The exact set, in exact arithmetic, has further motions, by
/// impulses of any size.
pub fn nearly_wedged(problem: &ContactProblem, limit: f64) -> Option<usize> {
    let (m, n) = (problem.contact_count(), problem.coordinate_count());
    let d = problem.tangents_per_contact();
    let columns = Whitened::new(problem)?.columns(problem);
    let tangents = |i: usize| m + d * i..m + d * (i + 1);
    let edge = |(i, turn): (usize, u32)| {
        let angle = std::f64::consts::TAU * f64::from(turn) / f64::from(DIRECTIONS);
        let parts = [angle.cos(), angle.sin()];
        let mut edge = columns.column(i).into_owned();
        for (row, part) in tangents(i).zip(parts) {
            edge.axpy(problem.friction()[i] * part, &columns.column(row), 1.0);
        }
        &edge / edge.norm()
    };
    let edges: Vec<DVector<f64>> =
        (0..m).flat_map(|i| (0..DIRECTIONS).map(move |turn| (i, turn))).map(edge).collect();
    let points: Vec<Vec<_>> = (0..n).map(|k| edges.iter().map(|edge| edge[k]).collect()).collect();
    // Usually the cones point to one side, and ranks do not matter.
    if hull::distance(&points, &vec![0.0; n]) > limit {
        return None;
    }
    let (mut near, mut exact) = (Vec::new(), Rank::default());
    (0..m).find(|&i| {
        for row in std::iter::once(i).chain(tangents(i)) {
            let column = columns.column(row);
            if column.norm() > 0.0 {
                span(&mut near, column / column.norm(), limit);
            }
            exact.add((0..n).map(|k| residue(problem.jacobian()[(row, k)])).collect());
        }
        near.len() < exact.rows.len()
    })
}

/// Adds a unit vector to an orthonormal basis unless the basis spans it.
fn span(basis: &mut Vec<DVector<f64>>, unit: DVector<f64>, limit: f64) {
    let mut rest = unit;
    for _ in 0..2 {
        for axis in basis.iter() {
            rest.axpy(-axis.dot(&rest), axis, 1.0);
        }
    }
    let length = rest.norm();
    if length > limit {
        basis.push(rest / length);
    }
}

/// Residue of a double modulo the prime.
pub fn residue(x: f64) -> u128 {
    let (bits, negative) = (x.abs().to_bits(), x < 0.0);
    let exponent = (bits >> 52) as i32;
    let whole = u128::from(bits & ((1 << 52) - 1) | u64::from(exponent > 0) << 52);
    // 2^61 is congruent to 1.
    let shift = (exponent.max(1) - 1075).rem_euclid(61);
    let size = whole * (1 << shift) % PRIME;
    if negative { (PRIME - size) % PRIME } else { size }
}

/// Row echelon form modulo the prime; its rank is at most the rank of the matrix.
#[derive(Clone, Debug, Default)]
pub struct Rank {
    /// Rows, each with its pivot column.
    pub rows: Vec<(usize, Vec<u128>)>,
}

impl Rank {
    /// Adds a row, unless the others span it.
    pub fn add(&mut self, mut row: Vec<u128>) {
        for (first, known) in &self.rows {
            let factor = row[*first];
            for (x, y) in row.iter_mut().zip(known) {
                *x = (*x + factor * (PRIME - y)) % PRIME;
            }
        }
        if let Some(first) = row.iter().position(|x| *x != 0) {
            let inverse = power(row[first], PRIME - 2);
            row.iter_mut().for_each(|x| *x = *x * inverse % PRIME);
            self.rows.push((first, row));
        }
    }
}

/// A power modulo the prime.
pub fn power(mut base: u128, mut exponent: u128) -> u128 {
    let mut product = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            product = product * base % PRIME;
        }
        base = base * base % PRIME;
        exponent >>= 1;
    }
    product
}
