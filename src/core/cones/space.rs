//! The dimensionless contact space of a problem with circular friction cones.

use nalgebra::{DMatrix, DVector, Vector2, Vector3};

use crate::ContactProblem;
use crate::lcp::scaling::size;

/// Largest residual of a solution, over `max|u-|`.
pub const RESIDUAL: f64 = 1e-10;

/// Contact velocities `u+ = u + W L` and friction cones `|lt| <= mu ln`, dimensionless.
///
/// With `U = max|u-|`, `w = max W_ii` and `sigma = sqrt(W_ii / w)`, for a tangent the mean over its
/// contact, and 1 where that is 0, a velocity is `U sigma u^`, an impulse `(U / w) L^ / sigma`, and
/// `mu^ = mu sigma_t / sigma_n`. The tangents of a contact share one scale, so that circles stay
/// circles. Shapes: `w` (K,K), `u` and `sigma` (K), `mu` (m); K = (1 + d) m, normals first.
#[derive(Clone, Debug)]
pub struct ConeSpace {
    /// Number d of tangents of each contact.
    pub tangents: usize,
    /// Scaled Delassus matrix.
    pub w: DMatrix<f64>,
    /// Scaled contact velocity before the impact.
    pub u: DVector<f64>,
    /// Scaled coefficients of friction.
    pub mu: Vec<f64>,
    /// The directions `d` of contacts known to slide: their friction is `lt = -mu ln d`.
    pub sliding: Vec<Option<Vector2<f64>>>,
    sigma: Vec<f64>,
    /// The unit of impulse `U / w` in N s.
    impulse: f64,
}

impl ConeSpace {
    /// The contact space of a problem.
    pub fn new(problem: &ContactProblem) -> Self {
        let (w, u) = (problem.delassus(), problem.contact_velocity());
        ConeSpace::of(w, u, problem.friction(), problem.tangents_per_contact())
    }

    /// The contact space of `w`, `u` and `mu` with `d` tangents for each contact.
    pub fn of(w: &DMatrix<f64>, u: &DVector<f64>, mu: &[f64], d: usize) -> Self {
        let (m, k) = (mu.len(), u.len());
        let (speed, largest) = (size(u.amax()), size(w.diagonal().amax()));
        let square = |i: usize| match i.checked_sub(m) {
            None => w[(i, i)],
            Some(t) => {
                (0..d).map(|a| w[(m + d * (t / d) + a, m + d * (t / d) + a)]).sum::<f64>()
                    / d as f64
            }
        };
        let sigma: Vec<f64> = (0..k).map(|i| size((square(i) / largest).sqrt())).collect();
        let ratio = |i: usize| if d > 0 { sigma[m + d * i] / sigma[i] } else { 1.0 };
        ConeSpace {
            tangents: d,
            w: DMatrix::from_fn(k, k, |i, j| w[(i, j)] / largest / (sigma[i] * sigma[j])),
            u: DVector::from_fn(k, |i, _| u[i] / speed / sigma[i]),
            mu: mu.iter().enumerate().map(|(i, mu)| mu * ratio(i)).collect(),
            sliding: vec![None; m],
            impulse: speed / largest,
            sigma,
        }
    }

    /// Number m of contacts.
    pub fn contacts(&self) -> usize {
        self.mu.len()
    }

    /// The rows of contact `i`: its normal and its tangents.
    pub fn rows(&self, i: usize) -> impl Iterator<Item = usize> + Clone + use<> {
        let first = self.contacts() + self.tangents * i;
        std::iter::once(i).chain(first..first + self.tangents)
    }

    /// The entries of `x` (K) at contact `i`; 0 where it has fewer than two tangents.
    pub fn part(&self, x: &DVector<f64>, i: usize) -> Vector3<f64> {
        let mut part = Vector3::zeros();
        self.rows(i).enumerate().for_each(|(a, row)| part[a] = x[row]);
        part
    }

    /// Sets the entries of `x` (K) at contact `i`.
    pub fn set_part(&self, x: &mut DVector<f64>, i: usize, part: Vector3<f64>) {
        self.rows(i).enumerate().for_each(|(a, row)| x[row] = part[a]);
    }

    /// `u+ = u + W L`.
    pub fn after(&self, l: &DVector<f64>) -> DVector<f64> {
        &self.u + &self.w * l
    }

    /// Converts a dimensionless impulse to N s, projected into the friction cones if rounding left
    /// it outside.
    pub fn impulse(&self, l: &DVector<f64>) -> Vec<f64> {
        let mut inside = l.clone();
        for (i, mu) in self.mu.iter().enumerate() {
            let mut part = self.part(l, i);
            part[0] = part[0].max(0.0);
            let size = part[1].hypot(part[2]);
            if size > mu * part[0] {
                (1..3).for_each(|a| part[a] *= mu * part[0] / size);
            }
            self.set_part(&mut inside, i, part);
        }
        inside.iter().zip(&self.sigma).map(|(l, sigma)| self.impulse * l / sigma).collect()
    }

    /// Makes an impulse in N s dimensionless.
    pub fn dimensionless(&self, impulse: &[f64]) -> DVector<f64> {
        DVector::from_fn(self.u.len(), |i, _| impulse[i] / self.impulse * self.sigma[i])
    }
}

/// The largest `violation` of the law over all contacts. Arguments of `violation`: the contact's
/// coefficient of friction, `L w` and `u+`, each over `max|u-|`, with `w` the mean diagonal entry
/// of the contact's block of `W` and `u+ = u + W L`. `impulse` (K) is in N s. A value that is not
/// finite counts as infinite.
pub fn residual(
    problem: &ContactProblem,
    impulse: &[f64],
    violation: impl Fn(f64, Vector3<f64>, Vector3<f64>) -> f64,
) -> f64 {
    let (w, u) = (problem.delassus(), problem.contact_velocity());
    let (m, d) = (problem.contact_count(), problem.tangents_per_contact());
    let after = u + w * DVector::from_column_slice(impulse);
    let speed = size(u.amax());
    let contact = |i: usize| {
        let rows = std::iter::once(i).chain(m + d * i..m + d * (i + 1));
        let mean = rows.clone().map(|row| w[(row, row)]).sum::<f64>() / (1 + d) as f64;
        let (mut l, mut z) = (Vector3::zeros(), Vector3::zeros());
        for (a, row) in rows.enumerate() {
            (l[a], z[a]) = (impulse[row] * (mean / speed), after[row] / speed);
        }
        let found = violation(problem.friction()[i], l, z);
        if found.is_finite() { found } else { f64::INFINITY }
    };
    (0..m).map(contact).fold(0.0, f64::max)
}
