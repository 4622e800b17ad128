//! Checks the claim that a function never rises along the law, in arithmetic that rounds up.

use nalgebra::{DMatrix, DVector};

use super::absence;
use super::cells::{Push, PushState, Pushes};
use super::fan::{Fan, free};
use super::finder::{Candidate, Claim};
use crate::bounds::rounding::{Sum, up};
use carom_core::cones::conic::{Stop, stopped};

/// Largest rise of a function along the law, per unit of normal impulse over `|v-|_M`, for each
/// contact (m). Infinite where the rounding of a face is too large to tell, where a face is claimed
/// to be absent and is not, and where the flag is raised.
///
/// On a face the gradient `p` solves `r.p = V(r)` for its rays. The computed `p` leaves a residual
/// `e`; with an approximate inverse `X` of the matrix `R` of the rays and `|1 - R X| < 1/2` the
/// exact gradient differs from it by at most `2 |X| |e|`.
pub fn rises(fan: &Fan, cells: &Pushes, candidate: &Candidate, stop: &Stop) -> Vec<f64> {
    let unproved = || vec![f64::INFINITY; cells.contacts];
    let mut rises = vec![0.0_f64; cells.contacts];
    let faces = fan.faces(cells);
    if faces.len() != candidate.claims.len() {
        return unproved();
    }
    for (face, claim) in faces.iter().zip(&candidate.claims) {
        if stopped(stop) {
            return unproved();
        }
        let slopes = match claim {
            Claim::Falls(slopes) => slopes,
            Claim::Absent(weights) if absence::shows(cells, fan, &face.rays, weights) => continue,
            Claim::Absent(_) => return unproved(),
        };
        let free = free(cells, &face.states);
        let Some((mut p, error)) =
            gradient(fan, &face.rays, &free, cells.dimension(), &candidate.values)
        else {
            return unproved();
        };
        let held = (0..cells.contacts).filter(|&i| face.states[i] == PushState::Stick);
        for (i, slope) in held.zip(slopes) {
            if let Some(t) = cells.tangent[i] {
                p[t] = *slope;
            }
        }
        let steep =
            up(p.iter().map(|x| x.abs()).sum::<f64>() * (1.0 + 1e-12) + error * free.len() as f64);
        for (i, &state) in face.states.iter().enumerate() {
            for Push { along: push, .. } in cells.pushes(i, state) {
                let off = up(error * push.iter().map(|x| x.abs()).sum::<f64>() * (1.0 + 1e-12));
                let rise = up(Sum::of(p.iter().zip(push.iter())).most()
                    + off
                    + up(steep * cells.blur * cells.reach[i]));
                rises[i] = rises[i].max(rise);
            }
        }
    }
    rises
}

/// The largest sum of absolute slopes of a cone: `|V(a) - V(b)|` is at most that times the largest
/// `|a_k - b_k|`.
pub fn steepest(fan: &Fan, cells: &Pushes, candidate: &Candidate) -> f64 {
    let all: Vec<usize> = (0..cells.dimension()).collect();
    let slopes = |rays: &[usize]| match gradient(fan, rays, &all, all.len(), &candidate.values) {
        Some((p, error)) => up(p.iter().map(|x| x.abs() + error).sum::<f64>() * (1.0 + 1e-12)),
        None => f64::INFINITY,
    };
    fan.cones.iter().map(|cone| slopes(&cone.rays)).fold(0.0, f64::max)
}

/// The gradient on the free coordinates of a face, 0 on the others, and the largest error of each
/// entry.
fn gradient(
    fan: &Fan,
    rays: &[usize],
    free: &[usize],
    dimension: usize,
    values: &[f64],
) -> Option<(DVector<f64>, f64)> {
    let k = free.len();
    let matrix = DMatrix::from_fn(k, k, |r, c| fan.rays[rays[r]].along[free[c]]);
    let inverse = matrix.clone().try_inverse()?;
    let rounded = rays.iter().map(|&ray| fan.rays[ray].error).fold(0.0, f64::max);
    // |1 - R X| for the exact rays, with the rounding of the product.
    let size = |x: &DMatrix<f64>| {
        x.row_iter().map(|row| row.iter().map(|x| x.abs()).sum::<f64>()).fold(0.0, f64::max)
    };
    let identity = DMatrix::identity(k, k) - &matrix * &inverse;
    let rounding =
        (2.0 * k as f64 * f64::EPSILON * size(&matrix) + k as f64 * rounded) * size(&inverse);
    if up(size(&identity) + rounding + f64::EPSILON * k as f64) >= 0.5 {
        return None;
    }
    let p = &inverse * DVector::from_fn(k, |r, _| values[rays[r]]);
    let mut residual: f64 = 0.0;
    for r in 0..k {
        let mut sum = Sum::of(matrix.row(r).iter().zip(p.iter()));
        sum.add(-values[rays[r]]);
        residual = residual.max(up(sum.most_absolute() + rounded * up(k as f64 * p.amax())));
    }
    let mut all = DVector::zeros(dimension);
    free.iter().zip(p.iter()).for_each(|(&at, &x)| all[at] = x);
    Some((all, up(2.0 * up(size(&inverse) * (1.0 + 1e-12)) * residual)))
}

/// The weights `q` of dimensionless velocities, cone by cone, with `q.u <= V(u)` on each cone in
/// which the impact may end. `None` where rounding forbids it.
pub fn ends(fan: &Fan, cells: &Pushes, candidate: &Candidate) -> Option<Vec<DVector<f64>>> {
    fan.ends(cells.contacts).map(|cone| end(fan, candidate, &cone.rays)).collect()
}

fn end(fan: &Fan, candidate: &Candidate, rays: &[usize]) -> Option<DVector<f64>> {
    let k = rays.len();
    let matrix = DMatrix::from_fn(k, k, |r, c| fan.rays[rays[r]].along[c]);
    let inverse = matrix.try_inverse()?;
    let mut margin = 1e-13;
    while margin < 1e-3 {
        let q = &inverse
            * DVector::from_fn(k, |r, _| {
                candidate.below[rays[r]].min(candidate.values[rays[r]]) - margin
            });
        let below = rays.iter().all(|&ray| {
            let along = Sum::of(fan.rays[ray].along.iter().zip(q.iter())).most();
            up(along + fan.rays[ray].error * up(k as f64 * q.amax())) <= candidate.values[ray]
        });
        if below {
            return Some(q);
        }
        margin *= 10.0;
    }
    None
}
