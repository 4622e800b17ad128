//! Every basic solution of a small linear complementarity problem, by brute force: an oracle for
//! tests.

use nalgebra::{DMatrix, DVector};

/// All solutions `z` of `0 <= z _|_ q + M z >= 0` that a regular complementary basis gives, to
/// tolerance `tol`.
///
/// Tries all 2^N bases: for each i, either `z_i` or `w_i` is zero. A solution of several bases
/// appears once for each. Cost: 2^N solves of size N; N <= 20. Source: the definition, \[CPS92\]
/// Sec. 1.3.
pub fn enumerate(m: &DMatrix<f64>, q: &DVector<f64>, tol: f64) -> Vec<DVector<f64>> {
    let n = q.len();
    assert!(n <= 20, "enumeration over 2^{n} bases");
    let mut found = Vec::new();
    for basis in 0u32..1 << n {
        let chosen = |j: usize| basis >> j & 1 == 1;
        // Columns: -M_j where z_j may be positive, e_j where w_j may.
        let a = DMatrix::from_fn(n, n, |i, j| match (chosen(j), i == j) {
            (true, _) => -m[(i, j)],
            (false, true) => 1.0,
            (false, false) => 0.0,
        });
        let Some(x) = a.full_piv_lu().solve(q) else { continue };
        let z = DVector::from_fn(n, |j, _| if chosen(j) { x[j] } else { 0.0 });
        let w = m * &z + q;
        if (0..n).all(|i| z[i] >= -tol && w[i] >= -tol && z[i].min(w[i]).abs() <= tol) {
            found.push(z);
        }
    }
    found
}
