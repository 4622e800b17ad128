//! How a contact slips: in a direction that stays, along a Taylor arc, or to a halt at once.

use super::arc::place::{E, F, G, I, P, V};
use super::arc::{Arc, Hypothesis, Motion, ORDER, Stage, State, TERMS};
use super::hodograph::{Contact, dot};
use crate::real::Real;

/// Terms of the series to a halt.
const JUMP: usize = 12;
/// Largest tangent of the angle to a stable direction from which that series is tried.
const NEAR: f64 = 0.3;
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

impl<R: Real> Contact<R> {
    /// Makes `arc` that in a direction that stays: \[JW16\] (32), (35), and the parabolas of (11).
    pub(super) fn straight(&self, arc: &mut Arc<R>, state: &State<R>, along: &Straight<R>) {
        let (push, drift) = (along.push, along.drift);
        let half = R::from_f64(0.5);
        let rise = R::ONE + dot(self.d, push);
        let g = [state[G], state[G + 1]];
        let first = [rise, drift[0], drift[1], R::ONE, push[0], push[1], -state[V], dot(g, push)];
        for i in 0..8 {
            [arc.terms[i][0], arc.terms[i][1], arc.terms[i][2]] = [state[i], first[i], R::ZERO];
        }
        arc.terms[E][2] = -half * rise;
        arc.terms[F][2] = half * dot(drift, push);
        (arc.order, arc.motion, arc.halts) = (2, along.motion, along.closing > R::ZERO);
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

    /// Where slip nearly points along a stable direction `s` and halts before anything else happens: the state at the
    /// halt, and the derivative of the sliding velocity there.
    ///
    /// With `g = a (s + w t)`, `t` normal to `s` and `z = sqrt(1 + w^2)`: `a_tau = a H(w)`, `w_tau = G(w)`, `I_tau = a z`.
    /// What is left of `I` is `a J(w)` with `J' G + J H = -z`, a power series; likewise the integrals of `a`, `a w`
    /// and, with `2 H`, `a^2 z^2`. The work of compression follows from the energy balance.
    pub(super) fn jump(&self, state: &State<R>, size: R, stage: &Stage<R>) -> Option<(State<R>, [R; 2])> {
        let g = [state[G], state[G + 1]];
        let mut s = g.map(|g| g / size);
        let along = |s: [R; 2]| {
            let (t, derivative) = ([-s[1], s[0]], self.derivative(s));
            let growth = dot(s, derivative);
            let slope = -growth - self.mu * (self.b[0] * t[0] * t[0] + self.b[1] * t[1] * t[1]);
            (t, [growth, slope], dot(t, derivative))
        };
        for round in 0..6 {
            let (t, rates, turning) = along(s);
            if !(rates[0] < R::ZERO && rates[1] < R::ZERO) {
                return None;
            }
            let angle = turning / rates[1];
            if angle.abs() > R::from_f64(NEAR) {
                return None;
            }
            if round == 0 && stage.compressing {
                // What the normal velocity would about be.
                let rise = R::ONE - self.mu * dot(self.d, s);
                if state[V] * rates[0] < rise * size {
                    return None;
                }
            }
            let turned = [s[0] - t[0] * angle, s[1] - t[1] * angle];
            let length = dot(turned, turned).sqrt();
            s = turned.map(|x| x / length);
            // Newton's method: the next step would be the square of this one.
            if angle.abs() <= R::from_f64(R::EPSILON).sqrt() {
                break;
            }
        }
        let (t, rates, _) = along(s);
        if !(rates[0] < R::ZERO && rates[1] < R::ZERO) {
            return None;
        }
        let (a, w) = (dot(s, g), dot(t, g) / dot(s, g));
        if !(a > R::ZERO && w.abs() <= R::from_f64(NEAR)) {
            return None;
        }
        let rise = R::ONE - self.mu * dot(self.d, s);
        if rise.abs() <= self.mu * dot(self.d, self.d).sqrt() * w.abs() {
            // The normal velocity may turn on the way.
            return None;
        }
        // mu B and d in the frame (s, t).
        let m = self.b.map(|b| self.mu * b);
        let st = m[0] * s[0] * t[0] + m[1] * s[1] * t[1];
        let ds = dot(self.d, s);
        let [mut turning, mut growth] = [[R::ZERO; JUMP + 1]; 2];
        for n in 0..=JUMP {
            let z = R::from_f64(ROOT[n]);
            growth[n] = ds * z;
            turning[n] = st * z;
            if n > 0 {
                turning[n] += -ds * R::from_f64(ROOT[n - 1]);
            }
        }
        turning[0] = R::ZERO;
        turning[1] = rates[1];
        turning[2] += st;
        growth[0] = rates[0];
        growth[1] += -st;
        let mut left = [[R::ZERO; 4]; JUMP];
        let (mut sum, mut power) = ([R::ZERO; 4], R::ONE);
        for n in 0..JUMP {
            let flag = |is: bool| if is { R::ONE } else { R::ZERO };
            let mut known = [R::from_f64(ROOT[n]), flag(n == 0), flag(n == 1), flag(n == 0 || n == 2)];
            for j in 0..n {
                let turn = R::from_f64(j as f64) * turning[n + 1 - j];
                let once = turn + growth[n - j];
                for (k, known) in known.iter_mut().enumerate() {
                    let by = if k == 3 { once + growth[n - j] } else { once };
                    *known += by * left[j][k];
                }
            }
            let own = R::from_f64(n as f64) * rates[1] + rates[0];
            for k in 0..4 {
                left[n][k] = -known[k] / if k == 3 { own + rates[0] } else { own };
                sum[k] += left[n][k] * power;
            }
            power = power * w;
        }
        let largest = |n: usize| left[n].iter().fold(R::ZERO, |largest, x| largest.max(x.abs()));
        // Two terms: one of them may be small by accident.
        let neglected = a * power.abs() * (largest(JUMP - 1) + largest(JUMP - 2) * w.abs());
        if neglected > R::CONDITION * R::from_f64(1.0 / 64.0) || !neglected.is_finite() {
            return None;
        }
        let pushed = [a * sum[1], a * sum[2]];
        let p = [0, 1].map(|i| -self.mu * (s[i] * pushed[0] + t[i] * pushed[1]));
        let i = a * sum[0];
        let mut halt = *state;
        [halt[G], halt[G + 1]] = [R::ZERO; 2];
        halt[V] += i + dot(self.d, p);
        halt[I] += i;
        halt[P] += p[0];
        halt[P + 1] += p[1];
        let friction = -self.mu * (a * a * sum[3]);
        halt[F] += friction;
        halt[E] += friction - R::from_f64(0.5) * (dot(g, p) + (state[V] + halt[V]) * i);
        let undisturbed = match (stage.compressing, stage.hypothesis) {
            (true, _) => halt[V] < R::ZERO,
            (_, Hypothesis::Stronge) => stage.owed + halt[E] > R::ZERO,
            (_, Hypothesis::Poisson) => stage.owed > halt[I] - stage.from,
            (_, Hypothesis::Newton) => halt[V] < stage.owed,
        };
        let undisturbed = undisturbed && (stage.compressing || halt[V] >= R::ZERO);
        undisturbed.then_some((halt, s.map(|s| rates[0] * s)))
    }

    /// Makes `arc` one of slip by Taylor's series in `tau`: `g_tau = -mu B g + r d`, `r r = g.g`. Products of series
    /// are spread to the powers that they belong to as soon as their factors are known.
    pub(super) fn curve(&self, arc: &mut Arc<R>, state: &State<R>, size: R) {
        let [v, x, y, i, p, q, e, f] = &mut arc.terms;
        for (c, &start) in [&mut *v, x, y, i, p, q, e, f].into_iter().zip(state) {
            c[0] = start;
        }
        let [mut r, mut squares, mut roots, mut work] = [[R::ZERO; TERMS]; 4];
        r[0] = size;
        squares[0] = size * size;
        work[0] = size * v[0];
        let inverse = R::from_f64(0.5) / size;
        let two = R::ONE + R::ONE;
        for n in 0..ORDER {
            let m = n + 1;
            let step = self.rate * R::from_f64(INVERSE[n]);
            p[m] = -self.mu * x[n] * step;
            q[m] = -self.mu * y[n] * step;
            i[m] = r[n] * step;
            x[m] = self.b[0] * p[m] + self.d[0] * i[m];
            y[m] = self.b[1] * q[m] + self.d[1] * i[m];
            v[m] = i[m] + self.d[0] * p[m] + self.d[1] * q[m];
            e[m] = -step * work[n];
            f[m] = -self.mu * step * squares[n];
            let count = m.min(TERMS - m);
            let (xm, ym, vm) = (x[m] * two, y[m] * two, v[m]);
            squares[m] += xm * x[0] + ym * y[0];
            r[m] = (squares[m] - roots[m]) * inverse;
            let rm = r[m];
            work[m] += rm * v[0] + vm * size;
            let (xs, ys, rs, vs) = (&x[1..count], &y[1..count], &r[1..count], &v[1..count]);
            let end = m + count;
            let (square, root) = (&mut squares[m + 1..end], &mut roots[m + 1..end]);
            let done = &mut work[m + 1..end];
            for j in 0..count - 1 {
                square[j] += xm * xs[j] + ym * ys[j];
                root[j] += (rm + rm) * rs[j];
                done[j] += rm * vs[j] + vm * rs[j];
            }
            if 2 * m <= ORDER {
                squares[2 * m] += x[m] * x[m] + y[m] * y[m];
                roots[2 * m] += rm * rm;
                work[2 * m] += rm * vm;
            }
        }
        let largest = |n: usize| x[n].abs().max(y[n].abs()).max(r[n].abs());
        let last = largest(ORDER).max(largest(ORDER - 1));
        // Products have longer series than their factors.
        let products = |n: usize| e[n].abs().max(f[n].abs());
        let product = products(ORDER).max(products(ORDER - 1));
        let share = (R::from_f64(1.0 / 64.0) * size / last).min(size * (size + v[0].abs()) / product);
        let share = (R::CONDITION * share).to_f64().powf(1.0 / ORDER as f64);
        arc.length = R::from_f64(share).min(R::from_f64(LONGEST));
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

/// The series of `sqrt(1 + w^2)`.
const ROOT: [f64; JUMP + 1] = {
    let mut c = [0.0; JUMP + 1];
    c[0] = 1.0;
    let mut k = 1;
    while 2 * k <= JUMP {
        c[2 * k] = c[2 * k - 2] * (1.5 - k as f64) / k as f64;
        k += 1;
    }
    c
};
