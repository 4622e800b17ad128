//! Outcomes of laws with finitely many: velocities with which an impact can end.

use std::collections::BTreeMap;

use nalgebra::DVector;

use super::modes::Mode;
use crate::{ContactProblem, Limits, Real, Scaling, Status};

/// Distance of `v+`, over `|v-|`, above which two outcomes are distinct.
pub const DISTINCT: f64 = 1e-7;

/// Most single impacts of one outcome.
pub const MAX_IMPACTS: usize = 20_000;

/// An outcome of an impact, in SI units. `D` holds details specific to its law.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome<D> {
    /// Velocity after the impact `v+` (n).
    pub velocity: Vec<f64>,
    /// Impulse `L` ((1+d) m), normals first.
    pub impulse: Vec<f64>,
    /// Kinetic energy after the impact in J.
    pub kinetic_energy: f64,
    /// Number of single impacts with a non-zero impulse; 1 for an impact at all contacts at once.
    pub impacts: usize,
    /// The contacts of the single impacts, in order; empty if all contacts strike at once.
    pub sequence: Vec<usize>,
    /// The ending of the impact: [`Status::StepLimit`] if a contact still approaches,
    /// [`Status::Unsolved`] if rounding keeps the residual above 1e-6, [`Status::Budget`] if the
    /// law's [`Limits`] ran out before.
    pub status: Status,
    /// The largest violation of the law's own conditions, dimensionless (velocities over `max|u-|`,
    /// impulses times `max W_ii` over `max|u-|`, energies over the energy before).
    pub residual: f64,
    /// The index of the outcome's `v+` among the distinct ones of the law, from 0 on.
    pub number: usize,
    /// The mode of each contact after the impact (m).
    pub modes: Vec<Mode>,
    /// Details specific to the law.
    pub details: D,
}

impl<D> Outcome<D> {
    /// The outcome of an impulse ((1+d) m) in N s at all contacts at once. The caller sets the
    /// residual, which starts at 0.
    pub fn new(problem: &ContactProblem, impulse: Vec<f64>, details: D) -> Self {
        let mut velocity = problem.velocity().clone();
        for (column, &l) in problem.response().column_iter().zip(&impulse) {
            velocity.axpy(l, &column, 1.0);
        }
        let contact_velocity = problem.jacobian() * &velocity;
        let (m, d) = (problem.contact_count(), problem.tangents_per_contact());
        let rest = problem.rest_velocity::<f64>();
        let mode = |i: usize| {
            let t = &contact_velocity.as_slice()[m + d * i..m + d * (i + 1)];
            Mode::of(contact_velocity[i], t, [rest; 2])
        };
        let finite = velocity.iter().chain(&impulse).all(|x| x.is_finite());
        Outcome {
            kinetic_energy: problem.kinetic_energy(velocity.as_slice()),
            velocity: velocity.as_slice().to_vec(),
            impacts: usize::from(impulse.iter().any(|&l| l != 0.0)),
            impulse,
            sequence: Vec::new(),
            status: if finite { Status::Terminated } else { Status::NotFinite },
            residual: 0.0,
            number: 0,
            modes: (0..m).map(mode).collect(),
            details,
        }
    }

    /// The outcome of a dimensionless impulse `l` along the first `rows` rows of the Jacobian, 0
    /// along the others.
    pub fn scaled(
        problem: &ContactProblem,
        scaling: &Scaling,
        rows: usize,
        l: &[f64],
        details: D,
    ) -> Self {
        let mut impulse: Vec<f64> = (0..rows).map(|i| scaling.impulse_along(l, i)).collect();
        impulse.resize(problem.jacobian().nrows(), 0.0);
        Self::new(problem, impulse, details)
    }

    /// The largest difference between `J v+` and the contact velocity `u+` from the law's own sums,
    /// both over `unit`.
    pub fn drift(&self, problem: &ContactProblem, unit: f64, u: impl Fn(usize) -> f64) -> f64 {
        let reached = problem.jacobian() * DVector::from_column_slice(&self.velocity);
        let apart = reached.iter().enumerate().map(|(i, reached)| (reached / unit - u(i)).abs());
        apart.fold(0.0, f64::max)
    }

    /// Difference between the change of kinetic energy and the work `done` in J, over the energy
    /// before.
    pub fn imbalance(&self, problem: &ContactProblem, done: f64) -> f64 {
        let before = problem.kinetic_energy(problem.velocity().as_slice());
        if before > 0.0 { (self.kinetic_energy - before - done).abs() / before } else { 0.0 }
    }
}

/// Details that determine the parts of an impact.
pub trait Parts: Sized {
    /// The accumulated impulses ((1+d) m) in N s at the end of each part of the impact with this
    /// `outcome`.
    fn impulses(problem: &ContactProblem, outcome: &Outcome<Self>) -> Vec<DVector<f64>>;
}

