use nalgebra::{DMatrix, DVector};

use crate::bounds::cone;
use crate::bounds::proof::{dual_length_within, length, shift, smallest};
use crate::bounds::rounding::{Sum, up};
use crate::bounds::whitened::Whitened;
use carom_core::problem::ContactProblem;

/// Component of a vector (n) orthogonal to an orthonormal basis (n,r); 0 if it is only rounding.
pub fn beside(basis: &DMatrix<f64>, of: &DVector<f64>) -> DVector<f64> {
    let rest = of - basis * basis.tr_mul(of);
    if rest.norm() > 1e-12 * of.norm() { rest } else { rest * 0.0 }
}

/// Orthonormal basis (n,r) of the span of columns (n,K), from singular values above `least`.
pub fn span(columns: DMatrix<f64>, least: f64) -> Option<DMatrix<f64>> {
    let svd = columns.svd(true, false);
    let unit = svd.u?;
    let kept = (0..unit.ncols()).filter(|k| svd.singular_values[*k] > least);
    let kept: Vec<DVector<f64>> = kept.map(|k| unit.column(k).into_owned()).collect();
    (!kept.is_empty()).then(|| DMatrix::from_columns(&kept))
}

/// Reachable velocities `v` by impulses in the friction cones, with `|v|_M <= |v-|_M`.
pub struct Domain<'a> {
    problem: &'a ContactProblem,
    space: &'a Whitened,
    /// Velocity whose product with every impulse is positive.
    r: &'a DVector<f64>,
    /// Upper bound on the sum of all `r.J' L`.
    pub most: f64,
    /// `fixed`: velocity that impulses hardly change. `rest`: upper bound on the distance of any
    /// reachable velocity from it.
    pub fixed: DVector<f64>,
    pub rest: f64,
    /// Upper bound on `-fixed.J' L` of all impulses together.
    pub turned: f64,
    smallest: f64,
}

impl<'a> Domain<'a> {
    /// Domain of a problem. `fixed`: component of the velocity that impulses do not change, up to
    /// rounding.
    ///
    /// ```text
    /// r.J' L <= 2 |v-|_M |r|_M,    |v - fixed|_M^2 <= |v- - fixed|_M^2 - 2 fixed.J' L
    /// ```
    pub fn new(
        problem: &'a ContactProblem,
        space: &'a Whitened,
        r: &'a DVector<f64>,
        fixed: DVector<f64>,
    ) -> Self {
        let (mass, before) = (problem.mass(), problem.velocity());
        let speed = length(mass, before);
        let most = up(up(2.0 * speed) * length(mass, r));
        let smallest = smallest(mass);
        let mut domain =
            Domain { problem, space, r, most, fixed, rest: 0.0, turned: 0.0, smallest };
        let rest = length(mass, &(before - &domain.fixed));
        domain.turned = domain.drift(&-&domain.fixed);
        domain.rest = up(up(up(rest * rest) + up(2.0 * domain.turned)).sqrt() + up(1e-14 * speed));
        domain
    }

    /// Upper bound on `x.J' L` of all impulses together.
    pub fn drift(&self, x: &DVector<f64>) -> f64 {
        let (t, falls) = shift(self.problem, x, Some(self.r));
        if falls { up(t * self.most) } else { f64::INFINITY }
    }

    /// Cost of rises: upper bound on `sum_i rise_i L_i` of all impulses together.
    pub fn cost(&self, rises: &[f64]) -> f64 {
        up(self.rise(rises) * self.most)
    }

    /// Upper bound on the ratio of `sum_i rise_i L_i` to `r.J' L`.
    pub fn rise(&self, rises: &[f64]) -> f64 {
        let of = |(i, rise): (usize, &f64)| {
            let push = -cone::rise(self.problem, i, &-self.r);
            if push > 0.0 { up(rise / push) } else { f64::INFINITY }
        };
        rises.iter().enumerate().map(of).fold(0.0, f64::max)
    }

    /// Upper bound on `c.v - p.v - energy |v|_M^2 / (2 |v-|_M^2)` in the domain. `add_part` adds
    /// entry k of `p` to a sum, as products of at most three numbers. `M x`: component of `c` that
    /// impulses do not change, up to rounding.
    ///
    /// ```text
    /// c.v - p.v = x.M v- + x.J' L + e.v,   e = c - M x - p
    /// e.v - a |v|^2 / 2 = e.f + a |f|^2 / 2 - a f.M v + e.(v - f) - a |v - f|^2 / 2,   f = fixed
    /// f.M v = f.M v- + f.J' L
    /// g s - a s^2 / 2 <= g^2 / (2 b) + (b - a) rest^2 / 2  for 0 <= s <= rest and b >= a
    /// ```
    pub fn most(
        &self,
        c: &[f64],
        x: &DVector<f64>,
        add_part: impl Fn(usize, &mut Sum),
        energy: f64,
    ) -> f64 {
        let (mass, n) = (self.problem.mass(), self.problem.coordinate_count());
        let before = self.problem.velocity();
        let (fixed, speed) = (&self.fixed, self.space.speed);
        // Weight of |v|_M^2 / 2, rounded down.
        let a = energy / (speed * speed) * (1.0 - 1e-13);
        let row = |k: usize| {
            let mut sum = Sum::of(mass.row(k).iter().zip(x.iter())).and(-c[k]);
            add_part(k, &mut sum);
            sum
        };
        let rows: Vec<Sum> = (0..n).map(row).collect();
        let e = DVector::from_iterator(n, rows.iter().map(|sum| -sum.value()));
        let error = DVector::from_iterator(n, rows.iter().map(|sum| 4.0 * sum.error()));
        // x.M v- + e.f + a |f|^2 / 2 - a f.M v-
        let mut aside = Sum::of(e.iter().zip(fixed.iter()));
        error.iter().zip(fixed.iter()).for_each(|(e, f)| aside.add((e * f).abs()));
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            aside.add(0.5 * a * (fixed[i] * mass[(i, j)] * fixed[j]));
            aside.add(-a * (fixed[i] * mass[(i, j)] * before[j]));
            aside.add(x[i] * mass[(i, j)] * before[j]);
        }
        let g = dual_length_within(mass, self.space, self.smallest, &e, &error);
        let b = a.max(g / self.rest);
        let across = if g == 0.0 && a == 0.0 {
            0.0
        } else {
            let over = up(up(b - a) * up(0.5 * up(self.rest * self.rest)));
            up(up(up(g * g) / (2.0 * b)) + over)
        };
        let drift = up(self.drift(x) + if a > 0.0 { up(a * self.turned) } else { 0.0 });
        up(up(aside.most() + 8.0 * aside.error()) + up(drift + across))
    }
}
