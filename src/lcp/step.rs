//! One impulse step of a set-valued impact, dimensionless, and its residual.

use nalgebra::{DMatrix, DVector};

use crate::real::Real;

/// The step problem of m planar contacts, in mixed form:
///
/// ```text
/// find L = (ln, lt) with u+ = u + W L,
///   0 <= ln <= c,           ln = 0 where u+_n > 0,    ln = c where u+_n < 0,
///   -mu ln <= lt <= mu ln,  lt = -mu ln where u+_t > 0,  lt = mu ln where u+_t < 0.
/// ```
///
/// Source: \[HP23\] (72)-(75); `c = h p`. Eliminating `s`, `b` and `g` from (75) leaves these 2 m unknowns.
/// All numbers are dimensionless, see [`Scaling`]. Shapes: `w` (2m,2m) row by row, `mu` (m), `sigma` (2m);
/// normals first, then tangents.
#[derive(Clone, Debug)]
pub struct StepProblem<R> {
    /// Number m of contacts.
    pub contacts: usize,
    /// Scaled Delassus matrix (2m,2m), row by row; its diagonal is 1, or 0 where the row is.
    pub w: Vec<R>,
    /// Scaled coefficients of friction (m).
    pub mu: Vec<R>,
    /// Row scales (2m) that turn scaled velocities into velocities over `max|u-|`.
    pub sigma: Vec<R>,
}

/// How contact space was made dimensionless.
///
/// With `U = max|u-|`, `w = max W_ii` and `sigma_i = sqrt(W_ii / w)` (1 where `W_ii = 0`), a velocity is
/// `u_i = U sigma_i u^_i` and an impulse `L_i = (U / w) L^_i / sigma_i`; then `u^+ = u^ + W^ L^` with
/// `W^_ij = W_ij / (w sigma_i sigma_j)`, whose diagonal is 1, and `mu^ = mu sigma_t / sigma_n`.
/// Rows of very different size, such as the normals of a heavy and of a light body, become comparable.
#[derive(Clone, Debug)]
pub struct Scaling {
    /// `U = max|u-|` in m/s; 1 where that is 0.
    pub velocity: f64,
    /// `w = max W_ii` in 1/kg; 1 where that is 0.
    pub inverse_mass: f64,
    /// `U / w` in N s.
    pub impulse: f64,
    /// `sigma` (2m).
    pub sigma: Vec<f64>,
}

impl Scaling {
    /// The scaled form of an impulse cap of `h` N s on contact `i`.
    pub fn cap(&self, h: f64, i: usize) -> f64 {
        h / self.impulse * self.sigma[i]
    }

    /// The scaled form of an impulse cap of `h` N s on each contact (m).
    pub fn caps(&self, h: f64) -> Vec<f64> {
        (0..self.sigma.len() / 2).map(|i| self.cap(h, i)).collect()
    }

    /// Takes over another contact velocity `u` as the unit of velocity.
    pub fn rescale(&mut self, u: &DVector<f64>) {
        self.velocity = if u.amax() > 0.0 { u.amax() } else { 1.0 };
        self.impulse = self.velocity / self.inverse_mass;
    }
}

impl StepProblem<f64> {
    /// Scales the step problem of m contacts with Delassus matrix `w` (2m,2m), or (m,m) where there is no
    /// friction, friction `mu` (m) and contact velocity `u`; returns it with the scaled velocity (2m).
    pub fn scaled(w: &DMatrix<f64>, mu: &[f64], u: &DVector<f64>) -> (Self, Scaling, Vec<f64>) {
        let m = mu.len();
        let k = w.nrows();
        let size = |x: f64| if x > 0.0 { x } else { 1.0 };
        let velocity = size(u.amax());
        let largest = size((0..k).map(|i| w[(i, i)]).fold(0.0, f64::max));
        let sigma: Vec<f64> =
            (0..2 * m).map(|i| if i < k { size((w[(i, i)] / largest).sqrt()) } else { 1.0 }).collect();
        let entry = |i: usize, j: usize| {
            if i < k && j < k { w[(i, j)] / largest / (sigma[i] * sigma[j]) } else { 0.0 }
        };
        let problem = StepProblem {
            contacts: m,
            w: (0..4 * m * m).map(|e| entry(e / (2 * m), e % (2 * m))).collect(),
            mu: (0..m).map(|i| mu[i] * (sigma[m + i] / sigma[i])).collect(),
            sigma: sigma.clone(),
        };
        let scaled = (0..2 * m).map(|i| if i < k { u[i] / velocity / sigma[i] } else { 0.0 }).collect();
        (problem, Scaling { velocity, inverse_mass: largest, impulse: velocity / largest, sigma }, scaled)
    }

    /// The same problem in another precision.
    pub fn cast<R: Real>(&self) -> StepProblem<R> {
        let cast = |x: &[f64]| x.iter().map(|&x| R::from_f64(x)).collect();
        StepProblem {
            contacts: self.contacts,
            w: cast(&self.w),
            mu: cast(&self.mu),
            sigma: cast(&self.sigma),
        }
    }
}

