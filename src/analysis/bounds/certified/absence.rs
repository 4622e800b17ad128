//! Cones of contact velocities without velocities of the system, due to dependent contact
//! velocities.

use nalgebra::{DMatrix, DVector};

use super::cells::{Pushes, ROUNDED};
use super::fan::{Fan, FanFace};
use crate::bounds::rounding::{Sum, up};
use carom_core::cones::conic::Limits;
use carom_core::lcp::cone::nonnegative;

/// Reason why a function does not rise on a face.
#[derive(Clone, Debug)]
pub enum Claim<S> {
    /// The function falls along all directions, with these slopes across the face for sticking
    /// contacts.
    Falls(Vec<S>),
    /// The face contains no velocity, by these [weights](witness).
    Absent(DVector<f64>),
}

/// [Weights](witness) of each face, if any; `None` if the flag is raised.
pub fn witnesses(
    cells: &Pushes,
    fan: &Fan,
    faces: &[FanFace],
    limits: &Limits,
) -> Option<Vec<Option<DVector<f64>>>> {
    let of = |face: &FanFace| (!limits.stopped()).then(|| witness(cells, fan, &face.rays));
    faces.iter().map(of).collect()
}

/// Maximum rise of a function along the law for each contact (m), per unit of normal impulse in
/// units of `|v-|_M`. `rise` updates the maxima for a face with given slopes, or returns `None` if
/// it cannot bound them. The result is infinite in this case, if a claim of absence is wrong, and
/// if the flag is raised.
pub fn rises<S>(
    fan: &Fan,
    cells: &Pushes,
    claims: &[Claim<S>],
    limits: &Limits,
    rise: impl Fn(&FanFace, &[S], &mut [f64]) -> Option<()>,
) -> Vec<f64> {
    let faces = fan.faces(cells);
    let mut rises = vec![0.0_f64; cells.contacts];
    let shown = |(face, claim): (&FanFace, &Claim<S>)| match claim {
        _ if limits.stopped() => None,
        Claim::Falls(slopes) => rise(face, slopes, &mut rises),
        Claim::Absent(weights) => shows(cells, fan, &face.rays, weights).then_some(()),
    };
    let all = faces.len() == claims.len()
        && faces.iter().zip(claims).map(shown).all(|shown| shown.is_some());
    if all { rises } else { vec![f64::INFINITY; cells.contacts] }
}

/// Weights `c` of the rows [`Pushes::never`]; they prove that the cone of these rays holds no
/// velocity but 0; `None` if none exist.
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

/// Whether the weights prove that the cone contains no velocity but 0: all velocities satisfy `w.u
/// = 0` for the weighted sum `w` of the rows, and all rays `w.r > 0`, rounding included.
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
