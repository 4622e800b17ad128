//! Friction cones with facets (polyhedral friction cones), for contacts with two tangent directions.

use std::f64::consts::PI;

use nalgebra::{DMatrix, DVector};

use super::step::{Scaling, StepProblem, size};
use crate::error::{Error, Result};

/// A friction cone of F facets, an even number, inscribed in Coulomb's circular one.
///
/// ```text
/// d_a = cos(pi a / T) t1 + sin(pi a / T) t2,  a = 0 .. T - 1,  T = F / 2,
/// lt = sum_a lt_a d_a  with  sum_a |lt_a| <= mu ln.
/// ```
///
/// The corners of the cone are `+-mu d_a`: friction along a corner reaches Coulomb's bound, and along the middle of a
/// facet `cos(pi / F)` times this bound. Source: \[ST96\]; in the signed form of \[HP23\] (75), with one slack for a
/// contact.
#[derive(Clone, Debug, PartialEq)]
pub struct Facets {
    axes: Vec<[f64; 2]>,
}

impl Facets {
    /// Smallest number of facets.
    pub const LEAST: u32 = 4;
    /// Largest number of facets.
    pub const MOST: u32 = 32;

    /// A cone of `count` facets.
    ///
    /// # Errors
    /// A number that is odd, below [`Facets::LEAST`] or above [`Facets::MOST`].
    pub fn new(count: u32) -> Result<Self> {
        if !(Self::LEAST..=Self::MOST).contains(&count) || count % 2 == 1 {
            let (least, most) = (Self::LEAST, Self::MOST);
            return Err(Error::usage(format!(
                "a friction cone has an even number of facets from {least} to {most}, found {count}"
            ))
            .at("facets")
            .hint(
                "8 serve most purposes; the cone's friction lies up to 1 - cos(pi / facets) below Coulomb's",
            ));
        }
        let axes = count as usize / 2;
        let axis = |a: usize| {
            let (sin, cos) = (PI * a as f64 / axes as f64).sin_cos();
            [if 2 * a == axes { 0.0 } else { cos }, sin]
        };
        Ok(Facets { axes: (0..axes).map(axis).collect() })
    }

    /// The axes `d_a` (T) in the tangent directions `t1`, `t2`.
    pub fn axes(&self) -> &[[f64; 2]] {
        &self.axes
    }
}

impl Scaling {
    /// Number T of axes of each contact's friction: 1 without facets.
    pub fn axes(&self) -> usize {
        self.facets.as_ref().map_or(1, |facets| facets.axes.len())
    }

    /// Number m of contacts.
    pub(super) fn contacts(&self) -> usize {
        self.sigma.len() / (1 + self.axes())
    }

    /// The dimensionless velocity along row `i` of the step problem, of the contact velocity `u` ((1+d) m); 0 where the
    /// problem has no such row.
    pub fn along(&self, u: &DVector<f64>, i: usize) -> f64 {
        let at = |i: usize| u.get(i).copied().unwrap_or(0.0);
        let (m, axes) = (self.contacts(), self.axes());
        let speed = match &self.facets {
            Some(facets) if i >= m => {
                let (contact, [x, y]) = ((i - m) / axes, facets.axes[(i - m) % axes]);
                x * at(m + 2 * contact) + y * at(m + 2 * contact + 1)
            }
            _ => at(i),
        };
        speed / self.velocity / self.sigma[i]
    }

    /// The rows of the step problem whose impulses add up to impulse `j` of the contact problem, with their weights:
    /// the row itself, or all axes of the contact. Empty where the step problem has no such row.
    #[inline(always)]
    pub fn parts(&self, j: usize) -> impl Iterator<Item = (usize, f64)> {
        let m = self.contacts();
        let facets = self.facets.as_ref().filter(|_| j >= m);
        let (first, count) = match facets {
            Some(facets) => (m + (j - m) / 2 * facets.axes.len(), facets.axes.len()),
            None => (j, usize::from(j < self.sigma.len())),
        };
        let weight = move |a: usize| facets.map_or(1.0, |facets| facets.axes[a][(j - m) % 2]);
        (0..count).map(move |a| (first + a, weight(a)))
    }

    /// Impulse `j` of the problem in N s, from the dimensionless impulses `l` of the step problem; 0 where it has none.
    pub fn impulse_along(&self, l: &[f64], j: usize) -> f64 {
        self.parts(j).map(|(row, weight)| self.impulse * (weight * l[row]) / self.sigma[row]).sum()
    }
}

impl StepProblem<f64> {
    /// [`StepProblem::faceted`] with facets, [`StepProblem::scaled`] without.
    pub fn of(w: &DMatrix<f64>, mu: &[f64], u: &DVector<f64>, facets: Option<&Facets>) -> (Self, Scaling) {
        match facets {
            Some(facets) => Self::faceted(w, mu, u, facets),
            None => {
                let (step, scaling, _) = Self::scaled(w, mu, u);
                (step, scaling)
            }
        }
    }

    /// Scales the step problem of m contacts with two tangents each: Delassus matrix `w` (3m,3m), friction `mu` (m),
    /// contact velocity `u` (3m). The axes of a contact share one scale, `sqrt((W_t1 + W_t2) / 2 w)` with the diagonal
    /// entries of `t1` and `t2`: with different scales, `sum_a |lt_a| <= mu ln` would be another polygon.
    pub fn faceted(w: &DMatrix<f64>, mu: &[f64], u: &DVector<f64>, facets: &Facets) -> (Self, Scaling) {
        let (m, axes) = (mu.len(), facets.axes.len());
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
                    let (first, [x, y]) = (m + 2 * (t / axes), facets.axes[t % axes]);
                    vec![(first, x), (first + 1, y)]
                }
            }
        };
        let entry = |i: usize, j: usize| -> f64 {
            let (a, b) = (row(i), row(j));
            let sum: f64 = a.iter().flat_map(|(r, x)| b.iter().map(move |(c, y)| x * y * w[(*r, *c)])).sum();
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
