//! Certified bound: upper bound on `c.v+` for every order of impulses of the law.

mod absence;
pub mod bouncing;
pub mod cells;
mod domain;
pub mod fan;
pub mod finder;
pub mod judge;
pub mod quadratic;

use nalgebra::DVector;

use super::proof::{dual_length, length};
use super::rounding::{Sum, up};
use super::whitened::Whitened;
use super::{Bound, BoundKind, Limits, cone, conic};
use crate::reach::rationals::approaches;
use carom_core::error::{Error, Result};
use carom_core::problem::{ContactProblem, ProblemSpec, Uncertainty};
use cells::Pushes;
use domain::Domain;
use fan::{BETTER, Fan, MOST_CONES, rounds};
use finder::Candidate;

/// Maximum number of contacts.
pub const MOST_CONTACTS: usize = 8;
/// Maximum number of contacts for splitting cones, at least `4^m`; without and with restitution.
const MOST_SPLIT: [usize; 2] = [5, 2];
/// Maximum number of contacts with a bound within seconds: in space, and in the plane with
/// restitution.
const SOON: [usize; 2] = [2, 3];

/// Reason why a problem has no certified bound, or `None`.
pub fn refusal(problem: &ContactProblem) -> Option<Error> {
    let m = problem.contact_count();
    let what = format!("the bound `certified` takes up to {MOST_CONTACTS} contacts, found {m}");
    let error = Error::usage(what).option("kind");
    let hint = "take `conic`, which holds for every law that adds no energy";
    (m > MOST_CONTACTS).then(|| error.hint(hint))
}

/// Whether the certified bound of a problem takes seconds at most.
pub fn ends_soon(problem: &ContactProblem) -> bool {
    let m = problem.contact_count();
    refusal(problem).is_none()
        && match (problem.tangents_per_contact(), problem.bounces()) {
            (2, _) => m <= SOON[0],
            (_, true) => m <= SOON[1],
            _ => true,
        }
}

/// Problem at the upper ends of its friction and restitution ranges, without uncertainty; and the
/// lower ends of friction (m).
pub fn widest(problem: &ContactProblem) -> Result<(ContactProblem, Vec<f64>)> {
    let uncertain = problem.uncertainty();
    let friction = uncertain.friction_of(problem.friction());
    let least = friction.iter().map(|[low, _]| *low).collect::<Vec<_>>();
    if uncertain.is_none() {
        return Ok((problem.clone(), least));
    }
    let highest = |ranges: Vec<[f64; 2]>| ranges.iter().map(|[_, high]| *high).collect::<Vec<_>>();
    let restitution = problem.restitution().map_or(vec![0.0; least.len()], <[f64]>::to_vec);
    let spec = ProblemSpec {
        friction: Some(highest(friction)),
        restitution: Some(highest(uncertain.restitution_of(&restitution))),
        uncertainty: Uncertainty::default(),
        ..problem.spec().clone()
    };
    Ok((ContactProblem::new(spec)?, least))
}

