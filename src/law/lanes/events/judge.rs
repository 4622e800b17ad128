//! The residual check of [`crate::routh::events::check`], in lanes.

use bytemuck::Pod;

use crate::routh::events::Events;
use carom_core::Real;
use carom_core::vectors::Vector;

/// The problem data of the residual check, in vectors; `E`: whether contacts have restitution.
pub struct LaneJudge<V, const M: usize, const K: usize, const E: bool> {
    w: [[V; K]; K],
    mu: [V; M],
    sigma: [V; K],
    per_sigma: [V; K],
    /// Squares of the coefficients of restitution.
    pub returned: [V; M],
}

impl<V: Pod, const M: usize, const K: usize, const E: bool> LaneJudge<V, M, K, E> {
    #[inline(always)]
    pub fn new<R: Real, S: Vector<R, V = V>>(simd: S, law: &Events<R>) -> Self {
        let step = &law.space.step;
        LaneJudge {
            w: std::array::from_fn(|i| std::array::from_fn(|j| simd.splat(step.w[i * K + j]))),
            mu: std::array::from_fn(|i| simd.splat(step.mu[i])),
            sigma: std::array::from_fn(|i| simd.splat(step.sigma[i])),
            per_sigma: std::array::from_fn(|i| simd.splat(R::ONE / step.sigma[i])),
            returned: std::array::from_fn(|i| {
                simd.splat(law.numbers.e[i][0] * law.numbers.e[i][0])
            }),
        }
    }

    /// Checks impulse `l` of a segment with impulse bounds `c`: advances the velocity `u` and the
    /// accounts of stored work, and records the largest violation.
    #[inline(always)]
    pub fn segment<R: Real, S: Vector<R, V = V>>(
        &self,
        simd: S,
        worst: &mut V,
        u: &mut [V; K],
        account: &mut [V; M],
        c: &[V; M],
        l: &[V; K],
    ) {
        let zero = simd.splat(R::ZERO);
        let mut after = *u;
        for i in 0..K {
            for j in 0..K {
                after[i] = simd.fma(self.w[i][j], l[j], after[i]);
            }
        }
        for i in 0..M {
            let ln = simd.mul(l[i], self.per_sigma[i]);
            let lt = simd.mul(l[M + i], self.per_sigma[M + i]);
            let bound = simd.mul(simd.mul(self.mu[i], l[i]), self.per_sigma[M + i]);
            let left = simd.sub(simd.mul(c[i], self.per_sigma[i]), ln);
            let (above, below) = (simd.add(lt, bound), simd.sub(bound, lt));
            let within = simd.min(simd.min(ln, left), simd.min(above, below));
            *worst = simd.max(*worst, simd.sub(zero, within));
            let before = account[i];
            if E {
                account[i] = self.book::<R, S>(simd, i, before, l[i], [u[i], after[i]]);
                *worst = simd.max(*worst, simd.sub(zero, account[i]));
                account[i] = simd.max(account[i], zero);
            }
            for (u, account) in [(&*u, before), (&after, account[i])] {
                let (un, ut) =
                    (simd.mul(u[i], self.sigma[i]), simd.mul(u[M + i], self.sigma[M + i]));
                let inelastic = simd.le(self.returned[i], zero);
                let separates = if E {
                    simd.select(inelastic, simd.min(un, ln), simd.min(account, simd.min(un, left)))
                } else {
                    simd.min(un, ln)
                };
                *worst = simd.max(*worst, separates);
                *worst = simd.max(*worst, simd.min(simd.sub(zero, un), left));
                *worst = simd.max(*worst, simd.min(ut, above));
                *worst = simd.max(*worst, simd.min(simd.sub(zero, ut), below));
            }
        }
        *u = after;
    }

    /// The stored work of contact `i` after impulse `l`, while its normal velocity changes linearly
    /// between the two values; 0 without restitution.
    #[inline(always)]
    fn book<R: Real, S: Vector<R, V = V>>(
        &self,
        simd: S,
        i: usize,
        account: V,
        l: V,
        [from, to]: [V; 2],
    ) -> V {
        let (zero, one) = (simd.splat(R::ZERO), simd.splat(R::ONE));
        let half = simd.splat(R::from_f64(0.5));
        // The means of the positive and of the negative part of a linear function.
        let straight = simd.le(zero, simd.mul(from, to));
        let span = simd.select(straight, one, simd.abs(simd.sub(from, to)));
        let mean = |a: V, b: V| {
            let sum = simd.add(simd.max(a, zero), simd.max(b, zero));
            let share = simd.select(straight, one, simd.div(sum, span));
            simd.mul(simd.mul(half, sum), share)
        };
        let absorbed =
            simd.mul(simd.mul(self.returned[i], l), mean(simd.sub(zero, from), simd.sub(zero, to)));
        let account = simd.sub(simd.add(account, absorbed), simd.mul(l, mean(from, to)));
        simd.unless(simd.le(self.returned[i], zero), account)
    }
}
