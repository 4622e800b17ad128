//! Proof checker: bounds the rise of a function along the law, in arithmetic that rounds up.

use nalgebra::{DMatrix, DVector};

use super::absence;
use super::cells::Pushes;
use super::fan::{Fan, FanFace, free};
use super::finder::Candidate;
use crate::bounds::rounding::{Sum, up};
use carom_core::cones::conic::Limits;

/// [Rises](absence::rises) of a function; infinite if the rounding on a face is too large.
///
/// On a face the gradient `p` solves `r.p = V(r)` for its rays. The computed `p` leaves a residual
/// `e`; with an approximate inverse `X` of the matrix `R` of the rays and `|1 - R X| < 1/2` the
/// exact gradient differs from it by at most `2 |X| |e|`.
pub fn rises(fan: &Fan, cells: &Pushes, candidate: &Candidate, limits: &Limits) -> Vec<f64> {
    let rise = |face: &FanFace, slopes: &[f64], rises: &mut [f64]| {
        let free = free(cells, &face.states);
        let (mut p, error) =
            gradient(fan, &face.rays, &free, cells.dimension(), &candidate.values)?;
        for (i, slope) in face.held().zip(slopes) {
            if let Some(t) = cells.tangent[i] {
                p[t] = *slope;
            }
        }
        let steep =
            up(p.iter().map(|x| x.abs()).sum::<f64>() * (1.0 + 1e-12) + error * free.len() as f64);
        for (i, push) in face.pushes(cells) {
            let push = &push.along;
            let off = up(error * push.iter().map(|x| x.abs()).sum::<f64>() * (1.0 + 1e-12));
            let blur = up(steep * cells.blur * cells.reach[i]);
            rises[i] = rises[i].max(up(Sum::of(p.iter().zip(push.iter())).most() + off + blur));
        }
        Some(())
    };
    absence::rises(fan, cells, &candidate.claims, limits, rise)
}

/// Lipschitz constant of `V`: maximum sum of absolute slopes over the cones.
pub fn steepest(fan: &Fan, cells: &Pushes, candidate: &Candidate) -> f64 {
    let all: Vec<usize> = (0..cells.dimension()).collect();
    let slopes = |rays: &[usize]| match gradient(fan, rays, &all, all.len(), &candidate.values) {
        Some((p, error)) => up(p.iter().map(|x| x.abs() + error).sum::<f64>() * (1.0 + 1e-12)),
        None => f64::INFINITY,
    };
    fan.cones.iter().map(|cone| slopes(&cone.rays)).fold(0.0, f64::max)
}

/// Gradient on the free coordinates of a face, 0 elsewhere, and the maximum error of an entry.
fn gradient(
    fan: &Fan,
    rays: &[usize],
    free: &[usize],
    dimension: usize,
    values: &[f64],
) -> Option<(DVector<f64>, f64)> {
    let (k, matrix) = (free.len(), fan.matrix(rays, free));
    let Inverse { inverse, size, off, rounded } = Inverse::new(fan, rays, &matrix)?;
    if off >= 0.5 {
        return None;
    }
    let p = &inverse * DVector::from_fn(k, |r, _| values[rays[r]]);
    let mut residual: f64 = 0.0;
    for r in 0..k {
        let sum = Sum::of(matrix.row(r).iter().zip(p.iter())).and(-values[rays[r]]);
        residual = residual.max(up(sum.most_absolute() + rounded * up(k as f64 * p.amax())));
    }
    let mut all = DVector::zeros(dimension);
    free.iter().zip(p.iter()).for_each(|(&at, &x)| all[at] = x);
    Some((all, up(2.0 * up(size * (1.0 + 1e-12)) * residual)))
}

/// Approximate inverse `X` of the matrix `A` of some rays.
pub struct Inverse {
    /// `X`.
    pub inverse: DMatrix<f64>,
    /// `|X|`, the maximum row sum.
    pub size: f64,
    /// Upper bound on `|1 - A X|` for the exact rays.
    pub off: f64,
    /// Maximum error of an entry of a ray.
    pub rounded: f64,
}

impl Inverse {
    /// Inverse of the matrix (k,k) of some rays, in rows or in columns.
    pub fn new(fan: &Fan, rays: &[usize], matrix: &DMatrix<f64>) -> Option<Self> {
        let k = matrix.nrows();
        let inverse = matrix.clone().try_inverse()?;
        let rounded = rays.iter().map(|&ray| fan.rays[ray].error).fold(0.0, f64::max);
        let norm = |x: &DMatrix<f64>| {
            x.row_iter().map(|row| row.iter().map(|x| x.abs()).sum::<f64>()).fold(0.0, f64::max)
        };
        let (identity, size) = (DMatrix::identity(k, k) - matrix * &inverse, norm(&inverse));
        let rounding = (2.0 * k as f64 * f64::EPSILON * norm(matrix) + k as f64 * rounded) * size;
        let off = up(norm(&identity) + rounding + f64::EPSILON * k as f64);
        Some(Inverse { inverse, size, off, rounded })
    }
}

/// Covectors `q` in dimensionless velocities with `q.u <= V(u)`, one for each cone in which the
/// impact may end. `None` if rounding forbids it.
pub fn ends(fan: &Fan, cells: &Pushes, candidate: &Candidate) -> Option<Vec<DVector<f64>>> {
    fan.ends(cells.contacts).map(|cone| end(fan, candidate, &cone.rays)).collect()
}

fn end(fan: &Fan, candidate: &Candidate, rays: &[usize]) -> Option<DVector<f64>> {
    let k = rays.len();
    let inverse = fan.of_cone(rays).try_inverse()?;
    let mut margin = 1e-13;
    while margin < 1e-3 {
        let below = |ray: usize| candidate.below[ray].min(candidate.values[ray]) - margin;
        let q = &inverse * DVector::from_fn(k, |r, _| below(rays[r]));
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