impl<R: Real> StepProblem<R> {
    /// `u+ = u + W L`. Twin: `shaders/lcp/step.wgsl::advance`.
    #[inline]
    pub fn advance(&self, u: &[R], l: &[R], u_plus: &mut [R]) {
        let k = 2 * self.contacts;
        for i in 0..k {
            let row = &self.w[i * k..(i + 1) * k];
            let mut sum = u[i];
            for j in 0..k {
                sum += row[j] * l[j];
            }
            u_plus[i] = sum;
        }
    }

    /// Moves impulses that rounding left outside into their bounds: `ln` into `[0, c]`, `lt` into
    /// `[-mu ln, mu ln]`. Twin: `shaders/lcp/step.wgsl::clamp_impulse`.
    #[inline]
    pub fn clamp_impulse(&self, c: &[R], l: &mut [R]) {
        let m = self.contacts;
        for i in 0..m {
            l[i] = l[i].clamp(R::ZERO, c[i]);
            let bound = self.mu[i] * l[i];
            l[m + i] = l[m + i].clamp(-bound, bound);
        }
    }

    /// The largest violation of the original LCP (75) by `L` and `u+`.
    ///
    /// With `s = max(-u+_n, 0)`, `g = |u+_t|`, `b+- = max(+-lt, 0)`, the largest `|min(z_i, (M z + q)_i)|`,
    /// velocities over `max|u-|`, impulses times `max W_ii / max|u-|`. A number that is not finite gives
    /// [`Real::HUGE`]. Twin: `shaders/lcp/step.wgsl::residual`.
    #[inline]
    pub fn residual(&self, c: &[R], l: &[R], u_plus: &[R]) -> R {
        let m = self.contacts;
        (0..m).fold(R::ZERO, |worst, i| {
            Real::max(worst, self.contact_residual(i, c[i], [l[i], l[m + i]], [u_plus[i], u_plus[m + i]]))
        })
    }

    /// The same of contact `i` alone, with its cap, its impulse `(ln, lt)` and its velocity `(u+_n, u+_t)`.
    /// Twin: `shaders/lcp/step.wgsl::contact_residual`.
    #[inline]
    pub fn contact_residual(&self, i: usize, c: R, [ln, lt]: [R; 2], [un, ut]: [R; 2]) -> R {
        let (sn, st) = (self.sigma[i], self.sigma[self.contacts + i]);
        let (un, ut) = (un * sn, ut * st);
        let s = Real::max(-un, R::ZERO);
        let g = ut.abs();
        let gaps = [
            Real::min(s, (c - ln) / sn),
            Real::min(ln / sn, s + un),
            Real::min(Real::max(lt, R::ZERO) / st, ut + g),
            Real::min(Real::max(-lt, R::ZERO) / st, g - ut),
            Real::min(g, (self.mu[i] * ln - lt.abs()) / st),
        ];
        let mut worst = R::ZERO;
        for gap in gaps {
            if !gap.is_finite() {
                return R::HUGE;
            }
            worst = Real::max(worst, gap.abs());
        }
        if un.is_finite() && ut.is_finite() { worst } else { R::HUGE }
    }

    /// Size N = 5 m of the step as an LCP.
    pub fn lcp_size(&self) -> usize {
        5 * self.contacts
    }

    /// Entry (row, column) of the LCP matrix of the step, unknowns `[s | ln | b+ | b- | g]`.
    ///
    /// Source: \[HP23\] (75). Deviation: the rows of `g` are divided by `max(1, mu)`, because `mu = 1e5` would
    /// otherwise mix rows of very different size; the solutions are the same.
    #[inline]
    pub fn lcp_entry(&self, row: usize, column: usize) -> R {
        let m = self.contacts;
        let (a, i) = (row / m, row % m);
        let (b, j) = (column / m, column % m);
        let w = |r: usize, c: usize| self.w[r * 2 * m + c];
        let same = |x: R| if i == j { x } else { R::ZERO };
        match (a, b) {
            (0, 1) => same(-R::ONE),
            (1, 0) => same(R::ONE),
            (1, 1) => w(i, j),
            (1, 2) => w(i, m + j),
            (1, 3) => -w(i, m + j),
            (2, 1) => w(m + i, j),
            (2, 2) => w(m + i, m + j),
            (2, 3) => -w(m + i, m + j),
            (3, 1) => -w(m + i, j),
            (3, 2) => -w(m + i, m + j),
            (3, 3) => w(m + i, m + j),
            (2 | 3, 4) => same(R::ONE),
            (4, 1) => same(self.mu[i] / Real::max(R::ONE, self.mu[i])),
            (4, 2 | 3) => same(-R::ONE / Real::max(R::ONE, self.mu[i])),
            _ => R::ZERO,
        }
    }

    /// Entry `row` of the LCP's constant vector for velocity `u` (2m) and caps `c` (m).
    #[inline]
    pub fn lcp_constant(&self, u: &[R], c: &[R], row: usize) -> R {
        let m = self.contacts;
        match row / m {
            0 => c[row],
            1 => u[row - m],
            2 => u[row - m],
            3 => -u[row - 2 * m],
            _ => R::ZERO,
        }
    }

    /// The impulse (2m) in a solution `z` (5m) of the LCP.
    pub fn impulse_of(&self, z: &[R], l: &mut [R]) {
        let m = self.contacts;
        for i in 0..m {
            l[i] = z[m + i];
            l[m + i] = z[2 * m + i] - z[3 * m + i];
        }
    }
}
