//! One impact of the propagative law: outcomes from sequences of reflections and from plastic
//! impulses.

use nalgebra::DVector;

use super::plastic::{projection, pulls, unilateral};
use super::reflections::Reflections;
use super::{Kind, PropagativeDetails};
use carom_core::outcome::listed as outcome;
use carom_core::{ContactProblem, Scaling, Status, StepProblem};

/// An outcome of the propagative law.
pub type ReflectedOutcome = outcome::Outcome<PropagativeDetails>;

/// Normalised rate over `-|p|` above which a contact counts as violated; a momentum without
/// violated contacts is feasible.
const FEASIBLE: f64 = 1e-11;

/// Rounding of a normal velocity, relative to the sum of the sizes of its terms.
const ROUNDING: f64 = 1e-14;

/// An impact on a problem, in dimensionless contact space.
pub struct ReflectedImpact<'a> {
    problem: &'a ContactProblem,
    restitution: f64,
    scaling: Scaling,
    /// The reflections of the momentum before the impact.
    pub reflections: Reflections,
    /// The impulse (m) of the plastic projection.
    projection: Vec<f64>,
    /// Kinetic energy in J before the impact.
    before: f64,
    /// Kinetic energy in J after the plastic projection; of an elastic impact, the energy before
    /// it.
    plastic: f64,
}

impl<'a> ReflectedImpact<'a> {
    /// The impact on a problem with a coefficient of restitution.
    pub fn new(problem: &'a ContactProblem, restitution: f64) -> Self {
        let m = problem.contact_count();
        let normals = problem.delassus().view((0, 0), (m, m)).into_owned();
        let rates = problem.contact_velocity().rows(0, m).into_owned();
        let (step, scaling, mut start) = StepProblem::scaled(&normals, &vec![0.0; m], &rates);
        start.truncate(m);
        let before = problem.kinetic_energy(problem.velocity().as_slice());
        let rest =
            FEASIBLE * (2.0 * before).sqrt() * (scaling.inverse_mass.sqrt() / scaling.velocity);
        let reflections = Reflections { step, start, rest };
        let still = reflections.feasible(&reflections.start);
        let projection = if still { vec![0.0; m] } else { projection(&reflections) };
        let mut impact = ReflectedImpact {
            problem,
            restitution,
            scaling,
            reflections,
            projection,
            before,
            plastic: before,
        };
        if restitution < 1.0 {
            impact.plastic = impact.projected().kinetic_energy;
        }
        impact
    }

    fn of_impulse(&self, l: &[f64], kind: Kind) -> ReflectedOutcome {
        let details = PropagativeDetails { kind, tension: pulls(l), restitution: self.restitution };
        ReflectedOutcome::scaled(self.problem, &self.scaling, l.len(), l, details)
    }

    /// The outcome of a sequence of contacts: the elastic outcome, or its mean with the plastic
    /// projection, with weights `R` and `1 - R`.
    pub fn reflected(&self, sequence: Vec<usize>, kind: Kind) -> ReflectedOutcome {
        let (u, total) = self.reflections.follow(&sequence);
        let r = self.restitution;
        let l: Vec<f64> =
            total.iter().zip(&self.projection).map(|(e, p)| r * e + (1.0 - r) * p).collect();
        let mut outcome = self.of_impulse(&l, kind);
        if outcome.status == Status::Terminated && !self.reflections.feasible(&u) {
            outcome.status = Status::StepLimit;
        }
        let ReflectedImpact { before, plastic, .. } = *self;
        let lost = (outcome.kinetic_energy - plastic - r * r * (before - plastic)).abs();
        let approach = self.rates(&outcome).iter().fold(0.0, |worst: f64, u| worst.max(-u));
        let approach = if outcome.status == Status::Terminated { approach } else { 0.0 };
        let residual = approach.max(if before > 0.0 { lost / before } else { 0.0 });
        self.settled(ReflectedOutcome { impacts: sequence.len(), sequence, residual, ..outcome })
    }

    /// The plastic outcome with every contact at rest. Without violated contacts before the impact,
    /// contacts may separate, and the residual is the largest approach alone.
    pub fn projected(&self) -> ReflectedOutcome {
        let outcome = self.of_impulse(&self.projection, Kind::PlasticProjection);
        let nothing = self.projection.iter().all(|&l| l == 0.0);
        let off = |u: f64| if nothing { -u } else { u.abs() };
        let residual = self.rates(&outcome).iter().fold(0.0, |worst: f64, &u| worst.max(off(u)));
        self.settled(ReflectedOutcome { impacts: usize::from(!nothing), residual, ..outcome })
    }

    /// The plastic outcome without tension.
    pub fn unilateral(&self) -> ReflectedOutcome {
        let l = unilateral(&self.reflections);
        let outcome = self.of_impulse(&l, Kind::PlasticUnilateral);
        let gap = |i: usize, u: f64| u.min(l[i] / self.scaling.sigma[i]).abs();
        let gaps = self.rates(&outcome).into_iter().enumerate().map(|(i, u)| gap(i, u));
        let residual = gaps.fold(0.0, f64::max);
        let impacts = usize::from(l.iter().any(|&l| l > 0.0));
        self.settled(ReflectedOutcome { impacts, residual, ..outcome })
    }

    /// The effect of restitution on the impulse of reflections.
    pub fn rebound(&self) -> Rebound {
        let ReflectedImpact { restitution: r, before, plastic, .. } = *self;
        Rebound {
            restitution: r,
            plastic: self.projected().impulse.iter().map(|l| (1.0 - r) * l).collect(),
            energy: Some(plastic + r * r * (before - plastic)),
        }
    }

    /// Whether the plastic projection requires tension.
    pub fn pulls(&self) -> bool {
        pulls(&self.projection)
    }

    /// The outcome, unsolved if a contact then approaches faster than the rest threshold.
    fn settled(&self, outcome: ReflectedOutcome) -> ReflectedOutcome {
        let approaches = |i: usize| {
            let terms = self.problem.jacobian().row(i).transpose();
            let terms = terms.component_mul(&DVector::from_column_slice(&outcome.velocity));
            let rest = self.reflections.rest * self.scaling.velocity * self.scaling.sigma[i];
            terms.sum() < -rest - ROUNDING * terms.lp_norm(1)
        };
        let ended = outcome.status == Status::Terminated;
        match ended && (0..self.problem.contact_count()).any(approaches) {
            true => ReflectedOutcome { status: Status::Unsolved, ..outcome },
            false => outcome,
        }
    }

    /// Normal velocities after the impact (m), over `max|u-|`.
    fn rates(&self, outcome: &ReflectedOutcome) -> Vec<f64> {
        let normal = self.problem.jacobian().rows(0, self.problem.contact_count());
        let u = normal * DVector::from_column_slice(&outcome.velocity);
        u.iter().map(|u| u / self.scaling.velocity).collect()
    }
}

/// The impulse after restitution, from the impulse `L` of a sequence of reflections:
/// `restitution L + plastic`.
#[derive(Clone, Debug, PartialEq)]
pub struct Rebound {
    /// The factor of `L`: 1, except for reflections with a coefficient of restitution `R` below 1.
    pub restitution: f64,
    /// `1 - R` times the impulse of the plastic outcome, in N s: normals first. Empty: no plastic
    /// part.
    pub plastic: Vec<f64>,
    /// The kinetic energy after the impact, in J, if all orders share it.
    pub energy: Option<f64>,
}

impl Rebound {
    /// The impulse unchanged.
    pub const NONE: Rebound = Rebound { restitution: 1.0, plastic: Vec::new(), energy: None };
}
