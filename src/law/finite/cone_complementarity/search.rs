//! The search for solutions from several starts.

use nalgebra::{DVector, Vector2, Vector3};

use super::alart_curnier::alart_curnier;
use super::sweep::sweep;
use super::{ConeComplementarityDetails, Start};
use crate::finite::anitescu_potra::AnitescuPotra;
use carom_core::cones::newton::{MAX_STEPS, moves, newton};
use carom_core::cones::program::minimise;
use carom_core::cones::projection::natural_map;
use carom_core::cones::space::{ConeSpace, RESIDUAL, residual};
use carom_core::outcome::listed::{DISTINCT, coincide};
use carom_core::{ContactProblem, Limits, Outcome, Purpose, Stream, stream};

/// Number of sweeps over the contacts: at the first start, and after all other starts have failed.
const SWEEPS: [usize; 2] = [10, 1000];
/// Number of convex programs in the sequence.
const PROGRAMS: usize = 20;
/// Number of facets of the approximate problem whose solutions are starts.
const FACETS: u32 = 8;

/// The search for solutions of one problem.
pub struct ConeSearch<'a> {
    problem: &'a ContactProblem,
    limits: &'a Limits,
    space: ConeSpace,
    /// The solutions, one per `v+`.
    pub found: Vec<Outcome<ConeComplementarityDetails>>,
    /// The non-solution with the smallest residual.
    pub nearest: Option<Outcome<ConeComplementarityDetails>>,
    /// Number of starts.
    pub starts: usize,
}

impl<'a> ConeSearch<'a> {
    /// A search without solutions yet.
    pub fn new(problem: &'a ContactProblem, limits: &'a Limits) -> Self {
        let space = ConeSpace::new(problem);
        ConeSearch { problem, limits, space, found: Vec::new(), nearest: None, starts: 0 }
    }

    /// Whether no contact moves: `v-` is then the only solution, because `L . u+ <= 0` and
    /// `u+ = W L` imply `L' W L = 0`.
    pub fn rests(&mut self) -> bool {
        let rests = self.problem.contact_velocity().iter().all(|u| *u == 0.0);
        if rests {
            self.from(Start::Zero, &DVector::zeros(self.space.u.len()));
        }
        rests
    }

    /// The solutions of a planar problem by combinations of contact modes; returns whether the list
    /// is complete.
    pub fn combinations(&mut self) -> bool {
        let Ok(set) = AnitescuPotra::default().resolve_within(self.problem, self.limits) else {
            return false;
        };
        for outcome in &set.outcomes {
            if violation(self.problem, &outcome.impulse) <= RESIDUAL {
                self.add(Start::Modes, 0, outcome.impulse.clone(), outcome.details.isolated);
            } else {
                self.from(Start::Modes, &self.space.dimensionless(&outcome.impulse));
            }
        }
        set.complete && self.nearest.is_none() && !self.found.is_empty()
    }

    /// The solutions from each start, among them `random` random starts; additional starts if none
    /// is found. Unless `all` solutions are requested, the search ends with the first.
    pub fn starts(&mut self, random: u32, all: bool) {
        let zero = DVector::zeros(self.space.u.len());
        self.from(Start::Zero, &zero);
        if self.enough(all) {
            return;
        }
        let mut swept = zero.clone();
        sweep(&self.space, &mut swept, SWEEPS[0]);
        self.from(Start::Sweeps, &swept);
        if self.enough(all) {
            return;
        }
        let relaxed = minimise(&self.space, &[], self.limits).unwrap_or(zero);
        let relaxed = newton(&self.space, natural_map, &relaxed).l;
        self.from(Start::Relaxation, &relaxed);
        if self.space.tangents == 2
            && !self.enough(all)
            && let Ok(set) =
                (AnitescuPotra { facets: Some(FACETS) }).resolve_within(self.problem, self.limits)
        {
            for outcome in set.outcomes {
                self.from(Start::Facets, &self.space.dimensionless(&outcome.impulse));
            }
        }
        for draw in 0..random {
            if !self.enough(all) {
                self.from(Start::Random, &random_impulse(&self.space, draw));
            }
        }
        if self.found.is_empty() {
            self.programs(relaxed);
        }
        if self.found.is_empty() {
            sweep(&self.space, &mut swept, SWEEPS[1]);
            self.from(Start::Sweeps, &swept);
        }
    }

    fn enough(&self, all: bool) -> bool {
        !all && !self.found.is_empty() || self.limits.is_over()
    }

    /// A sequence of convex programs, each with the sliding speeds `|u_t|` of the previous
    /// solution, and Newton's method from each. Source: \[C09\].
    fn programs(&mut self, mut l: DVector<f64>) {
        for _ in 0..PROGRAMS {
            let u = self.space.after(&l);
            let slip = |i: usize| self.space.part(&u, i).fixed_rows::<2>(1).norm();
            let gaps: Vec<f64> =
                self.space.mu.iter().enumerate().map(|(i, mu)| mu * slip(i)).collect();
            let Some(next) = minimise(&self.space, &gaps, self.limits) else { return };
            l = next;
            self.from(Start::Programs, &l);
            if !self.found.is_empty() || self.limits.is_over() {
                return;
            }
        }
    }

