//! Theorems on the published steps for a problem: minimum contact force, duration of impacts.

use nalgebra::DVector;

use super::bounds::cone::{falls, pointing, rise};
use super::bounds::proof::length;
use super::bounds::rounding::{Sum, up};
use super::bounds::whitened::{Cones, Whitened};
use carom_core::cones::conic::{ConicProgram, Limits};
use carom_core::draws::rates::{self, Length};
use carom_core::error::{Error, Result};
use carom_core::lcp::ExplicitMap;
use carom_core::problem::ContactProblem;
use carom_law::{Law, Routh};

/// Guarantees of \[HP23\] for a problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Guarantee {
    /// Lower bound `e` on `|J' L|_{M^-1}` over all impulses `L` in the friction cones whose normal
    /// parts sum to 1 (Lemma 6), in `kg^-1/2`, rounding included; 0 if the cone is not pointed, or
    /// if rounding cannot tell.
    pub force: f64,
    /// Upper bound on `e`: the value at an impulse from the solver.
    pub force_at_most: f64,
    /// Lower bound `e` from a linear program, `max min_g r.g` over `|r_k| <= 1`, in the units of
    /// the coordinates (77).
    pub force_by_coordinates: f64,
    /// Whether the friction cone is pointed (Assumption 2): `e > 0`.
    pub pointed: bool,
    /// Maximum sum of the normal impulses of an impact in N s, in units of `|v-|_M`, for any
    /// velocity (Theorem 3): `2 / e`, rounded up; infinite without a guarantee.
    pub duration_per_speed: f64,
    /// Maximum sum of the normal impulses of this impact in N s, see [`guarantee`].
    pub duration: f64,
    /// `|v-|_M`, rounded up.
    pub speed: f64,
    /// Impulse step `h` in N s, from the file or the default.
    pub step: f64,
    /// `N0 = 2 |v-|_M (m + 1) / (h e)` (78): number of steps of mean size that exhaust the velocity
    /// change allowed by energy; infinite without a guarantee.
    pub steps: f64,
    /// Number m of contacts.
    pub contacts: usize,
    /// Whether every step has a unique outcome, up to a set of measure zero (Assumption 6); `None`
    /// if undecided: beyond two planar contacts, and with restitution.
    pub unique: Option<bool>,
}

/// Guarantees of \[HP23\] for a problem. Guarantees on steps hold for the published steps with the
/// sampler `uniform`.
///
/// Source: \[HP23\] Lemma 6, Theorems 3, 5 and 8, Assumptions 2 and 6. Deviation: the norm is the
/// kinetic one, in which kinetic energy bounds the change of velocity; the text does not name its
/// norm. The text has no numbers for Theorem 3; these follow from Lemma 6. For a velocity `r` with
/// `r.J' L >= sum ln` for every impulse in the friction cones, an impact without a gain of energy
/// has
///
/// ```text
/// sum ln <= r.M (v+ - v-) <= |r|_M |v-|_M - r.M v-  <=  2 |r|_M |v-|_M
/// ```
///
/// at its end, and at any moment before it. The shortest `r` has `|r|_M = 1 / e`. For one velocity
/// the chosen `r` minimises the middle term. All sums are rounded up.
///
/// An uncertain pose has its nominal value.
pub fn guarantee(problem: &ContactProblem) -> Guarantee {
    promised(&problem.unposed(), &Limits::default())
}

/// [`guarantee`], or an error once the stop flag is raised.
///
/// # Errors
/// An interrupt; an uncertain pose.
pub fn guarantee_until(problem: &ContactProblem, limits: &Limits) -> Result<Guarantee> {
    problem.refuse_pose("what is promised is for")?;
    let found = promised(problem, limits);
    if limits.stopped() { Err(Error::interrupted()) } else { Ok(found) }
}

