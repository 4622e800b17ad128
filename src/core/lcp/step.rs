//! One impulse step of a set-valued impact, dimensionless, and its residual.

use crate::Real;

/// The step problem of m contacts, planar in mixed form:
///
/// ```text
/// find L = (ln, lt) with u+ = u + W L,
///   0 <= ln <= c,           ln = 0 where u+_n > 0,    ln = c where u+_n < 0,
///   -mu ln <= lt <= mu ln,  lt = -mu ln where u+_t > 0,  lt = mu ln where u+_t < 0.
/// ```
///
/// Spatial contacts have T signed impulses `lt_a` along the axes of their [`Facets`](super::Facets)
/// instead of one: `sum_a |lt_a| <= mu ln`, and where the contact slips, `lt_a` is nonzero only
/// where `|u+_a|` is largest, against it.
///
/// Source: \[HP23\] (72)-(75); `c = h p`. Eliminating `s`, `b` and `g` from (75) leaves these K =
/// (1 + T) m unknowns. All numbers are dimensionless, see [`Scaling`](super::Scaling). Shapes: `w`
/// (K,K) row by row, `mu` (m), `sigma` (K); normals first, then the T axes of each contact
/// together.
#[derive(Clone, Debug)]
pub struct StepProblem<R> {
    /// Number m of contacts.
    pub contacts: usize,
    /// Number T of axes of each contact's friction: 1 for planar contacts.
    pub axes: usize,
    /// Scaled Delassus matrix (K,K), row by row; for planar contacts its diagonal is 1, or 0 where
    /// the row is zero.
    pub w: Vec<R>,
    /// Scaled coefficients of friction (m).
    pub mu: Vec<R>,
    /// Row scales (K) that turn scaled velocities into velocities over `max|u-|`; the axes of a
    /// contact share one.
    pub sigma: Vec<R>,
}

impl<R: Real> StepProblem<R> {
    /// The step problem in another precision.
    pub fn cast<S: Real>(&self) -> StepProblem<S> {
        let cast = |x: &[R]| x.iter().map(|x| S::from_f64(x.to_f64())).collect();
        StepProblem {
            contacts: self.contacts,
            axes: self.axes,
            w: cast(&self.w),
            mu: cast(&self.mu),
            sigma: cast(&self.sigma),
        }
    }

    /// Number K = (1 + T) m of rows: impulses, and velocities.
    pub fn width(&self) -> usize {
        (1 + self.axes) * self.contacts
    }

    /// The first tangent row of contact `i`.
    #[inline]
    pub(super) fn tangent(&self, i: usize) -> usize {
        self.contacts + i * self.axes
    }

    /// `u+ = u + W L`. Twin: `shaders/lcp/step.wgsl::advance`.
    #[inline]
    pub fn advance(&self, u: &[R], l: &[R], u_plus: &mut [R]) {
        let k = self.width();
        for i in 0..k {
            let row = &self.w[i * k..(i + 1) * k];
            let mut sum = u[i];
            for j in 0..k {
                sum += row[j] * l[j];
            }
            u_plus[i] = sum;
        }
    }

    /// Clips impulses to their bounds, which rounding may violate: `ln` to `[0, c]`, each `lt_a` to
    /// the rest of `mu ln` after the preceding axes. Twin: `shaders/lcp/step.wgsl::clamp_impulse`.
    #[inline]
    pub fn clamp_impulse(&self, c: &[R], l: &mut [R]) {
        for i in 0..self.contacts {
            l[i] = l[i].clamp(R::ZERO, c[i]);
            let mut bound = self.mu[i] * l[i];
            for t in self.tangent(i)..self.tangent(i + 1) {
                l[t] = l[t].clamp(-bound, bound);
                bound -= l[t].abs();
            }
        }
    }

    /// The derivative of the friction of planar contacts at their bound (K), by the derivative of
    /// `mu`: `+-ln dmu`, for the impulse `l`.
    pub(super) fn friction_change(&self, l: &[R]) -> Vec<R> {
        let mut change = vec![R::ZERO; l.len()];
        for i in 0..self.contacts {
            let (ln, t) = (l[i], self.tangent(i));
            let mu = R::from_f64(self.mu[i].to_f64());
            let inside = mu * ln * R::from_f64(1.0 - R::DISTINCT);
            if l[t].abs() > inside {
                let gain = (self.mu[i] - mu) * ln;
                change[t] = if l[t] < R::ZERO { -gain } else { gain };
            }
        }
        change
    }

