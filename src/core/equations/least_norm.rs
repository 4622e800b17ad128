//! Linear equations with many solutions, or none.

use nalgebra::{DMatrix, DVector};

/// Relative size of a pivot below which the rank ends.
const CUTOFF: f64 = 1e-11;

/// The shortest `x` for which `|A x - b|` is smallest, by complete orthogonal decomposition:
/// `A P = Q R` with the columns in decreasing order, the first `r` rows of `R` as `R' = Q2 R2`
/// transposed, and `x = P Q2 R2'^-1 Q'b`.
///
/// Shapes: `A` (k,n), `b` (k). Guarantee: always ends; not finite where `A` or `b` is not.
/// Accuracy: pivots below 1e-11 of the largest count as 0.
pub fn least_norm(a: DMatrix<f64>, b: &DVector<f64>) -> DVector<f64> {
    let n = a.ncols();
    let factors = a.col_piv_qr();
    let r = factors.r();
    let largest = r.diagonal().amax();
    let rank = r.diagonal().iter().take_while(|pivot| pivot.abs() > CUTOFF * largest).count();
    let mut x = DVector::zeros(n);
    if rank > 0 {
        let mut c = b.clone();
        factors.q_tr_mul(&mut c);
        let second = r.rows(0, rank).transpose().qr();
        let mut c = c.rows(0, rank).into_owned();
        if second.r().tr_solve_upper_triangular_mut(&mut c) {
            x = second.q() * c;
        }
    }
    factors.p().inv_permute_rows(&mut x);
    x
}
