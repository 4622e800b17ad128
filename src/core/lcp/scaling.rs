//! Step problems in dimensionless form.

use nalgebra::{DMatrix, DVector};

use super::facets::Facets;
use super::step::StepProblem;

/// The scales of the dimensionless contact space.
///
/// With `U = max|u-|`, `w = max W_ii` and `sigma_i = sqrt(W_ii / w)` (1 where `W_ii = 0`), a
/// velocity is `u_i = U sigma_i u^_i` and an impulse `L_i = (U / w) L^_i / sigma_i`; then
/// `u^+ = u^ + W^ L^` with `W^_ij = W_ij / (w sigma_i sigma_j)`, whose diagonal is 1, and
/// `mu^ = mu sigma_t / sigma_n`. Rows of very different size, such as the normals of a heavy and of
/// a light body, become comparable.
#[derive(Clone, Debug)]
pub struct Scaling {
    /// `U = max|u-|` in m/s; 1 if that is 0.
    pub velocity: f64,
    /// `w = max W_ii` in 1/kg; 1 if that is 0.
    pub inverse_mass: f64,
    /// `U / w` in N s.
    pub impulse: f64,
    /// `sigma` (K).
    pub sigma: Vec<f64>,
    /// The facets of spatial friction cones; without them, row i of the step problem is row i of
    /// the contact problem.
    pub facets: Option<Facets>,
}

/// `x` if it is positive, else 1; for use as a divisor.
pub fn size(x: f64) -> f64 {
    if x > 0.0 { x } else { 1.0 }
}

impl Scaling {
    /// The dimensionless form of an impulse bound of `h` N s on contact `i`.
    pub fn cap(&self, h: f64, i: usize) -> f64 {
        h / self.impulse * self.sigma[i]
    }

    /// The dimensionless form of an impulse bound of `h` N s on each contact (m).
    pub fn caps(&self, h: f64) -> Vec<f64> {
        (0..self.contacts()).map(|i| self.cap(h, i)).collect()
    }

    /// Makes the largest entry of the contact velocity `u` the unit of velocity.
    pub fn rescale(&mut self, u: &DVector<f64>) {
        self.velocity = if u.amax() > 0.0 { u.amax() } else { 1.0 };
        self.impulse = self.velocity / self.inverse_mass;
    }

    /// Number T of axes of each contact's friction: 1 without facets.
    pub fn axes(&self) -> usize {
        self.facets.as_ref().map_or(1, |facets| facets.axes().len())
    }

    /// Number m of contacts.
    pub(super) fn contacts(&self) -> usize {
        self.sigma.len() / (1 + self.axes())
    }

    /// The dimensionless velocity along row `i` of the step problem, from the contact velocity `u`
    /// ((1+d) m); 0 if the problem has no such row.
    pub fn along(&self, u: &DVector<f64>, i: usize) -> f64 {
        let at = |i: usize| u.get(i).copied().unwrap_or(0.0);
        let (m, axes) = (self.contacts(), self.axes());
        let speed = match &self.facets {
            Some(facets) if i >= m => {
                let (contact, [x, y]) = ((i - m) / axes, facets.axes()[(i - m) % axes]);
                x * at(m + 2 * contact) + y * at(m + 2 * contact + 1)
            }
            _ => at(i),
        };
        speed / self.velocity / self.sigma[i]
    }

    /// The rows of the step problem whose impulses add up to impulse `j` of the contact problem,
    /// with their weights: the row itself, or all axes of the contact. Empty if the step problem
    /// has no such row.
    #[inline(always)]
    pub fn parts(&self, j: usize) -> impl Iterator<Item = (usize, f64)> {
        let m = self.contacts();
        let facets = self.facets.as_ref().filter(|_| j >= m);
        let (first, count) = match facets {
            Some(facets) => (m + (j - m) / 2 * facets.axes().len(), facets.axes().len()),
            None => (j, usize::from(j < self.sigma.len())),
        };
        let weight = move |a: usize| facets.map_or(1.0, |facets| facets.axes()[a][(j - m) % 2]);
        (0..count).map(move |a| (first + a, weight(a)))
    }

    /// Impulse `j` of the problem in N s, from the dimensionless impulses `l` of the step problem;
    /// 0 if it has no such row.
    pub fn impulse_along(&self, l: &[f64], j: usize) -> f64 {
        self.parts(j).map(|(row, weight)| self.impulse * (weight * l[row]) / self.sigma[row]).sum()
    }
}

