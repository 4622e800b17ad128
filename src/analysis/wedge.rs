//! Contacts that wedge each other, and whose rows are nearly dependent but not exactly.

use nalgebra::DVector;

use super::bounds::whitened::Whitened;
use carom_core::outcome::hull;
use carom_core::problem::ContactProblem;

/// What doubles cannot tell from dependent: its square vanishes beside 1 in the Delassus matrix.
pub const IN_DOUBLES: f64 = 1e-7;
/// What the inclusion does not tell from dependent. By trial: at its accuracy samples between
/// opposed contacts have been wrong from angles of 1e-4 on.
pub const IN_INCLUSION: f64 = 1e-3;
/// Directions of friction by which a round cone is taken.
const DIRECTIONS: u32 = 8;
/// Modulus of the rank, a prime: 2^61 - 1.
pub const PRIME: u128 = (1 << 61) - 1;

/// The first contact whose rows depend on those before it up to `limit`, a part of their length,
/// and not exactly, where impulses within the friction cones push against each other and nearly
/// cancel.
///
/// Numbers of this accuracy do not tell how such an impact goes on after all of these contacts
/// stick: samples end there, and the exact set, which takes the numbers as they are, has further
/// motions, by impulses of any size.
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
    // Where the cones point to one side, which is the usual case, ranks do not matter.
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

/// Adds a unit vector to an orthonormal basis unless it is in its span.
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

/// A double modulo the prime.
pub fn residue(x: f64) -> u128 {
    let (bits, negative) = (x.abs().to_bits(), x < 0.0);
    let exponent = (bits >> 52) as i32;
    let whole = u128::from(bits & ((1 << 52) - 1) | u64::from(exponent > 0) << 52);
    // 2^61 is 1.
    let shift = (exponent.max(1) - 1075).rem_euclid(61);
    let size = whole * (1 << shift) % PRIME;
    if negative { (PRIME - size) % PRIME } else { size }
}

/// Rows in echelon form modulo the prime, no more than independent rows of the matrix.
#[derive(Clone, Debug, Default)]
pub struct Rank {
    /// The rows, each with its first column.
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
