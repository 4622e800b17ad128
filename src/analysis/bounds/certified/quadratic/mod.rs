//! Bounds by functions that are quadratic for each set of approaching contacts: in the plane and in
//! space, also with restitution.

pub mod certificate;
pub mod finder;
mod form;
mod frame;
pub mod judge;

use nalgebra::DVector;

use super::domain::{Domain, beside};
use crate::bounds::rounding::{Sum, up};
use crate::bounds::whitened::Whitened;
use carom_core::cones::conic::Limits;
use carom_core::problem::ContactProblem;
use frame::Frame;
use judge::Judge;

/// Maximum number of contacts for functions with pieces (`2^m`), in the plane and in space.
const MOST_PIECES: [usize; 2] = [5, 4];
/// Maximum number of rounds in which bases turn; and the budget of all rounds but the last one, as
/// the sum of sizes of forms times coordinates.
const ROUNDS: usize = 4;
const MOST_WORK: usize = 40_000;
/// Relative improvement below which the search ends.
const BETTER: f64 = 2e-4;

/// Proved bounds of `c.v+` for the law with circular cones or in the plane, inelastic or with
/// Stronge's restitution. `r`: velocity whose product with every impulse is positive; `least`:
/// minimum coefficients of friction (m).
///
/// A function `V` of the velocity and the stored energies, continuous and quadratic for each set of
/// approaching contacts, never rises: for the sliding direction `t`, `|t| <= 1`, its change along a
/// push is quadratic in `z = (1, y, t)`. The change is at most 0, as its negative is a positive
/// semidefinite form plus products of nonnegative functions. So `c.v+ <= V(v+) <= V(v-)`. The
/// method is Lyapunov's for impacts with friction \[PTT16\], with pieces, and for a bound in place
/// of stability.
pub fn values(
    problem: &ContactProblem,
    space: &Whitened,
    least: &[f64],
    r: &DVector<f64>,
    c: &[f64],
    limits: &Limits,
) -> Vec<f64> {
    let Some(goal) = Goal::new(problem, space, least, r, c) else { return Vec::new() };
    let Goal { frame, domain, direction, unit, .. } = &goal;
    let left = goal.left();
    let cost = |rises: &[f64]| domain.cost(rises);
    let judge = Judge { frame, cost: &cost };
    let pieces =
        frame.contacts.len() <= MOST_PIECES[usize::from(problem.tangents_per_contact() == 2)];
    let (mut values, mut bases, mut best, mut work) = (Vec::new(), None, f64::INFINITY, 0);
    for _ in 0..ROUNDS {
        let found = finder::find(frame, direction, pieces, bases.as_ref(), limits);
        let Some((certificate, turned)) = found else { break };
        let value = up(up(judge.bound(&certificate, direction, limits) + left) * unit);
        values.extend(value.is_finite().then_some(value));
        work += turned.iter().map(|basis| basis.len()).sum::<usize>() * frame.dimension();
        if value.is_nan() || value > best - BETTER * unit || work > MOST_WORK {
            break;
        }
        (best, bases) = (value, Some(turned));
    }
    values
}

/// Objective of the search for a function.
pub struct Goal<'a> {
    /// Frame of the law.
    pub frame: Frame,
    /// Domain of velocities.
    pub domain: Domain<'a>,
    /// Component of `c` that impulses can change, in units of `unit` and in the coordinates of the
    /// frame.
    pub direction: DVector<f64>,
    /// Power of two near the maximum of `c.v`, so that numbers are near 1.
    pub unit: f64,
    /// `c` in units of `unit`, and `x` with `M x` its component that impulses do not change.
    c: Vec<f64>,
    aside: DVector<f64>,
}

impl<'a> Goal<'a> {
    /// Goal of a direction; `None` if rounding is too large. For the arguments see [`values`].
    pub fn new(
        problem: &'a ContactProblem,
        space: &'a Whitened,
        least: &[f64],
        r: &'a DVector<f64>,
        c: &[f64],
    ) -> Option<Self> {
        let d = space.direction(c)?;
        let unit = (d.norm() * space.speed).log2().round().exp2();
        let basis = frame::changed(problem, space)?;
        let fixed = space.velocity((beside(&basis, &space.before) * space.speed).as_slice())?;
        let domain = Domain::new(problem, space, r, fixed);
        let reach = basis.tr_mul(&space.before).norm() * space.speed;
        Some(Goal {
            frame: Frame::new(problem, space, &domain, &basis, least)?,
            domain,
            direction: basis.tr_mul(&d) * (reach / unit),
            unit,
            c: c.iter().map(|c| c / unit).collect(),
            aside: space.velocity((beside(&basis, &d) / unit).as_slice())?,
        })
    }

    /// Upper bound on `c.v / unit - direction.y` during the impact.
    pub fn left(&self) -> f64 {
        let part = |k: usize, sum: &mut Sum| {
            let column = self.frame.map.column(k);
            self.direction.iter().zip(column.iter()).for_each(|(d, a)| sum.add(d * a));
        };
        self.domain.most(&self.c, &self.aside, part, 0.0)
    }
}
