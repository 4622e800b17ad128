//! Cones of contact velocities that no velocity of the system lies in: contact velocities can
//! depend on each other.

use nalgebra::{DMatrix, DVector};

use super::cells::{Pushes, ROUNDED};
use super::fan::Fan;
use crate::bounds::rounding::{Sum, up};
use carom_core::lcp::cone::nonnegative;

/// Weights `c` of the rows [`Pushes::never`] which show that no velocity but 0 lies in the cone of
/// these rays; `None` where no weights do.
///
/// Weights exist unless the origin lies in the hull of the points `N r` over all rays `r`, where
/// `N` has the rows: the nearest point of the hull is `c`.
pub fn witness(cells: &Pushes, fan: &Fan, rays: &[usize]) -> Option<DVector<f64>> {
    let count = cells.never.len();
    if count == 0 {
        return None;
    }
    let size = |row: &DVector<f64>| row.norm().max(f64::MIN_POSITIVE);
    let point = |ray: usize| {
        let along = &fan.rays[ray].along;
        DVector::from_fn(count, |a, _| {
            cells.never[a].dot(along) / (size(&cells.never[a]) * along.norm())
        })
    };
    let points: Vec<DVector<f64>> = rays.iter().map(|ray| point(*ray)).collect();
    let columns: Vec<DVector<f64>> = points.iter().map(|point| point.push(1.0)).collect();
    let (x, _) = nonnegative(&DMatrix::from_columns(&columns), &DVector::zeros(count).push(1.0));
    let nearest =
        points.iter().zip(x.iter()).fold(DVector::zeros(count), |sum, (point, x)| sum + point * *x);
    let weights = DVector::from_fn(count, |a, _| nearest[a] / size(&cells.never[a]));
    shows(cells, fan, rays, &weights).then_some(weights)
}

/// Whether the weights prove that the cone has no velocity but 0: all velocities have `w.u = 0` for
/// the weighted sum `w` of the rows, and all rays `w.r > 0`, rounding included.
pub fn shows(cells: &Pushes, fan: &Fan, rays: &[usize], weights: &DVector<f64>) -> bool {
    rays.iter().all(|ray| {
        let ray = &fan.rays[*ray];
        let (mut sum, mut off) = (Sum::default(), 0.0);
        for (row, weight) in cells.never.iter().zip(weights.iter()) {
            for (w, x) in row.iter().zip(ray.along.iter()) {
                sum.add(weight * w * x);
                off += (weight * w).abs() * (ray.error + ROUNDED * x.abs());
            }
        }
        sum.value() > up(sum.error() + off * (1.0 + 1e-9))
    })
}