fn promised(problem: &ContactProblem, limits: &Limits) -> Guarantee {
    let law = Routh::steps();
    let (m, step) = (problem.contact_count(), rates::step_on(problem, Length::default()));
    let space = Whitened::new(problem);
    let (force, force_at_most) =
        space.as_ref().map_or((0.0, f64::INFINITY), |space| net_force(problem, space, limits));
    let speed = length(problem.mass(), problem.velocity());
    let duration_per_speed = if force > 0.0 { up(2.0 / force) } else { f64::INFINITY };
    let of_this = space.as_ref().and_then(|space| shortest(problem, space, limits));
    let steps =
        if force > 0.0 { 2.0 * speed * (m + 1) as f64 / (step * force) } else { f64::INFINITY };
    let decided = m <= 2 && problem.tangents_per_contact() < 2 && !problem.bounces();
    let prepared = Law::Routh(law).prepare::<f64>(problem).ok().filter(|_| decided);
    Guarantee {
        force,
        force_at_most,
        force_by_coordinates: by_coordinates(problem, limits),
        pointed: force > 0.0,
        duration_per_speed,
        duration: of_this.unwrap_or(f64::INFINITY).min(up(duration_per_speed * speed)),
        speed,
        step,
        steps,
        contacts: m,
        unique: prepared.map(|process| ExplicitMap::pruned(&process.space().step).unique),
    }
}

impl Guarantee {
    /// Number of steps after which an impact is over with a probability of at least `1 - failure`;
    /// `None` without a guarantee.
    ///
    /// ```text
    /// P(more than n steps) <= exp(-2 (n / (m + 1) - 2 |v-|_M / (h e))^2 / n)
    /// ```
    ///
    /// In every step some contact accrues its full `h p_i`, or the impact ends (Lemma 13). The
    /// velocity therefore moves by at least `h e min_i p_i` per step, with mean `h e / (m + 1)`,
    /// and by no more than `2 |v-|_M` in all. The tail bound is Hoeffding's (79).
    pub fn steps_for(&self, failure: f64) -> Option<u64> {
        let mean = 1.0 / (self.contacts + 1) as f64;
        let needed = self.steps * mean;
        // (n mean - needed)^2 = n d, solved for n.
        let d = -0.5 * failure.ln();
        let b = 2.0 * needed * mean + d;
        let n = (b + (b * b - 4.0 * mean * mean * needed * needed).max(0.0).sqrt())
            / (2.0 * mean * mean);
        (n.is_finite() && n < 1e18).then(|| (n - 1e-9).ceil() as u64)
    }

    /// Lower bound on the mean rate `dt/ds` of time (Theorem 5, Corollary 3), rounded down. Forces
    /// other than contact forces change the velocity by at most `acceleration` in 1 s, as a length
    /// in the kinetic metric.
    ///
    /// ```text
    /// t(s) >= (s - C |v|_M) / (1 + C a),   s = t + sum ln,   C = 2 / e,   a the acceleration
    /// ```
    ///
    /// Non-contact forces change `r.M v` and `|v|_M` by at most `a t |r|_M` and `a t`, so `sum ln
    /// <= |r|_M (2 |v|_M + 2 a t)`. The mass matrix and the Jacobians must be constant. 0 without a
    /// guarantee.
    pub fn time_rate(&self, acceleration: f64) -> f64 {
        let slowed = up(1.0 + up(self.duration_per_speed * acceleration));
        if self.pointed { 1.0 / up(slowed) } else { 0.0 }
    }

    /// Decimal logarithm of the number of samples that leave no gap above `gap` in the relative
    /// impulse rates of `steps` steps, with a probability of at least `1 - failure`.
    ///
    /// ```text
    /// 1 - K (1 - 1/K)^N >= 1 - K exp(-N / K),   K = ceil(sqrt(D) / gap)^D,   D = m steps
    /// ```
    ///
    /// Source: \[HP23\] Lemma 1, for a Lipschitz constant of 1; another constant scales the gaps of
    /// the outcomes.
    pub fn samples_for(&self, steps: u64, gap: f64, failure: f64) -> f64 {
        let dimension = self.contacts as f64 * steps as f64;
        let cells = dimension * (dimension.sqrt() / gap).ceil().ln();
        (cells + (cells - failure.ln()).ln()) / std::f64::consts::LN_10
    }
}

/// Smallest proved bound on the sum of the normal impulses of an impact in N s from energy alone,
/// see [`guarantee`]; `None` if there is none.
fn shortest(problem: &ContactProblem, space: &Whitened, limits: &Limits) -> Option<f64> {
    let n = space.dimension();
    // The variables are z = -C' r, minus the least rise, and |r|_M.
    let mut objective: Vec<f64> = space.before.iter().copied().collect();
    objective.extend([0.0, 1.0]);
    let mut program = ConicProgram::minimise(objective, limits);
    falls(&mut program, &space.cone, |i| 1.0 / space.cone.size[i], n);
    program.nonnegative(vec![(vec![(n, 1.0)], -1.0)]);
    let along = (0..n).map(|k| (vec![(k, 1.0)], 0.0));
    program.round(std::iter::once((vec![(n + 1, -1.0)], 0.0)).chain(along).collect());
    let z: Vec<f64> = program.solve()?.x[..n].iter().map(|z| -z).collect();
    let r = space.velocity(&z)?;
    let rises = least_rise(problem, &r);
    let (mass, v) = (problem.mass(), problem.velocity());
    let mut against = Sum::default();
    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
        against.add(-r[i] * mass[(i, j)] * v[j]);
    }
    let most = up(up(length(mass, &r) * length(mass, v)) + against.most());
    (rises > 0.0).then(|| up(most.max(0.0) / rises))
}

