//! A Rosenbrock method of order 3 for stiff equations, with an embedded one of order 2.

use nalgebra::{DMatrix, DVector};

const GAMMA: f64 = 0.5;
/// Weights of earlier stages in the state of a stage, and in its right-hand side times `h`.
const A: [[f64; 3]; 4] = [[0.0; 3], [0.0; 3], [2.0, 0.0, 0.0], [2.0, 0.0, 1.0]];
const C: [[f64; 3]; 4] = [[0.0; 3], [4.0, 0.0, 0.0], [1.0, -1.0, 0.0], [1.0, -1.0, -8.0 / 3.0]];
/// Weights of the stages in the step.
const M: [f64; 4] = [2.0, 0.0, 1.0, 1.0];

/// A step of length `h` of `y' = f(y)` from `y`, where `f(y) = slope` has the Jacobian `jacobian`;
/// and the error of the embedded method. `None` where a matrix is singular.
///
/// Stage i solves `(I / (h g) - J) U_i = f(y + sum_j a_ij U_j) + sum_j c_ij U_j / h`; the step is
/// `y + sum_i m_i U_i`, its error `U_4`. L-stable and stiffly accurate. Source: RODAS3 of A. Sandu,
/// J. G. Verwer, J. G. Blom, E. J. Spee, G. R. Carmichael, F. A. Potra: Benchmarking stiff ODE
/// solvers for atmospheric chemistry problems II: Rosenbrock solvers. Atmospheric Environment 31
/// (1997), in the form without products by the Jacobian.
pub fn step(
    f: impl Fn(&DVector<f64>) -> DVector<f64>,
    y: &DVector<f64>,
    slope: &DVector<f64>,
    jacobian: &DMatrix<f64>,
    h: f64,
) -> Option<(DVector<f64>, DVector<f64>)> {
    let mut matrix = -jacobian.clone();
    for i in 0..y.len() {
        matrix[(i, i)] += 1.0 / (h * GAMMA);
    }
    let lu = matrix.lu();
    let mut stages: Vec<DVector<f64>> = Vec::with_capacity(4);
    for i in 0..4 {
        let mut at = y.clone();
        let mut right = DVector::zeros(y.len());
        for (j, stage) in stages.iter().enumerate() {
            at.axpy(A[i][j], stage, 1.0);
            right.axpy(C[i][j] / h, stage, 1.0);
        }
        // The second stage is evaluated at the state of the first.
        right += if A[i] == [0.0; 3] { slope.clone() } else { f(&at) };
        stages.push(lu.solve(&right)?);
    }
    let mut next = y.clone();
    for (m, stage) in M.iter().zip(&stages) {
        next.axpy(*m, stage, 1.0);
    }
    Some((next, stages.swap_remove(3)))
}