impl<D: Parts> Outcome<D> {
    /// The velocities (n) before the impact, after each of its parts, and of the outcome.
    ///
    /// Parts are single impacts (sequential), reflections (propagative, after the plastic part),
    /// intervals (plus), times (compliant), and spans between events (Darboux-Keller, with curved
    /// velocities in between). An impact at all contacts at once has one part.
    pub fn course(&self, problem: &ContactProblem) -> Vec<Vec<f64>> {
        let reached = D::impulses(problem, self).into_iter();
        let velocity = |impulse: DVector<f64>| -> Vec<f64> {
            (problem.velocity() + problem.response() * impulse).data.into()
        };
        let mut course = vec![problem.velocity().as_slice().to_vec()];
        course.extend(reached.map(velocity));
        // The law itself sums in another order.
        if let Some(end) = course.last_mut() {
            end.clone_from(&self.velocity);
        }
        course
    }
}

/// Whether two velocities coincide: `|a - b| <= DISTINCT |v-|`.
pub fn coincide(problem: &ContactProblem, a: &[f64], b: &[f64]) -> bool {
    let square: f64 = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum();
    square.sqrt() <= DISTINCT * problem.velocity().norm()
}

/// The index of each distinct velocity: coinciding velocities share the index of the first one;
/// indices start at 0. Only velocities with nearly equal sums of entries are compared.
pub fn numbered<'v>(
    problem: &ContactProblem,
    velocities: impl Iterator<Item = &'v [f64]>,
) -> Vec<usize> {
    // |sum a - sum b| <= sqrt(n) |a - b|.
    let width =
        2.0 * DISTINCT * problem.velocity().norm() * (problem.velocity().len() as f64).sqrt();
    let mut places: BTreeMap<i64, Vec<(usize, &[f64])>> = BTreeMap::new();
    let (mut numbers, mut count) = (Vec::new(), 0);
    for velocity in velocities {
        let place = (velocity.iter().sum::<f64>() / width) as i64;
        let near = places.range(place.saturating_sub(1)..=place.saturating_add(1));
        let same =
            near.flat_map(|(_, near)| near).filter(|(_, other)| coincide(problem, other, velocity));
        let number = same.map(|(number, _)| *number).min().unwrap_or(count);
        if number == count {
            places.entry(place).or_default().push((number, velocity));
            count += 1;
        }
        numbers.push(number);
    }
    numbers
}

/// The outcomes of one law on one problem. `D` holds the law's details of each outcome, `A` its
/// results for all outcomes together.
#[derive(Clone, Debug, PartialEq)]
pub struct OutcomeSet<D, A = ()> {
    /// The law's name.
    pub law: &'static str,
    /// The outcomes, in an order that depends on the problem alone.
    pub outcomes: Vec<Outcome<D>>,
    /// Whether the list has all outcomes of the law; `false` if none terminated.
    pub complete: bool,
    /// Results that the law reports for all outcomes together.
    pub about: A,
    /// Warnings for a reader of the outcomes.
    pub warnings: Vec<String>,
}

impl<D, A> OutcomeSet<D, A> {
    /// Numbers the distinct `v+` in the order of their first outcomes; outcomes with a too large
    /// residual lose the status `terminated`.
    pub fn new(
        law: &'static str,
        problem: &ContactProblem,
        mut outcomes: Vec<Outcome<D>>,
        complete: bool,
        about: A,
        mut warnings: Vec<String>,
    ) -> Self {
        let mut lost = 0;
        for outcome in &mut outcomes {
            let checked = outcome.residual <= f64::RESIDUAL;
            if !checked && outcome.status == Status::Terminated {
                outcome.status = Status::Unsolved;
                lost += 1;
            }
        }
        if lost > 0 {
            let bound = f64::RESIDUAL;
            warnings.push(format!(
                "{lost} outcomes do not meet their equations to {bound:.0e}: rounding"
            ));
        }
        let numbers = numbered(problem, outcomes.iter().map(|outcome| &outcome.velocity[..]));
        outcomes.iter_mut().zip(numbers).for_each(|(outcome, number)| outcome.number = number);
        let complete = complete
            && (outcomes.is_empty() || outcomes.iter().any(|o| o.status == Status::Terminated));
        OutcomeSet { law, outcomes, complete, about, warnings }
    }

    /// Adds a warning about missing outcomes if the law ran out of work.
    pub fn cut(mut self, limits: &Limits) -> Self {
        if let Some(warning) = limits.warning() {
            self.complete = false;
            self.warnings.push(warning);
        }
        self
    }

    /// The number of distinct `v+`.
    pub fn distinct(&self) -> usize {
        self.outcomes.iter().map(|outcome| outcome.number + 1).max().unwrap_or(0)
    }

    /// The outcomes with details of another type.
    pub fn map<E, B>(self, details: impl Fn(D) -> E, about: impl Fn(A) -> B) -> OutcomeSet<E, B> {
        let map = |outcome: Outcome<D>| Outcome {
            velocity: outcome.velocity,
            impulse: outcome.impulse,
            kinetic_energy: outcome.kinetic_energy,
            impacts: outcome.impacts,
            sequence: outcome.sequence,
            status: outcome.status,
            residual: outcome.residual,
            number: outcome.number,
            modes: outcome.modes,
            details: details(outcome.details),
        };
        OutcomeSet {
            law: self.law,
            outcomes: self.outcomes.into_iter().map(map).collect(),
            complete: self.complete,
            about: about(self.about),
            warnings: self.warnings,
        }
    }
}