/// Upper bound on `c.v+` for every order of impulses in the law of \[HP23\] (39), in the plane or
/// with circular cones, inelastic or with Stronge's coefficient of restitution. The result is the
/// smallest bound among several methods.
///
/// In the plane and without restitution the proof is a Lyapunov-type function `V` of the contact
/// velocity. `V` is continuous and linear on each cone of a fan, never rises along the law, and is
/// at least `c.v` at ends of the impact; then `c.v+ <= V(u-)`. On a cone the law pushes in constant
/// directions `g`, so `V` does not rise if its gradient has `p.g <= 0`; for sticking contacts on
/// the face of the cone. As `V` is Lipschitz, it falls along every motion, also through infinitely
/// many changes of state. A second-order cone program finds the best `V` on the cones ([`finder`]).
/// Cones are split repeatedly at the rays to which the multipliers send impulse. The proof
/// ([`judge`]) evaluates every gradient with rounding upwards, and charges residual rises with the
/// impulse bounded by energy. If contact velocities are exactly dependent, some faces contain no
/// velocities and `V` may rise there; the proof shows this absence too ([`absence`]). With
/// restitution `V` is quadratic on each cone and includes the stored energies ([`bouncing`]). In
/// space, with restitution, and with four or more contacts `V` is quadratic for each set of
/// approaching contacts ([`quadratic`]).
///
/// With uncertain friction or restitution the bound holds for all values in their ranges,
/// independently at each contact, also if they change during the impact. Guarantee: if `certified`
/// is true, the value is a bound whatever the solver did. The bound never exceeds the `conic` bound
/// of the largest friction. A raised flag may widen it.
pub fn certified(problem: &ContactProblem, c: &[f64], limits: &Limits) -> Result<Bound> {
    if let Some(error) = refusal(problem) {
        return Err(error);
    }
    let (problem, least) = &widest(problem)?;
    // The conic bound takes milliseconds, so a proof exists however soon the flag is raised.
    let conic = conic(problem, c, &Limits::default());
    let mut best = Bound { kind: BoundKind::Certified, ..conic };
    if !approaches(problem) {
        // Without an approaching contact there is no impact.
        let value = Sum::of(c.iter().zip(problem.velocity().iter())).most();
        return Ok(Bound { value, certified: true, ..best });
    }
    if let Some(space) = Whitened::new(problem).filter(|space| space.speed > 0.0)
        && let Some(direction) = space.direction(c).filter(|d| d.norm() > 0.0)
        && let Some(r) = cone::pointing(&space, |i| space.cone.size[i], limits)
    {
        let (m, spatial) = (problem.contact_count(), problem.tangents_per_contact() == 2);
        let bounces = problem.bounces();
        let mut values = Vec::new();
        if !spatial && m <= MOST_SPLIT[usize::from(bounces)] {
            let cells = Pushes::new(problem, &space, least);
            values = match bounces {
                true => bouncing::values(problem, &space, &cells, &r, c, conic.value, limits),
                false => Search::new(problem, &space, cells, &r, c, &direction, limits)
                    .map_or(Vec::new(), |search| search.values(conic.value)),
            };
        }
        if spatial || bounces || m > 3 {
            values.extend(quadratic::values(problem, &space, least, &r, c, limits));
        }
        for value in values {
            if !best.certified || value < best.value {
                best = Bound { value, certified: true, ..best };
            }
        }
    }
    Ok(best)
}

/// Inputs of the search for a bound.
struct Search<'a> {
    problem: &'a ContactProblem,
    space: &'a Whitened,
    /// Domain of velocities, with its fixed velocity `v`.
    domain: Domain<'a>,
    cells: Pushes,
    c: &'a [f64],
    /// `|c|_{M^-1}`, and the component of `c` that impulses can change, divided by `|c|_{M^-1}`.
    size: f64,
    within: DVector<f64>,
    /// `M x` is the component of `c` that impulses cannot change.
    x: DVector<f64>,
    /// Norm of the component of the velocity that impulses can change, in units of `|v-|_M`.
    radius: f64,
    limits: &'a Limits,
}

impl<'a> Search<'a> {
    fn new(
        problem: &'a ContactProblem,
        space: &'a Whitened,
        cells: Pushes,
        r: &'a DVector<f64>,
        c: &'a [f64],
        d: &DVector<f64>,
        limits: &'a Limits,
    ) -> Option<Self> {
        let basis = cells.columns.clone().svd(true, false);
        let unit = basis.u?;
        let kept = |k: &usize| basis.singular_values[*k] > 1e-6;
        let project = |y: &DVector<f64>| {
            let parts = (0..unit.ncols()).filter(kept);
            let parts = parts.map(|k| unit.column(k) * unit.column(k).dot(y));
            parts.fold(DVector::zeros(y.len()), |sum, part| sum + part)
        };
        let rest = |y: &DVector<f64>| {
            let rest = y - project(y);
            if rest.norm() > 1e-12 * y.norm() { rest } else { rest * 0.0 }
        };
        let size = d.norm();
        let fixed = space.velocity((rest(&space.before) * space.speed).as_slice())?;
        Some(Search {
            x: space.velocity(rest(d).as_slice())?,
            domain: Domain::new(problem, space, r, fixed),
            radius: project(&space.before).norm(),
            within: project(d) / size,
            size,
            problem,
            space,
            cells,
            c,
            limits,
        })
    }

