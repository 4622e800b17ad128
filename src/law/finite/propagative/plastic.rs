//! Plastic impacts without friction: after the impulse no contact approaches, and closed contacts
//! rest.

use nalgebra::{DMatrix, DVector};

use super::reflections::Reflections;
use carom_core::Lemke;
use carom_core::lcp::cone;

/// Largest error of the equations of the plastic outcome, relative to the velocity before.
const PLASTIC: f64 = 1e-10;

/// The impulse (m) that brings every contact to rest: an impulse without tension if one exists,
/// else the impulse of least norm.
///
/// Source: \[SM14\] (11). Deviation: the normals may be linearly dependent; (10) may then have a
/// solution without tension although the solution of least norm has tension.
pub fn projection(reflections: &Reflections) -> Vec<f64> {
    let m = reflections.start.len();
    let w = DMatrix::from_fn(m, m, |i, j| reflections.step.w[i * 2 * m + j]);
    let b = -DVector::from_column_slice(&reflections.start);
    let (l, distance) = cone::nonnegative(&w, &b);
    if distance <= PLASTIC * b.norm() {
        return l.as_slice().to_vec();
    }
    let eigen = w.symmetric_eigen();
    let least = 1e-11 * eigen.eigenvalues.amax();
    let mut l = DVector::zeros(m);
    for (value, vector) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
        if *value > least {
            l.axpy(vector.dot(&b) / value, &vector, 1.0);
        }
    }
    l.as_slice().to_vec()
}

/// The impulse (m) of the plastic outcome without tension: `0 <= ln _|_ u+_n >= 0`.
pub fn unilateral(reflections: &Reflections) -> Vec<f64> {
    let Reflections { step, start, .. } = reflections;
    let m = start.len();
    let mut l = vec![0.0; m];
    // W is positive semidefinite, so Lemke's method solves the problem.
    Lemke::new(m).solve(|i, j| step.w[i * 2 * m + j], |i| start[i], |_| 1.0, &mut l);
    l.iter_mut().for_each(|l| *l = l.max(0.0));
    l
}

/// Whether an impulse (m) has tension anywhere, beyond rounding.
pub fn pulls(l: &[f64]) -> bool {
    let size = l.iter().fold(0.0, |size: f64, l| size.max(l.abs()));
    l.iter().any(|&l| l < -1e-9 * size)
}
