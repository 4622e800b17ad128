//! What is known of the forces at contacts, and what they follow from.

use crate::lcp::StepProblem;
use crate::real::Real;

/// What is known of a contact's normal force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Normal {
    /// There is none.
    Off,
    /// It is the cap `c`.
    Full,
    /// `0 <= ln <= c`, `ln = 0` where `z_n > 0`, `ln = c` where `z_n < 0`.
    Free,
}

/// What is known of a contact's friction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grip {
    /// There is none.
    Smooth,
    /// It is `mu ln` along `way`.
    Slides,
    /// It stops `z_t`, or opposes it at its full size `mu ln`.
    Held,
}

/// The caps and coefficients of a sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given<'a, R> {
    pub step: &'a StepProblem<R>,
    pub mu: &'a [R],
    pub caps: &'a [R],
    /// Forces are converged when they are within this of those of the natural map, relative to the largest.
    pub tolerance: R,
}

/// The length of a vector in the tangent plane.
pub(super) fn length<R: Real>([x, y]: [R; 2]) -> R {
    (x * x + y * y).sqrt()
}

/// The nearest vector of at most length `radius`.
pub(super) fn shorten<R: Real>(x: [R; 2], radius: R) -> [R; 2] {
    let size = length(x);
    if size > radius { x.map(|x| x / size * radius) } else { x }
}

impl<R: Real> Given<'_, R> {
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

    /// The larger eigenvalue of the tangential block of contact `i`.
    pub(super) fn top(&self, i: usize) -> R {
        let (k, t) = (self.step.width(), self.tangent(i));
        let a = self.step.w[t * k + t];
        if self.step.axes == 1 {
            return a;
        }
        let (b, d) = (self.step.w[t * k + t + 1], self.step.w[(t + 1) * k + t + 1]);
        R::from_f64(0.5) * (a + d + length([a - d, b + b]))
    }
}
