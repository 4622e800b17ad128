//! Simultaneous impact with Poisson's restitution: one outcome, quickly.

use nalgebra::DVector;

use super::frame::tangents;
use carom_core::event::Event;
use carom_core::problem::ContactProblem;

/// Parameters of the simultaneous law, equal for all contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Simultaneous {
    /// Coefficient of friction.
    pub friction: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
}

/// Contact problems of an event, with contacts placed by a model.
#[derive(Clone, Debug)]
pub struct Impacts {
    /// First impact.
    pub first: ContactProblem,
    /// Contacts of the first impact, then late contacts. They form a second impact if late contacts
    /// approach after the first one. `None` without late contacts.
    pub all: Option<ContactProblem>,
}

/// Maximum number of sweeps over the contacts.
const SWEEPS: usize = 200;
/// Relative change of the impulses in a sweep that counts as convergence.
const TOLERANCE: f64 = 1e-9;

impl Simultaneous {
    /// Velocity after an event, with contacts from the file.
    pub fn of_event(&self, event: &Event) -> Vec<f64> {
        self.velocity(&event.problem, event.problem.velocity().as_slice())
    }

    /// Velocity after the impacts of an event.
    pub fn of_impacts(&self, impacts: &Impacts) -> Vec<f64> {
        let first = &impacts.first;
        let after = self.velocity(first, first.velocity().as_slice());
        let Some(all) = &impacts.all else { return after };
        let speeds = all.jacobian() * DVector::from_column_slice(&after);
        let late = first.contact_count()..all.contact_count();
        let approaches = speeds.as_slice()[late].iter().any(|speed| *speed < 0.0);
        if approaches { self.velocity(all, &after) } else { after }
    }

    /// Velocity after an impact of all contacts from the velocity `before`.
    ///
    /// All contacts compress at once, `u_c = u + W L` with
    ///
    /// ```text
    /// 0 <= ln _|_ u_c,n >= 0,   |lt| <= mu ln,   lt opposes sliding;
    /// ```
    ///
    /// then all expand at once from `u_c`, with normal impulses of at least `e ln`, and more only
    /// to prevent approach.
    ///
    /// Source: \[AP97\] Sec. 4, compression and decompression. Deviation: friction cones are
    /// circular; one solution is found, by projected Gauss-Seidel sweeps from zero impulses; after
    /// [`SWEEPS`] sweeps an approximate one.
    pub fn velocity(&self, problem: &ContactProblem, before: &[f64]) -> Vec<f64> {
        let before = DVector::from_column_slice(before);
        let u = problem.jacobian() * &before;
        let m = problem.contact_count();
        let compression = self.impulse(problem, &u, &vec![0.0; m]);
        let u = u + problem.delassus() * &compression;
        let stored: Vec<f64> = (0..m).map(|i| self.restitution * compression[i]).collect();
        let expansion = self.impulse(problem, &u, &stored);
        let after = before + problem.response() * (compression + expansion);
        after.as_slice().to_vec()
    }

    /// Impulses of one phase, with normal impulses of at least `least` (m).
    fn impulse(&self, problem: &ContactProblem, u: &DVector<f64>, least: &[f64]) -> DVector<f64> {
        let (m, w) = (problem.contact_count(), problem.delassus());
        let mut impulse = DVector::<f64>::zeros(u.len());
        let mut after = u.clone();
        for _ in 0..SWEEPS {
            let mut change = 0.0_f64;
            for i in 0..m {
                let rows = tangents(problem, i);
                let normal = (impulse[i] - after[i] / w[(i, i)]).max(least[i]);
                change = change.max(shift(problem, &mut impulse, &mut after, i, normal));
                let stiff = rows.clone().map(|row| w[(row, row)]).fold(0.0, f64::max);
                if stiff <= 0.0 {
                    continue;
                }
                let free: Vec<f64> =
                    rows.clone().map(|row| impulse[row] - after[row] / stiff).collect();
                let length = free.iter().map(|x| x * x).sum::<f64>().sqrt();
                let bound = self.friction * impulse[i];
                let part = if length > bound { bound / length } else { 1.0 };
                for (row, free) in rows.zip(free) {
                    let to = part * free;
                    change = change.max(shift(problem, &mut impulse, &mut after, row, to));
                }
            }
            if change <= TOLERANCE * impulse.amax() {
                break;
            }
        }
        impulse
    }
}

/// Sets an impulse, moves the contact velocities, and returns the change.
fn shift(
    problem: &ContactProblem,
    impulse: &mut DVector<f64>,
    after: &mut DVector<f64>,
    row: usize,
    to: f64,
) -> f64 {
    let by = to - impulse[row];
    impulse[row] = to;
    after.axpy(by, &problem.delassus().column(row), 1.0);
    by.abs()
}
