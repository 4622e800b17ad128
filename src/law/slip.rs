//! How a contact slips: in a direction that stays, or along a Taylor arc.

use super::arc::place::{E, F, G, I, P, V};
use super::arc::{Arc, Motion, ORDER, Shape, State, TERMS};
use super::hodograph::{Contact, dot};
use crate::real::Real;

/// Times the rounding: a direction that turns no faster is constant.
const CONSTANT: f64 = 8.0;
/// Longest Taylor arc, in units of the fastest rate.
const LONGEST: f64 = 6.0;

/// A direction that stays: rates of the tangential impulse and of the sliding velocity per normal impulse.
#[derive(Clone, Copy, Debug)]
pub(super) struct Straight<R> {
    pub(super) push: [R; 2],
    pub(super) drift: [R; 2],
    /// How fast `|g|` falls; 0 where it does not.
    pub(super) closing: R,
    pub(super) motion: Motion,
}

impl<R: Real> Straight<R> {
    /// Slip without friction, which drifts by `d`.
    pub(super) fn free(drift: [R; 2]) -> Self {
        Straight { push: [R::ZERO; 2], drift, closing: R::ZERO, motion: Motion::Slip }
    }

    /// The state a normal impulse `t` later: the parabolas of \[JW16\] (11). `rise` is the derivative of the normal
    /// velocity.
    pub(super) fn at(&self, s: &State<R>, rise: R, t: R) -> State<R> {
        let ([p, q], [x, y], half) = (self.push, self.drift, R::from_f64(0.5));
        let power = s[G] * p + s[G + 1] * q + half * t * (x * p + y * q);
        [
            s[V] + rise * t,
            s[G] + x * t,
            s[G + 1] + y * t,
            s[I] + t,
            s[P] + p * t,
            s[P + 1] + q * t,
            s[E] - t * (s[V] + half * rise * t),
            s[F] + t * power,
        ]
    }
}

impl<R: Real> Contact<R> {
    /// The derivative of the normal velocity under tangential impulses `push` per normal impulse.
    pub(super) fn rise(&self, push: [R; 2]) -> R {
        R::ONE + dot(self.d, push)
    }

    /// Makes `arc` that in a direction that stays: \[JW16\] (32), (35).
    pub(super) fn straight(&self, arc: &mut Arc<R>, state: &State<R>, along: &Straight<R>) {
        let g = [state[G], state[G + 1]];
        (arc.start, arc.begin, arc.shape) = (*state, R::ZERO, Shape::Straight(*along));
        (arc.motion, arc.halts) = (along.motion, along.closing > R::ZERO);
        arc.length = if arc.halts { dot(g, g).sqrt() / along.closing } else { R::HUGE };
    }

    /// The direction of slip `s`, if it stays.
    pub(super) fn constant(&self, s: [R; 2]) -> Option<Straight<R>> {
        let derivative = self.derivative(s);
        let (growth, turning) = (dot(s, derivative), dot([-s[1], s[0]], derivative));
        if turning.abs() * self.rate > R::from_f64(CONSTANT * R::EPSILON) {
            return None;
        }
        let (push, drift) = (s.map(|s| -self.mu * s), s.map(|s| growth * s));
        Some(Straight { push, drift, closing: (-growth).max(R::ZERO), motion: Motion::Slip })
    }

    /// The derivatives of `I` and of the normal velocity along a Taylor arc.
    pub(super) fn paces(&self, state: &State<R>) -> [R; 2] {
        let g = [state[G], state[G + 1]];
        let size = dot(g, g).sqrt();
        [self.rate * size, self.rate * (size - self.mu * dot(self.d, g))]
    }

    /// Makes `arc` one of slip by Taylor's series in `tau`: `g_tau = -mu B g + r d`, `r r = g.g`.
    pub(super) fn curve(&self, arc: &mut Arc<R>, state: &State<R>, size: R) {
        let (g, half, push) = ([state[G], state[G + 1]], R::from_f64(0.5), -self.mu);
        let (inverse, b, d) = (R::ONE / size, self.b.map(|b| push * b), self.d);
        // r_tau = s.g_tau
        let s = g.map(|g| g * inverse);
        let growth = [s[0] * b[0], s[1] * b[1], dot(s, d)];
        // Of x, y, r, and nothing.
        let mut c = [[R::ZERO; 4]; TERMS];
        c[0] = [g[0], g[1], size, R::ZERO];
        let (mut square, mut first) = (size * size, [R::ZERO; 4]);
        arc.terms[0] = [R::ZERO; 4];
        for n in 0..ORDER {
            let (m, step, [x, y, r, _]) = (n + 1, self.rate * R::from_f64(INVERSE[n]), c[n]);
            arc.terms[m] = [r, push * x, push * y, push * square].map(|rate| step * rate);
            // Half of the products in r r = g.g but those of the first and of the last terms.
            let mut sum = [R::ZERO; 4];
            let count = (n / 2).max(1) - 1;
            let (early, late) = (&c[2..2 + count], &c[n - count..n]);
            for (a, b) in early.iter().rev().zip(late) {
                for i in 0..4 {
                    sum[i] += a[i] * b[i];
                }
            }
            if m % 2 == 0 {
                let by = if m == 2 { -half } else { half };
                for i in 0..4 {
                    sum[i] += by * (c[m / 2][i] * c[m / 2][i]);
                }
            }
            let known = (sum[0] + sum[1] - sum[2]) * inverse;
            // As few operations as possible from one term to the next.
            let next = [step * (b[0] * x + d[0] * r), step * (b[1] * y + d[1] * r)];
            let r = known
                + (step * growth[0] + first[0]) * x
                + (step * growth[1] + first[1]) * y
                + (step * growth[2] - first[2]) * r;
            let half =
                sum[0] + sum[1] + size * (s[0] * next[0] + s[1] * next[1] + first[0] * x + first[1] * y);
            square = half + half;
            c[m] = [next[0], next[1], r, R::ZERO];
            if n == 0 {
                first = c[1].map(|c| c * inverse);
            }
        }
        let largest = |n: usize| c[n].iter().fold(R::ZERO, |most, x| most.max(x.abs()));
        let last = largest(ORDER).max(largest(ORDER - 1));
        // Products have longer series than their factors.
        let product = arc.terms[ORDER][3].abs().max(arc.terms[ORDER - 1][3].abs());
        let share = (R::from_f64(1.0 / 64.0) * size / last).min(size * (size + state[V].abs()) / product);
        let share = (R::CONDITION * share).to_f64().powf(1.0 / ORDER as f64);
        arc.length = R::from_f64(share).min(R::from_f64(LONGEST));
        (arc.start, arc.begin, arc.shape) = (*state, R::ZERO, Shape::Taylor);
        (arc.order, arc.motion, arc.halts) = (ORDER, Motion::Slip, false);
    }
}

/// `1/(n + 1)`.
const INVERSE: [f64; ORDER] = {
    let mut c = [1.0; ORDER];
    let mut n = 0;
    while n < ORDER {
        c[n] = 1.0 / (n + 1) as f64;
        n += 1;
    }
    c
};
