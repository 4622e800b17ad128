//! Points of a polyhedral cone, as nonnegative combinations of given columns.

use nalgebra::{DMatrix, DVector};

/// The `x >= 0` that minimises `|A x - b|`, and the minimum. Columns with positive `x_j` are
/// linearly independent.
///
/// Shapes: `A` (r,n), `b` (r); columns of about equal size serve best. `A` may have any rank.
/// Guarantee: at most `10 n + 10` columns enter; in exact arithmetic the method ends before that.
/// The caller checks the distance. Source: \[LH74\] algorithm NNLS, Sec. 23.3. Deviation: a column
/// that enters only because of rounding is set aside until another column enters. Cost: one QR
/// factorisation per entering or leaving column.
pub fn nonnegative(a: &DMatrix<f64>, b: &DVector<f64>) -> (DVector<f64>, f64) {
    let n = a.ncols();
    let mut x = DVector::zeros(n);
    let mut inside: Vec<usize> = Vec::new();
    let mut aside = vec![false; n];
    for _ in 0..10 * n + 10 {
        let rest = b - a * &x;
        let gain = |j: usize| a.column(j).dot(&rest) - 1e-15 * a.column(j).norm() * b.norm();
        let entering = (0..n)
            .filter(|j| !inside.contains(j) && !aside[*j] && gain(*j) > 0.0)
            .max_by(|&i, &j| gain(i).total_cmp(&gain(j)));
        let Some(j) = entering else { break };
        inside.push(j);
        let Some(mut z) = least_squares(a, b, &inside).filter(|z| z[z.len() - 1] > 0.0) else {
            inside.pop();
            aside[j] = true;
            continue;
        };
        aside.fill(false);
        while z.iter().any(|&z| z <= 0.0) {
            let step = |k: usize| x[inside[k]] / (x[inside[k]] - z[k]);
            let blocking = (0..z.len()).filter(|&k| z[k] <= 0.0);
            let Some(first) = blocking.min_by(|&k, &l| step(k).total_cmp(&step(l))) else { break };
            let along = step(first);
            for (k, &j) in inside.iter().enumerate() {
                x[j] += along * (z[k] - x[j]);
            }
            x[inside[first]] = 0.0;
            inside.retain(|&j| x[j] > 0.0);
            let stay = || DVector::from_iterator(inside.len(), inside.iter().map(|&j| x[j]));
            z = least_squares(a, b, &inside).unwrap_or_else(stay);
        }
        x.fill(0.0);
        for (k, &j) in inside.iter().enumerate() {
            x[j] = z[k].max(0.0);
        }
    }
    let distance = (a * &x - b).norm();
    (x, distance)
}

/// The `z` that minimises `|A_inside z - b|`; `None` without columns, or if they are linearly
/// dependent.
fn least_squares(a: &DMatrix<f64>, b: &DVector<f64>, inside: &[usize]) -> Option<DVector<f64>> {
    if inside.is_empty() || inside.len() > a.nrows() {
        return None;
    }
    let qr = a.select_columns(inside).qr();
    let r = qr.r();
    let size = r.diagonal().amax();
    let independent = r.diagonal().iter().all(|d| d.abs() > 1e-14 * size);
    if !independent {
        return None;
    }
    r.solve_upper_triangular(&(qr.q().transpose() * b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_inside_and_outside() {
        let a = DMatrix::from_row_slice(2, 3, &[1.0, 1.0, -1.0, 0.0, 1.0, 0.0]);
        let (x, distance) = nonnegative(&a, &DVector::from_row_slice(&[3.0, 2.0]));
        assert!(distance < 1e-14 && x.min() >= 0.0 && (&a * &x)[0] - 3.0 < 1e-14);
        let (x, distance) = nonnegative(&a, &DVector::from_row_slice(&[-1.0, -2.0]));
        assert!((distance - 2.0).abs() < 1e-14 && (x[2] - 1.0).abs() < 1e-14);
        assert_eq!(nonnegative(&a, &DVector::zeros(2)), (DVector::zeros(3), 0.0));
    }
}
