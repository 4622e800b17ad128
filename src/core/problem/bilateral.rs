//! Bilateral constraints: joints and other equations `Jb v = 0` before, during and after the
//! impact. A velocity that violates them is projected first.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use super::Uncertainty;
use crate::{Error, Result};

/// Relative size of singular values, over the largest one, below which rows are dependent.
const DEPENDENT: f64 = 1e-12;

/// Relative violation of a constraint, over the largest entries of its row and the velocity, that
/// counts as rounding.
const KEPT: f64 = 1e-9;

/// The Jacobian projected onto the constraints: `J P` with `P = I - M^-1 Jb' (Jb M^-1 Jb')^+ Jb`.
///
/// For velocities that satisfy the constraints `J P v = J v`. An impulse `L` at the contacts
/// changes the velocity by `M^-1 (J P)' L = P M^-1 J' L`, which includes the impulse of the
/// constraints, so every law with `J P` instead of `J` satisfies them. Computed in the coordinates
/// `L' v` with `M = L L'`, where P is orthogonal. `None` where numbers overflow.
pub(super) fn kept(
    mass: &Cholesky<f64, Dyn>,
    bilateral: &DMatrix<f64>,
    jacobian: &DMatrix<f64>,
) -> Option<DMatrix<f64>> {
    let factor = mass.l();
    let whitened = |rows: &DMatrix<f64>| factor.solve_lower_triangular(&rows.transpose());
    let rows = whitened(jacobian)?;
    let svd = whitened(bilateral)?.svd(true, false);
    let basis = svd.u?;
    let most = svd.singular_values.max();
    let mut left = rows.clone();
    for (direction, size) in basis.column_iter().zip(svd.singular_values.iter()) {
        if *size > DEPENDENT * most {
            let along = left.tr_mul(&direction);
            left.ger(-1.0, &direction.into_owned(), &along, 1.0);
        }
    }
    // A component removed completely by the constraints becomes exactly 0.
    for (mut row, before) in left.column_iter_mut().zip(rows.column_iter()) {
        if row.norm() <= DEPENDENT * before.norm() {
            row.fill(0.0);
        }
    }
    Some((factor * left).transpose())
}

/// Whether a velocity satisfies the constraints.
pub(super) fn holds(bilateral: &[Vec<f64>], velocity: &[f64]) -> bool {
    let largest = |numbers: &[f64]| numbers.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
    bilateral.iter().all(|row| {
        let sum: f64 = row.iter().zip(velocity).map(|(a, v)| a * v).sum();
        sum.abs() <= KEPT * largest(row) * largest(velocity)
    })
}

/// The projected velocity `P v`, and the constraint impulse of least norm that leads to it: `M (P v
/// - v) = Jb' pi`.
///
/// Source: \[USD15\] (2.1b), without the impulses at contacts, which come later. A velocity of the
/// size of rounding errors becomes 0. `None` where numbers overflow.
pub(super) fn repaired(
    mass: &Cholesky<f64, Dyn>,
    bilateral: &DMatrix<f64>,
    velocity: &DVector<f64>,
) -> Option<(DVector<f64>, DVector<f64>)> {
    let factor = mass.l();
    let svd = factor.solve_lower_triangular(&bilateral.transpose())?.svd(true, true);
    let (basis, rows) = (svd.u?, svd.v_t?);
    let most = svd.singular_values.max();
    let before = factor.tr_mul(velocity);
    let (mut left, mut impulse) = (before.clone(), DVector::zeros(bilateral.nrows()));
    for (i, &size) in svd.singular_values.iter().enumerate() {
        if size > DEPENDENT * most {
            let along = basis.column(i).dot(&left);
            left.axpy(-along, &basis.column(i), 1.0);
            impulse.axpy(-along / size, &rows.row(i).transpose(), 1.0);
        }
    }
    if left.norm() <= DEPENDENT * before.norm() {
        left.fill(0.0);
    }
    Some((factor.tr_solve_lower_triangular(&left)?, impulse))
}

/// Refuses uncertain parameters with which constraints would not hold.
pub(super) fn certain(bilateral: &[Vec<f64>], uncertainty: &Uncertainty) -> Result<()> {
    if bilateral.is_empty() || uncertainty.inertia.is_empty() && uncertainty.noise == 0.0 {
        return Ok(());
    }
    let what = "uncertain inertia and noise of the velocity do not keep bilateral constraints";
    Err(Error::input(what)
        .at("uncertainty")
        .hint("leave them out; friction and restitution may be uncertain"))
}