    /// The largest violation of the original LCP, \[HP23\] (75), by `L` and `u+`.
    ///
    /// With `s = max(-u+_n, 0)`, `g = max_a |u+_a|`, `b+- = max(+-lt, 0)`, the largest
    /// `|min(z_i, (M z + q)_i)|`, velocities over `max|u-|`, impulses times `max W_ii / max|u-|`. A
    /// number that is not finite gives [`Real::HUGE`]. Twin: `shaders/lcp/step.wgsl::residual`.
    #[inline]
    pub fn residual(&self, c: &[R], l: &[R], u_plus: &[R]) -> R {
        self.forced_residual(&[], c, l, u_plus)
    }

    /// The largest violation at contact `i` alone, from its bound, its impulse `(ln, lt)` and its
    /// velocity `(u+_n, u+_t)`, T numbers along the axes each. Twin:
    /// `shaders/lcp/step.wgsl::contact_residual`.
    #[inline]
    pub fn contact_residual(&self, i: usize, c: R, (ln, lt): (R, &[R]), (un, ut): (R, &[R])) -> R {
        let (sn, st) = (self.sigma[i], self.sigma[self.tangent(i)]);
        let un = un * sn;
        let s = Real::max(-un, R::ZERO);
        let (mut g, mut friction) = (R::ZERO, R::ZERO);
        for a in 0..self.axes {
            g = Real::max(g, (ut[a] * st).abs());
            friction += lt[a].abs();
        }
        let gaps = [
            Real::min(s, (c - ln) / sn),
            Real::min(ln / sn, s + un),
            Real::min(g, (self.mu[i] * ln - friction) / st),
        ];
        let mut finite = un.is_finite();
        let mut worst = R::ZERO;
        for gap in gaps {
            finite &= gap.is_finite();
            worst = Real::max(worst, gap.abs());
        }
        for a in 0..self.axes {
            let (lt, ut) = (lt[a], ut[a] * st);
            let along = Real::min(Real::max(lt, R::ZERO) / st, ut + g);
            let against = Real::min(Real::max(-lt, R::ZERO) / st, g - ut);
            finite &= along.is_finite() && against.is_finite() && ut.is_finite();
            worst = Real::max(worst, Real::max(along.abs(), against.abs()));
        }
        if finite { worst } else { R::HUGE }
    }

    /// Size N = (3 + 2 T) m of the step as an LCP.
    pub fn lcp_size(&self) -> usize {
        (3 + 2 * self.axes) * self.contacts
    }

    /// The block of a row or column of the LCP - 0 `s`, 1 `ln`, 2 `b+`, 3 `b-`, 4 `g` - and its
    /// place within.
    #[inline]
    pub(super) fn block(&self, row: usize) -> (usize, usize) {
        let (m, tangents) = (self.contacts, self.axes * self.contacts);
        match row {
            _ if row < m => (0, row),
            _ if row < 2 * m => (1, row - m),
            _ if row < 2 * m + tangents => (2, row - 2 * m),
            _ if row < 2 * m + 2 * tangents => (3, row - 2 * m - tangents),
            _ => (4, row - 2 * m - 2 * tangents),
        }
    }

    /// Entry (row, column) of the LCP matrix of the step, unknowns `[s | ln | b+ | b- | g]`.
    ///
    /// Source: \[HP23\] (75). Deviation: the rows of `g` are divided by `max(1, mu)`, because
    /// `mu = 1e5` would otherwise mix rows of very different size; the solutions are the same.
    #[inline]
    pub fn lcp_entry(&self, row: usize, column: usize) -> R {
        let (m, k) = (self.contacts, self.width());
        let ((a, i), (b, j)) = (self.block(row), self.block(column));
        let w = |r: usize, c: usize| self.w[r * k + c];
        let contact =
            |block: usize, i: usize| if block == 2 || block == 3 { i / self.axes } else { i };
        let same = |x: R| if contact(a, i) == contact(b, j) { x } else { R::ZERO };
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

    /// Entry `row` of the LCP's constant vector for velocity `u` (K) and bounds `c` (m).
    #[inline]
    pub fn lcp_constant(&self, u: &[R], c: &[R], row: usize) -> R {
        match self.block(row) {
            (0, i) => c[i],
            (1, i) => u[i],
            (2, i) => u[self.contacts + i],
            (3, i) => -u[self.contacts + i],
            _ => R::ZERO,
        }
    }

    /// The impulse (K) of a solution `z` (N) of the LCP.
    pub fn impulse_of(&self, z: &[R], l: &mut [R]) {
        let (m, tangents) = (self.contacts, self.axes * self.contacts);
        l[..m].copy_from_slice(&z[m..2 * m]);
        for i in 0..tangents {
            l[m + i] = z[2 * m + i] - z[2 * m + tangents + i];
        }
    }
}
