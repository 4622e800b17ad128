//! How far the outcomes of two orders of impacts lie apart.

use carom_core::problem::ContactProblem;
use nalgebra::{DMatrix, DVector};

/// `xi` of the two admissible orders of two contacts, from `M`, `Jn` and `v` alone.
pub fn xi(problem: &ContactProblem) -> f64 {
    let spec = problem.spec();
    let n = spec.velocity.len();
    let inverse = DMatrix::from_fn(n, n, |i, j| spec.mass[i][j]).try_inverse().unwrap();
    let mass = inverse.clone().try_inverse().unwrap();
    let normals: Vec<DVector<f64>> =
        spec.normal.iter().map(|row| DVector::from_vec(row.clone())).collect();
    let before = &mass * DVector::from_vec(spec.velocity.clone());
    let inner = |a: &DVector<f64>, b: &DVector<f64>| a.dot(&(&inverse * b));
    let after = |mut next: usize| {
        let mut p = before.clone();
        while normals.iter().any(|u| inner(&p, u) < -1e-9) {
            let u = &normals[next];
            if inner(&p, u) < 0.0 {
                p -= u * (2.0 * inner(&p, u) / inner(u, u));
            }
            next = 1 - next;
        }
        p
    };
    let apart = after(0) - after(1);
    (inner(&apart, &apart) / inner(&before, &before)).sqrt()
}