impl StepProblem<f64> {
    /// Scales the step problem of m planar contacts with Delassus matrix `w` (2m,2m), or (m,m)
    /// where there is no friction, friction `mu` (m) and contact velocity `u`; returns it with the
    /// scaled velocity (2m). Frictionless problems become planar ones whose tangent rows are zero.
    pub fn scaled(w: &DMatrix<f64>, mu: &[f64], u: &DVector<f64>) -> (Self, Scaling, Vec<f64>) {
        let m = mu.len();
        let k = w.nrows();
        let velocity = size(u.amax());
        let largest = size((0..k).map(|i| w[(i, i)]).fold(0.0, f64::max));
        let sigma: Vec<f64> = (0..2 * m)
            .map(|i| if i < k { size((w[(i, i)] / largest).sqrt()) } else { 1.0 })
            .collect();
        let entry = |i: usize, j: usize| {
            if i < k && j < k { w[(i, j)] / largest / (sigma[i] * sigma[j]) } else { 0.0 }
        };
        let problem = StepProblem {
            contacts: m,
            axes: 1,
            w: (0..4 * m * m).map(|e| entry(e / (2 * m), e % (2 * m))).collect(),
            mu: (0..m).map(|i| mu[i] * (sigma[m + i] / sigma[i])).collect(),
            sigma: sigma.clone(),
        };
        let scaled =
            (0..2 * m).map(|i| if i < k { u[i] / velocity / sigma[i] } else { 0.0 }).collect();
        let impulse = velocity / largest;
        (problem, Scaling { velocity, inverse_mass: largest, impulse, sigma, facets: None }, scaled)
    }

    /// [`StepProblem::faceted`] with facets, [`StepProblem::scaled`] without.
    pub fn of(
        w: &DMatrix<f64>,
        mu: &[f64],
        u: &DVector<f64>,
        facets: Option<&Facets>,
    ) -> (Self, Scaling) {
        match facets {
            Some(facets) => Self::faceted(w, mu, u, facets),
            None => {
                let (step, scaling, _) = Self::scaled(w, mu, u);
                (step, scaling)
            }
        }
    }

    /// Scales the step problem of m contacts with two tangents each: Delassus matrix `w` (3m,3m),
    /// friction `mu` (m), contact velocity `u` (3m). The axes of a contact share one scale,
    /// `sqrt((W_t1 + W_t2) / 2 w)` with the diagonal entries of `t1` and `t2`: with different
    /// scales, `sum_a |lt_a| <= mu ln` would be another polygon.
    pub fn faceted(
        w: &DMatrix<f64>,
        mu: &[f64],
        u: &DVector<f64>,
        facets: &Facets,
    ) -> (Self, Scaling) {
        let (m, axes) = (mu.len(), facets.axes().len());
        let width = (1 + axes) * m;
        let largest = size((0..3 * m).map(|i| w[(i, i)]).fold(0.0, f64::max));
        let square = |i: usize| match i.checked_sub(m) {
            None => w[(i, i)],
            Some(t) => {
                let first = m + 2 * (t / axes);
                0.5 * (w[(first, first)] + w[(first + 1, first + 1)])
            }
        };
        let velocity = size(u.amax());
        let scaling = Scaling {
            velocity,
            inverse_mass: largest,
            impulse: velocity / largest,
            sigma: (0..width).map(|i| size((square(i) / largest).sqrt())).collect(),
            facets: Some(facets.clone()),
        };
        let row = |i: usize| -> Vec<(usize, f64)> {
            match i.checked_sub(m) {
                None => vec![(i, 1.0)],
                Some(t) => {
                    let (first, [x, y]) = (m + 2 * (t / axes), facets.axes()[t % axes]);
                    vec![(first, x), (first + 1, y)]
                }
            }
        };
        let entry = |i: usize, j: usize| -> f64 {
            let (a, b) = (row(i), row(j));
            let sum: f64 =
                a.iter().flat_map(|(r, x)| b.iter().map(move |(c, y)| x * y * w[(*r, *c)])).sum();
            sum / largest / (scaling.sigma[i] * scaling.sigma[j])
        };
        let problem = StepProblem {
            contacts: m,
            axes,
            w: (0..width * width).map(|e| entry(e / width, e % width)).collect(),
            mu: (0..m).map(|i| mu[i] * (scaling.sigma[m + i * axes] / scaling.sigma[i])).collect(),
            sigma: scaling.sigma.clone(),
        };
        (problem, scaling)
    }
}
