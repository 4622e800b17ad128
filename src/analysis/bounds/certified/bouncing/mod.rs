//! Bounds with Stronge's restitution: functions of the velocity and the stored energies.

pub mod certificate;
pub mod finder;
pub mod judge;

use nalgebra::{DMatrix, DVector};

use super::cells::Pushes;
use super::domain::{Domain, beside, span};
use super::fan::{BETTER, Fan, MOST_CONES, rounds};
use crate::bounds::rounding::{Sum, up};
use crate::bounds::whitened::Whitened;
use carom_core::cones::conic::Limits;
use carom_core::problem::ContactProblem;

/// Proved bounds of `c.v+` for the planar law with Stronge's restitution, one for each fan, in
/// search of a bound below `known`. `r`: velocity whose product with every impulse is positive.
///
/// A function `V(u) + s.S`, `s >= 0`, of the contact velocity `u` and the stored energies `S` is
/// continuous and quadratic on each cone. Along a push of contact i at rate `l` it changes by
///
/// ```text
/// V' = l (grad V . g - s_i e_i^2 u_n,i)  while u_n,i < 0,
/// V' = l (grad V . g - s_i u_n,i)        while u_n,i > 0,
/// ```
///
/// which is linear on each cone and at most 0 if it is at rest and on the rays. Ends have `S = 0`,
/// and if a stored energy is lost, `V + s.S` falls. So `c.v+ <= V(u+) <= V(u-)`. A smaller
/// coefficient of restitution stores less, so the bound holds for all up to `e_i`. With rises by
/// rounding,
///
/// ```text
/// c.v+ = V(u+) + (c.v+ - V(u+)),   V(u+) <= V(u-) + sum_i rise_i L_i
/// ```
pub fn values(
    problem: &ContactProblem,
    space: &Whitened,
    cells: &Pushes,
    r: &DVector<f64>,
    c: &[f64],
    known: f64,
    limits: &Limits,
) -> Vec<f64> {
    let Some(d) = space.direction(c) else { return Vec::new() };
    // A power of two as the unit keeps numbers near 1, without rounding.
    let unit = (d.norm() * space.speed).log2().round().exp2();
    let (direction, c) =
        (d * (space.speed / unit), c.iter().map(|c| c / unit).collect::<Vec<f64>>());
    let mut fan = Fan::orthants(cells.dimension());
    let Some(goal) = Goal::new(space, cells, &direction, &mut fan) else { return Vec::new() };
    let fixed = space.velocity((goal.fixed(&space.before) * space.speed).as_slice());
    let aside = space.velocity((goal.fixed(&direction) / space.speed).as_slice());
    let (Some(fixed), Some(aside)) = (fixed, aside) else { return Vec::new() };
    let domain = Domain::new(problem, space, r, fixed);
    rounds(fan, known, BETTER * unit, MOST_CONES[1], limits, |fan| {
        let candidate = finder::find(fan, cells, &goal, limits)?;
        let certificate = &candidate.certificate;
        let rises = judge::rises(fan, cells, certificate, limits);
        let cost = up(domain.cost(&rises) / (space.speed * (1.0 - 1e-14)));
        let most = |p: &DVector<f64>| {
            let add_part = |k: usize, sum: &mut Sum| {
                for (l, p) in p.iter().enumerate() {
                    let scale = cells.scale[l] * space.speed;
                    sum.add(p / scale * problem.jacobian()[(cells.row[l], k)]);
                }
            };
            domain.most(&c, &aside, add_part, certificate.function.energy)
        };
        let last = judge::ends(fan, cells, certificate, most);
        let first = judge::start(fan, cells, &certificate.function, goal.start);
        let value = up(up(first + up(last + cost)) * unit);
        Some((value.is_finite().then_some(value), candidate.landings))
    })
}

/// Direction and domain of motions, in coordinates of the subspace that impulses can change. In
/// them the kinetic metric is Euclidean, and `|v-| = 1`.
#[derive(Clone, Debug)]
pub struct Goal {
    /// Orthonormal basis (n,r) of the subspace, in the coordinates of [`Whitened`].
    pub basis: DMatrix<f64>,
    /// `C^-1 J_k' / S_k` (r,d).
    pub columns: DMatrix<f64>,
    /// Velocity before the impact.
    pub before: DVector<f64>,
    /// Projected direction, of about unit length together with its fixed component.
    pub direction: DVector<f64>,
    /// Ray of the velocity before the impact, and the velocity's coordinate along it.
    pub start: (usize, f64),
}

/// Threshold on singular values: smaller ones count as directions that impulses do not change.
const CHANGED: f64 = 1e-6;

impl Goal {
    /// Goal of a direction `d` (n) in the coordinates of `space`, of about unit length. Adds the
    /// ray of the velocity before the impact to the fan.
    pub fn new(space: &Whitened, cells: &Pushes, d: &DVector<f64>, fan: &mut Fan) -> Option<Self> {
        let basis = span(cells.columns.clone(), CHANGED)?;
        Some(Goal {
            columns: basis.tr_mul(&cells.columns),
            before: basis.tr_mul(&space.before),
            direction: basis.tr_mul(d),
            start: (fan.split_at(&cells.start), cells.start.lp_norm(1)),
            basis,
        })
    }

    /// Component of a vector that impulses do not change, in the coordinates of `space`.
    pub fn fixed(&self, of: &DVector<f64>) -> DVector<f64> {
        beside(&self.basis, of)
    }
}
