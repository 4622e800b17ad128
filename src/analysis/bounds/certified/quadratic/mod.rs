//! Bounds by functions that are quadratic where the same contacts approach: in the plane and in
//! space, with restitution too.

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

/// Most contacts, in the plane and in space, whose functions have pieces: `2^m` of them.
const MOST_PIECES: [usize; 2] = [5, 4];
/// Most rounds in which bases turn, and the numbers of all forms, times their coordinates, that
/// rounds together take before the last one.
const ROUNDS: usize = 4;
const MOST_WORK: usize = 40_000;
/// Improvement, as a part of what is sought, below which no other round follows.
const BETTER: f64 = 2e-4;

/// Proved bounds of `c.v+` for the law with circular cones or in the plane, inelastic or with
/// Stronge's restitution; `r`: a velocity whose product with every impulse is positive; `least`:
/// the smallest coefficients of friction (m).
///
/// A function `V` of the velocity and of what contacts store, continuous and quadratic where the
/// same contacts approach, never rises: for the direction `t` of sliding, `|t| <= 1`, its change
/// along a push is quadratic in `z = (1, y, t)`. It is at most 0 as its negative is a positive
/// semidefinite form plus products of what is at least 0. So `c.v+ <= V(v+) <= V(v-)`. This is
/// Lyapunov's method for impacts with friction \[PTT16\], with pieces and for a bound in place of
/// stability.
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

/// What is asked of a function.
pub struct Goal<'a> {
    /// The law.
    pub frame: Frame,
    /// Where velocities are.
    pub domain: Domain<'a>,
    /// `c` over `unit` in the coordinates of the frame, as far as impulses can change `c.v`.
    pub direction: DVector<f64>,
    /// A power of two near the largest `c.v`, so that numbers are near 1.
    pub unit: f64,
    /// `c` over `unit`, and `x` with `M x` the part of it that impulses do not change.
    c: Vec<f64>,
    aside: DVector<f64>,
}

impl<'a> Goal<'a> {
    /// The goal of a direction, unless rounding is too large; for the arguments see [`values`].
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

    /// No less than `c.v / unit - direction.y` during the impact.
    pub fn left(&self) -> f64 {
        let part = |k: usize, sum: &mut Sum| {
            let column = self.frame.map.column(k);
            self.direction.iter().zip(column.iter()).for_each(|(d, a)| sum.add(d * a));
        };
        self.domain.most(&self.c, &self.aside, part, 0.0)
    }
}
