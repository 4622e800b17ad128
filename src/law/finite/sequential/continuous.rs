use nalgebra::DVector;

use super::SequentialDetails;
use super::alternation::{Contacts, REST, Visit};
use crate::Hypothesis;
use crate::finite::darboux_keller::contact::StruckContact;
use crate::finite::darboux_keller::phase::ArcEnd;
use carom_core::{ContactProblem, Outcome};

/// Estimated multiplications of a single impact.
const IMPACT: usize = 10_000;

/// The contacts of a problem; a single impact follows Darboux and Keller, with Stronge's
/// coefficient of restitution.
pub struct SpatialContacts<'a> {
    problem: &'a ContactProblem,
    /// The contacts; `None`: no normal mobility.
    contacts: Vec<Option<StruckContact<f64>>>,
    /// Contact velocity.
    u: DVector<f64>,
    /// Total impulse.
    total: Vec<f64>,
    /// The rest threshold: minus the smallest normal velocity in m/s of a contact at rest.
    rest: f64,
    /// The largest residual of the single impacts.
    residual: f64,
    /// Work of the contact forces in J.
    work: f64,
}

impl<'a> SpatialContacts<'a> {
    /// The contacts before the impact.
    pub fn new(problem: &'a ContactProblem) -> Self {
        let w = problem.delassus();
        let contact = |i: usize| {
            let rows = rows(problem, i);
            let entry = |a: Option<usize>, b: Option<usize>| a.zip(b).map_or(0.0, |at| w[at]);
            let block = rows.map(|a| rows.map(|b| entry(a, b)));
            (block[0][0] > 0.0).then(|| StruckContact::new(block, problem.friction()[i]))
        };
        let u = problem.contact_velocity().clone();
        SpatialContacts {
            problem,
            contacts: (0..problem.contact_count()).map(contact).collect(),
            total: vec![0.0; u.len()],
            u,
            rest: REST * problem.velocity().amax(),
            residual: 0.0,
            work: 0.0,
        }
    }
}

/// The rows of the Jacobian of contact `i`: its normal and up to two tangents. A planar problem has
/// one tangent, a frictionless problem none.
pub fn rows(problem: &ContactProblem, i: usize) -> [Option<usize>; 3] {
    let (m, d) = (problem.contact_count(), problem.tangents_per_contact());
    [Some(i), (d > 0).then_some(m + d * i), (d > 1).then_some(m + d * i + 1)]
}

impl Contacts for SpatialContacts<'_> {
    fn at_rest(&self) -> bool {
        (0..self.problem.contact_count()).all(|i| self.u[i] >= -self.rest)
    }

    fn visit(&mut self, i: usize) -> Visit {
        let approaching = self.u[i] < 0.0;
        let Some(contact) = self.contacts[i].as_ref().filter(|_| approaching) else {
            return Visit::Passed;
        };
        let rows = rows(self.problem, i);
        let before = rows.map(|row| row.map_or(0.0, |row| self.u[row]));
        let e = self.problem.restitution().map_or(0.0, |e| e[i]);
        let impact = contact.impact(before, Hypothesis::Stronge, e, |_, _, _| {});
        for (row, l) in rows.into_iter().zip(impact.impulse) {
            let Some(row) = row else { continue };
            self.u.axpy(l, &self.problem.delassus().column(row), 1.0);
            self.total[row] += l;
        }
        // The law sets these velocities to exactly 0; the sums above contain rounding.
        for (row, after) in rows.into_iter().zip(impact.velocity) {
            row.into_iter().for_each(|row| self.u[row] = after);
        }
        let [compression, restitution, friction] = impact.work;
        self.work += restitution + friction - compression;
        self.residual = self.residual.max(impact.residual);
        let ends = impact.end == ArcEnd::Over;
        if ends { Visit::Struck(impact.impulse) } else { Visit::Endless(impact.impulse) }
    }

    fn work(&self) -> f64 {
        (4 * self.u.len() + IMPACT) as f64
    }

    fn outcome(&self, details: SequentialDetails) -> Outcome<SequentialDetails> {
        let outcome = Outcome::new(self.problem, self.total.clone(), details);
        let size = self.problem.contact_velocity().amax();
        let drift = outcome.drift(self.problem, 1.0, |i| self.u[i]);
        let residual = if size > 0.0 { self.residual.max(drift / size) } else { self.residual };
        let imbalance = outcome.imbalance(self.problem, self.work);
        Outcome { residual: residual.max(imbalance), ..outcome }
    }
}
