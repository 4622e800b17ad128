//! The data that the integration of a sample needs throughout.

use super::tolerances::Tolerances;
use crate::law::restitution::{landing, negligible};
use crate::lcp::StepProblem;
use crate::real::Real;

/// The sum of `x_i y_i`.
pub(super) fn dot<R: Real>(x: &[R], y: &[R]) -> R {
    let mut sum = R::ZERO;
    for (x, y) in x.iter().zip(y) {
        sum += *x * *y;
    }
    sum
}

/// The length of a vector in the tangent plane.
pub(super) fn length<R: Real>([x, y]: [R; 2]) -> R {
    (x * x + y * y).sqrt()
}

/// The inclusion of one sample.
#[derive(Clone, Copy, Debug)]
pub struct Integrator<'a, R> {
    /// The step problem, with one axis (planar) or two axes (spatial) per contact.
    pub step: &'a StepProblem<R>,
    /// Thresholds (m), negative: contact i approaches if its normal velocity is below `rest[i]`.
    pub rest: &'a [R],
    /// Whether reservoirs hold impulse (Poisson) instead of work (Stronge).
    pub poisson: bool,
    /// Tolerances.
    pub tolerances: Tolerances<R>,
}

impl<R: Real> Integrator<'_, R> {
    /// The first tangent row of contact `i`.
    pub(super) fn tangent(&self, i: usize) -> usize {
        self.step.contacts + self.step.axes * i
    }

    /// The entries of `x` (K) in the tangent rows of contact `i`; a planar contact has 0 in the second.
    pub(super) fn sideways(&self, x: &[R], i: usize) -> [R; 2] {
        let t = self.tangent(i);
        [x[t], if self.step.axes == 2 { x[t + 1] } else { R::ZERO }]
    }

    pub(super) fn set_sideways(&self, x: &mut [R], i: usize, [a, b]: [R; 2]) {
        let t = self.tangent(i);
        x[t] = a;
        if self.step.axes == 2 {
            x[t + 1] = b;
        }
    }

    /// The tangential block `[[a, b], [b, d]]` of contact `i`.
    pub(super) fn block_of(&self, i: usize) -> [R; 3] {
        let (k, t) = (self.step.width(), self.tangent(i));
        let a = self.step.w[t * k + t];
        if self.step.axes == 1 {
            return [a, R::ZERO, R::ZERO];
        }
        [a, self.step.w[t * k + t + 1], self.step.w[(t + 1) * k + t + 1]]
    }

    /// The larger eigenvalue of the tangential block of contact `i`.
    pub(super) fn top(&self, i: usize) -> R {
        let [a, b, d] = self.block_of(i);
        R::from_f64(0.5) * (a + d + length([a - d, b + b]))
    }

    /// Entry `j` of `W x`.
    pub(super) fn row(&self, j: usize, x: &[R]) -> R {
        let k = self.step.width();
        dot(&self.step.w[j * k..(j + 1) * k], x)
    }

    /// How far from zero the normal velocity of contact `i` may be at the end of a compression.
    pub(super) fn landing(&self, i: usize) -> R {
        landing(self.rest[i])
    }

    /// The content below which reservoir `i` counts as empty at normal velocity `u`.
    pub(super) fn empty(&self, i: usize, u: R) -> R {
        negligible(u, self.landing(i), self.poisson) / self.step.w[i * self.step.width() + i]
    }
}
