use nalgebra::DVector;

use super::given::Midpoint;
use super::impact::problem;
use crate::model::Site;
use crate::model::spatial::Contact;
use carom_core::error::Result;
use carom_core::problem::ContactProblem;

/// Part of the fastest contact velocity below which an approach is rounding.
const ROUNDING: f64 = 1e-12;
/// Part of the fastest approach up to which a contact velocity after an impact counts as 0.
const REST: f64 = 1e-6;
/// Threshold of rest for an approach after an impact, as a multiple of the law's.
const LEFT: f64 = 2.0;

/// Unresolved impact of a motion.
#[derive(Clone, Debug)]
pub struct Strike {
    /// The contact problem of the impact, with the velocity before it.
    pub problem: ContactProblem,
    /// The contacts of the impact.
    pub contacts: Vec<Contact>,
    /// Sites of the contacts, with the number of the touch at the site.
    pub places: Vec<(Site, usize)>,
    /// Whether a gap closed. Otherwise friction at closed contacts leaves no motion without an
    /// impact (Painleve's paradox).
    pub collision: bool,
}

/// Contact velocities after an impact.
#[derive(Clone, Debug)]
pub struct Rebound {
    /// The contact velocities `u` ((1+d) m).
    pub u: DVector<f64>,
    /// The size below which a contact velocity counts as 0.
    pub rest: f64,
    /// The approach below which a contact counts as closed.
    left: f64,
}

impl Rebound {
    /// Whether contact `i` neither approaches nor separates.
    pub fn closes(&self, i: usize) -> bool {
        (-self.left..=self.rest).contains(&self.u[i])
    }
}

impl Strike {
    /// Impact of some contacts at configuration `q` and velocity `v`. Unreachable contacts are left
    /// out: no chain of contacts with `W_ij != 0` connects them to an approaching one.
    ///
    /// # Errors
    /// See [`ContactProblem::new`].
    pub fn new(
        given: &Midpoint,
        q: &DVector<f64>,
        v: &DVector<f64>,
        near: Vec<((Site, usize), Contact)>,
    ) -> Result<Self> {
        let (places, contacts): (Vec<_>, Vec<_>) = near.into_iter().unzip();
        let posed =
            |contacts: &[Contact]| problem(given.mechanism(), given.coefficients(), contacts, q, v);
        let problem = posed(&contacts)?;
        let reached = reached(&problem);
        if reached.len() == contacts.len() {
            return Ok(Strike { problem, contacts, places, collision: true });
        }
        let places = reached.iter().map(|&i| places[i]).collect();
        let contacts: Vec<Contact> = reached.iter().map(|&i| contacts[i].clone()).collect();
        Ok(Strike { problem: posed(&contacts)?, contacts, places, collision: true })
    }

    /// The contact velocities at the velocity `v` after the impact.
    pub fn rebound(&self, v: &[f64]) -> Rebound {
        let before = self.problem.contact_velocity();
        let closing = (-before.rows(0, self.contacts.len()).min()).max(0.0);
        let rest = REST * closing + ROUNDING * before.amax();
        Rebound {
            u: self.problem.jacobian() * DVector::from_column_slice(v),
            rest,
            left: rest.max(LEFT * self.problem.rest_velocity::<f64>()),
        }
    }
}

/// Approaching contacts and all contacts connected to them by chains with `W_ij != 0`, in order.
/// All contacts if none approaches.
fn reached(problem: &ContactProblem) -> Vec<usize> {
    let (m, d) = (problem.contact_count(), problem.tangents_per_contact());
    let (u, w) = (problem.contact_velocity(), problem.delassus());
    let rest = ROUNDING * u.amax();
    let rows = |i: usize| std::iter::once(i).chain(m + d * i..m + d * (i + 1));
    let joined = |i: usize, j: usize| rows(i).any(|a| rows(j).any(|b| w[(a, b)] != 0.0));
    let mut reached: Vec<bool> = (0..m).map(|i| u[i] < -rest).collect();
    let mut open: Vec<usize> = (0..m).filter(|&i| reached[i]).collect();
    if open.is_empty() {
        return (0..m).collect();
    }
    while let Some(i) = open.pop() {
        for j in 0..m {
            if !reached[j] && joined(i, j) {
                reached[j] = true;
                open.push(j);
            }
        }
    }
    (0..m).filter(|&i| reached[i]).collect()
}
