//! Checks of the mass matrix.

use nalgebra::{Cholesky, DMatrix, Dyn};

use crate::{Error, Result};

/// Fraction of the largest share from which on a coordinate takes part in a motion.
const TAKES_PART: f64 = 0.1;

/// The Cholesky factors of a symmetric positive definite matrix; `names`: its coordinates.
pub(super) fn factors(mass: &DMatrix<f64>, names: &[String]) -> Result<Cholesky<f64, Dyn>> {
    let n = mass.nrows();
    for i in 0..n {
        for j in 0..i {
            let (a, b) = (mass[(i, j)], mass[(j, i)]);
            let size = (mass[(i, i)].abs() * mass[(j, j)].abs()).sqrt().max(a.abs()).max(b.abs());
            if (a - b).abs() > 1e-9 * size {
                let what = format!("not symmetric: mass[{i}][{j}] = {a}, mass[{j}][{i}] = {b}");
                return Err(Error::input(what).at(format!("mass[{i}][{j}]")));
            }
        }
    }
    if let Some((pivot, value)) = bad_pivot(mass) {
        let moving: Vec<String> =
            moving(mass, pivot).into_iter().map(|j| format!("`{}`", names[j])).collect();
        return Err(Error::input(format!(
            "not positive definite: pivot {pivot} of its elimination is {value:e}; a motion of {} alone has no \
             kinetic energy, or less",
            moving.join(", ")
        ))
        .at("mass")
        .hint("a coordinate without inertia, or one counted twice, makes the mass matrix singular"));
    }
    mass.clone().cholesky().ok_or_else(|| Error::input("not positive definite").at("mass"))
}

/// The first pivot of symmetric elimination that is negative or, up to rounding, zero.
///
/// Pivot k is `v' M v` for row `v` of the inverse of the factor `L` in `M = L D L'`. Elimination is
/// exact for a matrix whose entries differ from `M_ij` by `(n + 1) eps sqrt(M_ii M_jj)` at most, so
/// that the sign of a pivot below `(n + 1) eps (sum_j |v_j| sqrt(M_jj))^2` is not known.
fn bad_pivot(mass: &DMatrix<f64>) -> Option<(usize, f64)> {
    let n = mass.nrows();
    let (mut a, mut inverse) = (mass.clone(), DMatrix::<f64>::identity(n, n));
    for k in 0..n {
        let pivot = a[(k, k)];
        for j in 0..k {
            let factor = a[(k, j)] / a[(j, j)];
            for i in 0..=j {
                inverse[(k, i)] -= factor * inverse[(j, i)];
            }
        }
        let size = (0..=k).map(|j| inverse[(k, j)].abs() * mass[(j, j)].abs().sqrt()).sum::<f64>();
        let positive = pivot > (n + 1) as f64 * f64::EPSILON * size.powi(2);
        if !positive {
            return Some((k, pivot));
        }
        for j in k + 1..n {
            let factor = a[(k, j)] / pivot;
            for i in k + 1..n {
                let change = factor * a[(i, k)];
                a[(i, j)] -= change;
            }
        }
    }
    None
}

/// The coordinates that take part in the motion whose kinetic energy is half the bad pivot k:
/// `v = (-A^-1 a, 1)`, where `A` is the leading block before k and `a` the column above the pivot.
fn moving(mass: &DMatrix<f64>, k: usize) -> Vec<usize> {
    let column = mass.view((0, k), (k, 1)).into_owned();
    let rates =
        mass.view((0, 0), (k, k)).into_owned().cholesky().map(|leading| leading.solve(&column));
    let size = |j: usize| rates.as_ref().map_or(0.0, |v| v[j].abs() * mass[(j, j)].sqrt());
    let most = (0..k).map(size).fold(mass[(k, k)].abs().sqrt(), f64::max);
    (0..k).filter(|&j| size(j) > 0.0 && size(j) >= TAKES_PART * most).chain([k]).collect()
}
