use super::SequentialDetails;
use super::alternation::{Contacts, REST, Visit};
use super::single::impact;
use carom_core::{ContactProblem, Outcome, Scaling, StepProblem};

/// The planar contacts of a problem; each impact is a [`single_impact`](super::single_impact).
pub struct PlanarContacts<'a> {
    problem: &'a ContactProblem,
    step: StepProblem<f64>,
    scaling: Scaling,
    /// Contact velocity (2m).
    u: Vec<f64>,
    /// Total impulse (2m).
    total: Vec<f64>,
    /// The rest threshold: minus the smallest normal velocity of a contact at rest, over `max|u-|`.
    rest: f64,
    /// The largest residual of the single impacts.
    residual: f64,
}

impl<'a> PlanarContacts<'a> {
    /// The contacts before the impact.
    pub fn new(problem: &'a ContactProblem) -> Self {
        let (step, scaling, u) =
            StepProblem::scaled(problem.delassus(), problem.friction(), problem.contact_velocity());
        let rest = REST * problem.velocity().amax() / scaling.velocity;
        PlanarContacts { problem, total: vec![0.0; u.len()], step, scaling, u, rest, residual: 0.0 }
    }
}

impl Contacts for PlanarContacts<'_> {
    fn at_rest(&self) -> bool {
        (0..self.step.contacts).all(|i| self.u[i] * self.scaling.sigma[i] >= -self.rest)
    }

    fn visit(&mut self, i: usize) -> Visit {
        let [ln, lt] = impact(&self.step, i, &mut self.u, &mut self.total);
        if ln > 0.0 {
            let after = (self.u[i], &self.u[self.step.contacts + i..][..1]);
            let residual = self.step.contact_residual(i, f64::MAX, (ln, &[lt]), after);
            self.residual = self.residual.max(residual);
            let Scaling { impulse, sigma, .. } = &self.scaling;
            let of_row = |l: f64, row: usize| impulse * l / sigma[row];
            Visit::Struck([of_row(ln, i), of_row(lt, self.step.contacts + i), 0.0])
        } else {
            Visit::Passed
        }
    }

    fn work(&self) -> f64 {
        (4 * self.u.len() + 20) as f64
    }

    fn outcome(&self, details: SequentialDetails) -> Outcome<SequentialDetails> {
        let PlanarContacts { problem, scaling, u, .. } = self;
        let rows = problem.jacobian().nrows();
        let outcome = Outcome::scaled(problem, scaling, rows, &self.total, details);
        let drift = outcome.drift(problem, scaling.velocity, |i| u[i] * scaling.sigma[i]);
        Outcome { residual: self.residual.max(drift), ..outcome }
    }
}
