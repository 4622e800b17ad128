//! The outcomes of a law that has finitely many.

use super::anitescu_potra::ContactMode;
use super::darboux_keller::Course;
use super::propagative::Kind;
use super::uniqueness::Uniqueness;
use crate::lcp::Scaling;
use crate::outcome::modes::Mode;
use crate::problem::ContactProblem;
use crate::real::Real;
use crate::status::Status;

/// Two outcomes are distinct when their `v+` differ by more than this times `|v-|`.
pub const DISTINCT: f64 = 1e-7;

/// Most single impacts of one outcome.
pub const MAX_IMPACTS: usize = 20_000;

/// One way in which the impact can end. SI units.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Velocity after the impact `v+` (n).
    pub velocity: Vec<f64>,
    /// Impulse `L` ((1+d) m), normals first.
    pub impulse: Vec<f64>,
    /// Kinetic energy after the impact in J.
    pub kinetic_energy: f64,
    /// Number of single impacts with a non-zero impulse; 1 for an impact at all contacts at once.
    pub impacts: usize,
    /// The contacts of the single impacts, in their order; empty where all strike at once.
    pub sequence: Vec<usize>,
    /// How it ended: [`Status::StepLimit`] where something still approaches, [`Status::Unsolved`] where rounding keeps
    /// the residual above 1e-6.
    pub status: Status,
    /// How far the outcome violates the law's own conditions, dimensionless (velocities over `max|u-|`, impulses times
    /// `max W_ii` over `max|u-|`, energies over the one before).
    pub residual: f64,
    /// Number of its `v+` among the distinct ones of the law, from 0 on.
    pub number: usize,
    /// What each contact does afterwards (m).
    pub modes: Vec<Mode>,
    /// What the law alone says about it.
    pub details: Details,
}

/// What one law says about an outcome beyond its numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum Details {
    /// All contacts at once.
    AnitescuPotra {
        /// The combinations of contact modes (m each) in which this is a solution; none where a pivoting method found it.
        combinations: Vec<Vec<ContactMode>>,
        /// Whether the solutions near it, if any, have the same `v+`. Otherwise it is a corner of a continuum.
        isolated: bool,
        /// Whether all solutions are known.
        complete: bool,
    },
    /// One contact after the other.
    Sequential {
        /// The cyclic order of the contacts.
        order: Vec<usize>,
        /// Number of contacts looked at, those that did not approach included.
        visits: usize,
    },
    /// One spatial contact; what happened is in [`Resolved::course`].
    DarbouxKeller,
    /// Reflections.
    Propagative {
        /// How the sequence came about.
        kind: Kind,
        /// Whether some contact pulls.
        tension: bool,
    },
}

/// All outcomes of one law on one problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// The law's name.
    pub law: &'static str,
    /// The outcomes, in an order that depends on the problem alone.
    pub outcomes: Vec<Outcome>,
    /// Whether these are all that the law has.
    pub complete: bool,
    /// Whether the order of impacts matters; for the propagative law.
    pub uniqueness: Option<Uniqueness>,
    /// What happened during the impact; for the Darboux-Keller law.
    pub course: Option<Box<Course>>,
    /// What a reader of the outcomes must know.
    pub warnings: Vec<String>,
}

impl Resolved {
    /// The number of distinct `v+`.
    pub fn distinct(&self) -> usize {
        self.outcomes.iter().map(|outcome| outcome.number + 1).max().unwrap_or(0)
    }

    /// Calls no outcome terminated that does not meet its equations, and numbers the distinct `v+` in the order of their
    /// first outcomes.
    pub(super) fn finish(&mut self, problem: &ContactProblem) {
        let mut lost = 0;
        for outcome in &mut self.outcomes {
            let checked = outcome.residual <= f64::RESIDUAL;
            if !checked && outcome.status == Status::Terminated {
                outcome.status = Status::Unsolved;
                lost += 1;
            }
        }
        if lost > 0 {
            let bound = f64::RESIDUAL;
            self.warnings
                .push(format!("{lost} outcomes do not meet their equations to {bound:.0e}: rounding"));
        }
        let mut distinct: Vec<usize> = Vec::new();
        for i in 0..self.outcomes.len() {
            let same = |&j: &usize| coincide(problem, &self.outcomes[j].velocity, &self.outcomes[i].velocity);
            let number = distinct.iter().position(same).unwrap_or(distinct.len());
            if number == distinct.len() {
                distinct.push(i);
            }
            self.outcomes[i].number = number;
        }
    }
}

/// Whether two outcomes are the same: `|a - b| <= DISTINCT |v-|`.
pub(super) fn coincide(problem: &ContactProblem, a: &[f64], b: &[f64]) -> bool {
    let square: f64 = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum();
    square.sqrt() <= DISTINCT * problem.velocity().norm()
}

impl Outcome {
    /// The outcome of the dimensionless impulse `l`, of which the entries of the first `rows` rows of the Jacobian count;
    /// the others are 0. `residual` is that of the solver; what `v+` adds to it is the caller's.
    pub(super) fn new(
        problem: &ContactProblem,
        scaling: &Scaling,
        rows: usize,
        l: &[f64],
        details: Details,
    ) -> Self {
        let width = problem.jacobian().nrows();
        let si = |i: usize| if i < rows { scaling.impulse_along(l, i) } else { 0.0 };
        let impulse: Vec<f64> = (0..width).map(si).collect();
        let mut velocity = problem.velocity().clone();
        for (column, &l) in problem.response().column_iter().zip(&impulse) {
            velocity.axpy(l, &column, 1.0);
        }
        let contact_velocity = problem.jacobian() * &velocity;
        let (m, d) = (problem.contact_count(), problem.tangents_per_contact());
        let rest = problem.rest_velocity::<f64>();
        let mode = |i: usize| {
            let t = &contact_velocity.as_slice()[m + d * i..m + d * (i + 1)];
            Mode::of(contact_velocity[i], t, rest)
        };
        let finite = velocity.iter().chain(&impulse).all(|x| x.is_finite());
        Outcome {
            kinetic_energy: problem.kinetic_energy(velocity.as_slice()),
            velocity: velocity.as_slice().to_vec(),
            impulse,
            impacts: 0,
            sequence: Vec::new(),
            status: if finite { Status::Terminated } else { Status::NotFinite },
            residual: 0.0,
            number: 0,
            modes: (0..m).map(mode).collect(),
            details,
        }
    }
}