    /// Proved bounds, one for each fan, in search of a bound below `known`.
    fn values(&self, known: f64) -> Vec<f64> {
        let mut fan = Fan::orthants(self.cells.dimension());
        let start = fan.split_at(&self.cells.start);
        let length = self.cells.start.lp_norm(1);
        let radius = self.radius / length;
        let better = BETTER * self.size * self.space.speed;
        rounds(fan, known, better, MOST_CONES[0], self.limits, |fan| {
            let candidate =
                finder::find(fan, &self.cells, &self.within, radius, start, self.limits)?;
            Some((self.proof(fan, &candidate, start, length), candidate.landings))
        })
    }

    /// Bound proved by a function, rounded up. For every end, with `q.u <= V(u)` there and `w = c -
    /// M x - J' q`,
    ///
    /// ```text
    /// c.v+ = x.M v- + x.J' L + q.u+ + w.v + w.(v+ - v),   q.u+ <= V(u-) + sum_i rise_i L_i,
    /// |v+ - v|_M^2 <= |v- - v|_M^2 - 2 v.J' L,            r.J' L <= 2 |v-|_M |r|_M.
    /// ```
    fn proof(&self, fan: &Fan, candidate: &Candidate, start: usize, far: f64) -> Option<f64> {
        let (problem, cells, n) = (self.problem, &self.cells, self.problem.coordinate_count());
        let (mass, before) = (problem.mass(), problem.velocity());
        let rise = self.domain.rise(&judge::rises(fan, cells, candidate, self.limits));
        let (most, v) = (self.domain.most, &self.domain.fixed);
        let unit = up(up(self.size * (1.0 + 1e-12)) * length(mass, before));
        let moved = (&cells.start - &fan.rays[start].along * far).amax();
        let moved =
            up(moved + cells.start_blur + 8.0 * f64::EPSILON * far + fan.rays[start].error * far);
        let first = up(far * candidate.values[start] * self.size * self.space.speed);
        let first = up(first
            + 1e-12 * first.abs()
            + up(unit * up(judge::steepest(fan, cells, candidate) * moved)));
        let first = up(first + up(up(self.size * rise) * most));

        let mut aside = Sum::default();
        (0..n).for_each(|i| (0..n).for_each(|j| aside.add(self.x[i] * mass[(i, j)] * before[j])));
        let aside = up(aside.most() + self.domain.drift(&self.x));
        let rest = length(mass, &(before - v));
        let rest =
            up(up(rest * rest + up(2.0 * self.domain.turned)).sqrt()
                + 1e-14 * length(mass, before));

        let mut worst = f64::NEG_INFINITY;
        for q in judge::ends(fan, cells, candidate)? {
            let part = |l: usize, k: usize| {
                self.size * q[l] / cells.scale[l] * problem.jacobian()[(cells.row[l], k)]
            };
            let row = |k: usize| {
                let sum = Sum::of(mass.row(k).iter().zip(self.x.iter())).and(-self.c[k]);
                (0..q.len()).fold(sum, |sum, l| sum.and(part(l, k)))
            };
            let rows: Vec<Sum> = (0..n).map(row).collect();
            let w = DVector::from_iterator(n, rows.iter().map(|sum| -sum.value()));
            let error = DVector::from_iterator(n, rows.iter().map(|sum| 4.0 * sum.error()));
            let mut across = Sum::of(w.iter().zip(v.iter()));
            error.iter().zip(v.iter()).for_each(|(e, v)| across.add((e * v).abs()));
            worst =
                worst.max(up(across.most() + up(dual_length(mass, self.space, &w, &error) * rest)));
        }
        let value = up(up(first + aside) + worst);
        value.is_finite().then_some(value)
    }
}