/// Lower and upper bound on the minimum of `|J' L|_{M^-1}` over impulses whose normal parts sum to
/// 1.
fn net_force(problem: &ContactProblem, space: &Whitened, limits: &Limits) -> (f64, f64) {
    let Some(r) = pointing(space, |_| 1.0, limits) else { return (0.0, f64::INFINITY) };
    let size = length(problem.mass(), &r);
    let least = least_rise(problem, &r) / size;
    let least = if least.is_finite() { (least * (1.0 - 1e-15)).max(0.0) } else { 0.0 };
    (least, weakest(space, limits).unwrap_or(f64::INFINITY))
}

/// Solver's minimum of `|J' L|_{M^-1}` over impulses whose normal parts sum to 1.
fn weakest(space: &Whitened, limits: &Limits) -> Option<f64> {
    // The variables are the impulses in the generators of the cones, and the length.
    let cones = &space.cone;
    let mut columns: Vec<(DVector<f64>, f64)> = Vec::new();
    let mut groups = Vec::new();
    for ((normal, tangents), size) in cones.normal.iter().zip(&cones.tangents).zip(&cones.size) {
        groups.push((columns.len(), 1 + tangents.len()));
        columns.push((normal.clone(), 1.0 / size));
        columns.extend(tangents.iter().map(|tangent| (tangent.clone(), 0.0)));
    }
    let k = columns.len();
    let mut objective = vec![0.0; k + 1];
    objective[k] = 1.0;
    let mut program = ConicProgram::minimise(objective, limits);
    let mass: Vec<_> = columns.iter().enumerate().map(|(j, (_, part))| (j, -part)).collect();
    program.nonnegative(vec![(mass, -1.0)]);
    for (first, count) in groups {
        program.round((first..first + count).map(|j| (vec![(j, -1.0)], 0.0)).collect());
    }
    let along = |r: usize| {
        (columns.iter().enumerate().map(|(j, (column, _))| (j, -column[r])).collect(), 0.0)
    };
    let along = (0..space.dimension()).map(along);
    program.round(std::iter::once((vec![(k, -1.0)], 0.0)).chain(along).collect());
    let x = program.solve()?.x;
    let total: f64 = columns.iter().zip(&x).map(|((_, part), x)| part * x).sum();
    let parts = columns.iter().zip(&x).map(|((column, _), x)| column * *x);
    let sum = parts.fold(DVector::zeros(space.dimension()), |sum, part| sum + part);
    Some(sum.norm() / total)
}

/// `max min_g r.g` over `|r_k| <= 1` in coordinates; `g` are impulses with a normal part of 1.
fn by_coordinates(problem: &ContactProblem, limits: &Limits) -> f64 {
    let n = problem.coordinate_count();
    let cones = Cones::new(problem, &problem.jacobian().transpose());
    let mut objective = vec![0.0; n + 1];
    objective[n] = 1.0;
    // The variables are -r and the negative of the value.
    let mut program = ConicProgram::minimise(objective, limits);
    falls(&mut program, &cones, |i| 1.0 / cones.size[i], n);
    let sides = |side: f64| (0..n).map(move |k| (vec![(k, side)], 1.0));
    program.nonnegative(sides(1.0).chain(sides(-1.0)).collect());
    let Some(solved) = program.solve() else { return 0.0 };
    let r = DVector::from_fn(n, |k, _| -solved.x[k])
        / solved.x[..n].iter().fold(1.0, |most: f64, x| most.max(x.abs()));
    least_rise(problem, &r).max(0.0)
}

/// Minimum rise of a velocity along the impulses of contacts, rounded down.
fn least_rise(problem: &ContactProblem, r: &DVector<f64>) -> f64 {
    let rises = (0..problem.contact_count()).map(|i| -rise(problem, i, &-r));
    rises.fold(f64::INFINITY, f64::min)
}