    /// Runs Newton's method from a dimensionless impulse (K).
    fn from(&mut self, start: Start, l: &DVector<f64>) {
        if !self.limits.spend(MAX_STEPS as f64 * (l.len() as f64).powi(3)) {
            return;
        }
        let end = newton(&self.space, alart_curnier, l);
        let isolated = end.size > RESIDUAL || !moves(&self.space, alart_curnier, &end.l);
        self.add(start, end.steps, self.space.impulse(&end.l), isolated);
    }

    /// Adds an impulse (K) in N s if it is a solution.
    fn add(&mut self, start: Start, iterations: usize, impulse: Vec<f64>, isolated: bool) {
        self.starts += 1;
        let residual = violation(self.problem, &impulse);
        let details = ConeComplementarityDetails {
            start,
            iterations,
            found: 1,
            starts: 0,
            isolated,
            several: false,
            complete: false,
        };
        let outcome = Outcome { residual, ..Outcome::new(self.problem, impulse, details) };
        if residual > RESIDUAL {
            if self.nearest.as_ref().is_none_or(|nearest| residual < nearest.residual) {
                self.nearest = Some(outcome);
            }
            return;
        }
        let same = |other: &&mut Outcome<ConeComplementarityDetails>| {
            coincide(self.problem, &other.velocity, &outcome.velocity)
        };
        match self.found.iter_mut().find(same) {
            Some(other) => other.details.found += 1,
            None => self.found.push(outcome),
        }
    }
}

/// A random impulse in the friction cones; normal impulses are up to 1.
fn random_impulse(space: &ConeSpace, draw: u32) -> DVector<f64> {
    let draws = Stream::new(0, u64::from(draw));
    let unit = |j: usize| f64::from(stream::unit(draws.draw(0, Purpose::Covering, j as u32)));
    let mut l = DVector::zeros(space.u.len());
    for (i, mu) in space.mu.iter().enumerate() {
        let [normal, share, angle] = [0, 1, 2].map(|j| unit(3 * i + j));
        let (sin, cos) = (std::f64::consts::TAU * angle).sin_cos();
        let friction = mu.min(1.0) * share * normal;
        space.set_part(&mut l, i, Vector3::new(normal, friction * cos, friction * sin));
    }
    l
}

/// The solutions of a contact space found by Newton's method from zero impulse, from sweeps over
/// the contacts, and from `random_starts` random impulses; one per velocity. In N s, or in N where
/// the velocities are accelerations.
pub fn solutions(space: &ConeSpace, random_starts: u32) -> Vec<DVector<f64>> {
    let mut found: Vec<DVector<f64>> = Vec::new();
    let random = (0..random_starts).map(|k| random_impulse(space, k));
    for l in plain_starts(space).chain(random).filter_map(|start| reached(space, &start)) {
        let apart =
            |other: &DVector<f64>| (&space.w * (other - &l)).amax() > DISTINCT * space.u.amax();
        if found.iter().all(apart) {
            found.push(l);
        }
    }
    found.iter().map(|l| DVector::from_vec(space.impulse(l))).collect()
}

/// The first solution of a contact space found by Newton's method from an impulse `near` (K), from
/// zero impulse, or from sweeps over the contacts. In the units of [`solutions`].
pub fn solution_near(space: &ConeSpace, near: &[f64]) -> Option<DVector<f64>> {
    std::iter::once(space.dimensionless(near))
        .chain(plain_starts(space))
        .find_map(|start| reached(space, &start))
        .map(|l| DVector::from_vec(space.impulse(&l)))
}

/// Zero impulse, and the result of a few sweeps.
fn plain_starts(space: &ConeSpace) -> impl Iterator<Item = DVector<f64>> {
    let zero = DVector::zeros(space.u.len());
    let swept = std::iter::once_with({
        let mut l = zero.clone();
        move || {
            sweep(space, &mut l, SWEEPS[0]);
            l
        }
    });
    std::iter::once(zero).chain(swept)
}

/// The solution by Newton's method from an impulse, both dimensionless.
fn reached(space: &ConeSpace, start: &DVector<f64>) -> Option<DVector<f64>> {
    let end = newton(space, alart_curnier, start);
    (end.size <= RESIDUAL).then_some(end.l)
}

/// The largest violation of the law by an impulse (K) in N s, over `max|u-|`:
///
/// ```text
/// |min(ln w, u_n)|  and  |lt w - P_r(lt w - u_t)|,  r = mu ln w,
/// ```
///
/// with `P_r` the projection onto the disk of radius `r`, and `w` the mean diagonal entry of the
/// contact's block of `W`. Only solutions have violation 0.
fn violation(problem: &ContactProblem, impulse: &[f64]) -> f64 {
    residual(problem, impulse, |mu, l, u| {
        let friction = Vector2::new(l[1], l[2]);
        let y = friction - Vector2::new(u[1], u[2]);
        let (size, most) = (y.norm(), mu * l[0]);
        let nearest = if size > most { y * (most / size) } else { y };
        l[0].min(u[0]).abs().max((friction - nearest).norm())
    })
}
