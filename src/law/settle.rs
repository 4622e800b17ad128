//! How slip settles into a stable direction, to a halt or for ever: a power series in its angle.

use super::arc::place::{G, V};
use super::arc::{Arc, End, Leave, Motion, Shape, Stage, State, TERMS, sum};
use super::hodograph::{Contact, dot};
use crate::real::Real;

/// Largest angle to a stable direction from which the series is tried.
const NEAR: f64 = 1.5;
/// Most steps of Newton's method to a stable direction.
const ROUNDS: usize = 8;
/// Most steps to an event.
const STEPS: usize = 12;
/// Angles below this turn by `G'(0)`.
const NARROW: f64 = 1e-6;
/// Where a series does not converge, the next one is tried at this share of the angle.
const NEARER: f64 = 0.8;

/// The way to the stable direction `s`.
///
/// With `g = r e`, `e = s cos a + n sin a`, `n` normal to `s`:
///
/// ```text
/// r_tau = r H,  H(a) = e.(-mu B e + d)      I_tau = r
/// a_tau = G(a) = de/da.(-mu B e + d)        p_tau = -mu r e,  F_tau = -mu r^2
/// ```
///
/// `I` differs from a constant by `r J(a)`, `J' G + J H = 1`, a power series up to the next zero of `G`, complex ones
/// among them; likewise `p` and, with `2 H`, `F`. `ln r` is `H(0)/G'(0) ln a` and a power series. The arc's parameter is
/// `t`, `a = a0 exp(-t)`: where `H(0) < 0` the contact halts at `t = HUGE`. Coefficients are of powers of `a / a0`.
#[derive(Clone, Debug)]
pub struct Settling<R> {
    /// `|g|` and the angle at `t = 0`.
    size: R,
    angle: R,
    /// `H(0)` and `G'(0)`.
    rates: [R; 2],
    /// The sums of the arc's terms at `t = 0`.
    whole: [R; 4],
    /// The power series of `ln r`, and its sum at `t = 0`.
    logarithm: [[R; 1]; TERMS],
    level: R,
}

fn exp<R: Real>(x: R) -> R {
    R::from_f64(x.to_f64().exp())
}

impl<R: Real> Contact<R> {
    /// The growth rate `H` and the turning rate `G` of slip in the direction `s`, and `G'`.
    fn rates(&self, s: [R; 2]) -> [R; 3] {
        let (n, derivative) = ([-s[1], s[0]], self.derivative(s));
        let growth = dot(s, derivative);
        let slope = -growth - self.mu * (self.b[0] * n[0] * n[0] + self.b[1] * n[1] * n[1]);
        [growth, dot(n, derivative), slope]
    }

    /// The stable direction near `s`.
    fn stable(&self, mut s: [R; 2]) -> Option<[R; 2]> {
        for _ in 0..ROUNDS {
            let [_, turning, slope] = self.rates(s);
            let step = turning / slope;
            if !(slope < R::ZERO && step.abs() <= R::from_f64(NEAR)) {
                return None;
            }
            let turned = [s[0] + s[1] * step, s[1] - s[0] * step];
            let length = dot(turned, turned).sqrt();
            s = turned.map(|x| x / length);
            // The next step would be the square of this one.
            if step.abs() <= R::from_f64(R::EPSILON).sqrt() {
                break;
            }
        }
        (self.rates(s)[2] < R::ZERO).then_some(s)
    }

    /// Makes `arc` the way to the stable direction nearby, where its series converges. `aim` is that direction, once it
    /// is known, and the angle up to which a series may converge.
    pub(super) fn settle(
        &self,
        arc: &mut Arc<'_, R>,
        state: &State<R>,
        size: R,
        aim: &mut Option<([R; 2], R)>,
    ) -> bool {
        let g = [state[G], state[G + 1]];
        let known = aim.or_else(|| Some((self.stable(g.map(|g| g / size))?, R::from_f64(NEAR))));
        let Some((s, near)) = known else { return false };
        let ([start, _, slope], n) = (self.rates(s), [-s[1], s[0]]);
        let angle = R::from_f64(dot(n, g).to_f64().atan2(dot(s, g).to_f64()));
        *aim = if angle.abs() <= R::from_f64(NEAR) { known } else { None };
        // The normal velocity does not turn on the way.
        let rise = self.rise(s.map(|s| -self.mu * s));
        let steady = self.margin() > R::ZERO || rise.abs() > (R::ONE - self.margin()) * angle.abs();
        // The divisors that may be small: there the series have logarithms.
        let divisors = [start, start + slope, start + start + slope, start + start + slope + slope];
        let least = slope.abs().max(start.abs()) * R::from_f64(R::EPSILON.sqrt().sqrt());
        if angle.abs() > near || !steady || divisors.iter().any(|x| x.abs() <= least) {
            return false;
        }
        let m = self.b.map(|b| self.mu * b);
        let [ss, sn, nn] = [[s, s], [s, n], [n, n]].map(|[a, b]| m[0] * a[0] * b[0] + m[1] * a[1] * b[1]);
        let (ds, dn, apart) = (dot(self.d, s), dot(self.d, n), R::from_f64(0.5) * (ss - nn));
        let (push, scale) = (-self.mu, [size, size, size, size * size]);
        let (exponent, inverse) = (start / slope, R::ONE / slope);
        let enough = R::CONDITION * R::from_f64(1.0 / 64.0);
        // G over the angle, and H; a times the derivative of the power series of ln r.
        let (mut rates, mut slopes) = ([[R::ZERO; 2]; TERMS], [R::ZERO; TERMS]);
        let (mut logarithm, mut level) = ([[R::ZERO]; TERMS], R::ZERO);
        let (mut whole, mut last) = ([R::ZERO; 4], R::HUGE);
        let (mut power, mut order) = (R::ONE, R::ZERO);
        for k in 0..TERMS {
            let [once, twice, next, after] = WAVES[k].map(|wave| R::from_f64(wave) * power);
            let ([x, y], side) = if k % 2 == 0 { ([ds, apart], s) } else { ([dn, sn], n) };
            rates[k] = [x * next - y * after, if k == 0 { start } else { x * once - y * twice }];
            let first = if k == 0 { R::ONE } else { R::ZERO };
            // What J' G and J H leave of the right sides.
            let mut rest = [first, push * (side[0] * once), push * (side[1] * once), push * first];
            let (mut bend, mut weight) = (rates[k][1] - exponent * rates[k][0], R::ZERO);
            for j in 0..k {
                let ([turn, grow], terms) = (rates[k - j], arc.terms[j]);
                let by = weight * turn + grow;
                rest[0] -= by * terms[0];
                rest[1] -= by * terms[1];
                rest[2] -= by * terms[2];
                rest[3] -= (by + grow) * terms[3];
                bend -= slopes[j] * turn;
                weight += R::ONE;
            }
            let own = order * slope + start;
            let [once, twice] = [R::ONE / own, R::ONE / (own + start)];
            arc.terms[k] = [rest[0] * once, rest[1] * once, rest[2] * once, rest[3] * twice];
            let mut largest = R::ZERO;
            for i in 0..4 {
                whole[i] += arc.terms[k][i];
                largest = largest.max((scale[i] * arc.terms[k][i]).abs());
            }
            if k > 0 {
                slopes[k] = bend * inverse;
                logarithm[k] = [slopes[k] / order];
                level += logarithm[k][0];
            }
            // Two terms: one of them may be small by accident.
            let neglected = largest + last;
            if neglected <= enough {
                if k + 1 < TERMS {
                    arc.terms[k + 1] = [R::ZERO; 4];
                }
                let rates = [start, slope];
                arc.shape = Shape::Settling(Settling { size, angle, rates, whole, logarithm, level });
                (arc.start, arc.begin, arc.length) = (*state, R::ZERO, R::HUGE);
                (arc.order, arc.motion) = (k, Motion::Slip);
                return true;
            }
            let converges = neglected * neglected <= enough;
            if k == TERMS / 2 && !converges {
                *aim = Some((s, angle.abs() * R::from_f64(NEARER)));
                break;
            }
            (last, power, order) = (largest, power * angle, order + R::ONE);
        }
        false
    }
}

impl<R: Real> Settling<R> {
    /// What `[I, p, F]` gain until `t`, and `|g|` there.
    pub(super) fn gain(&self, t: R, terms: &[[R; 4]]) -> ([R; 4], R) {
        let x = exp(-t);
        let [level] = sum(&self.logarithm[..terms.len()], x);
        let grown = exp(level - self.level - t * (self.rates[0] / self.rates[1]));
        let (left, size) = (sum(terms, x), self.size);
        let gain = |i: usize| size * (grown * left[i] - self.whole[i]);
        let friction = size * size * (grown * grown * left[3] - self.whole[3]);
        ([gain(0), gain(1), gain(2), friction], size * grown)
    }

    /// What they gain until the halt.
    fn all(&self) -> [R; 4] {
        let [i, p, q, f] = self.whole.map(|x| -self.size * x);
        [i, p, q, self.size * f]
    }

    /// The place at a share of the way from one place to another, by angle.
    pub(super) fn between(&self, [from, to]: [R; 2], share: R) -> R {
        let [from, to] = [exp(-from), exp(-to)];
        R::from_f64(-(from + (to - from) * share).to_f64().ln())
    }
}

impl<R: Real> Arc<'_, R> {
    /// How slip that settles, followed from `state` on, leaves this arc in a phase of the impact; `None`: not found.
    ///
    /// Newton's method, with what would follow if the direction stayed in place of the tangent.
    pub(super) fn leave_settled(
        &self,
        settling: &Settling<R>,
        state: &State<R>,
        stage: &Stage<R>,
    ) -> Option<Leave<R>> {
        let contact = self.contact;
        if settling.rates[0] < R::ZERO {
            let mut halt = contact.after(&self.start, settling.all());
            let defect = halt[G].abs().max(halt[G + 1].abs());
            [halt[G], halt[G + 1]] = [R::ZERO; 2];
            let first = match stage.compressing {
                true => halt[V] < R::ZERO,
                false => halt[V] >= R::ZERO && stage.left(&halt) > R::ZERO,
            };
            if first {
                return Some(Leave { at: R::HUGE, why: End::Halt, state: halt, defect });
            }
        }
        let (mut t, mut state) = (self.begin, *state);
        for _ in 0..STEPS {
            let g = [state[G], state[G + 1]];
            let size = dot(g, g).sqrt();
            let s = g.map(|g| g / size);
            let [growth, turning, _] = contact.rates(s);
            let rise = contact.rise(s.map(|s| -contact.mu * s));
            let (ahead, why) = match stage.compressing {
                true => (-state[V] / rise, End::Compressed),
                false => (stage.ahead(&state, rise), End::Over),
            };
            let by = ahead / size;
            // Down to half at once: the event is before the halt.
            let grown = (growth * by).max(R::from_f64(-0.5));
            let far = growth * by < grown;
            let tau = if grown == R::ZERO { by } else { R::from_f64(grown.to_f64().ln_1p()) / growth };
            let angle = settling.angle * exp(-t);
            let pace = if angle.abs() > R::from_f64(NARROW) { -turning / angle } else { -settling.rates[1] };
            t += pace * tau;
            if !(rise > R::ZERO && t.is_finite()) {
                return None;
            }
            let (gain, slip) = settling.gain(t, self.rows());
            state = contact.after(&self.start, gain);
            // What the next step would about be.
            if !far && (turning * by).abs() * ahead.abs().max(by.abs()) <= R::from_f64(R::EPSILON) {
                let square = state[G] * state[G] + state[G + 1] * state[G + 1];
                return Some(Leave { at: t, why, state, defect: (slip - square.sqrt()).abs() });
            }
        }
        None
    }
}

/// Coefficients of `x^k` in `cos x` (`k` even) and `sin x` (odd), and in `cos 2x` and `sin 2x`; those of `x^(k + 1)` in
/// `-sin x` and `cos x`, and in `-sin 2x` and `cos 2x`.
const WAVES: [[f64; 4]; TERMS] = {
    let mut c = [[0.0; 4]; TERMS];
    let (mut once, mut twice, mut k) = (1.0, 1.0, 0);
    while k < TERMS {
        let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
        let next = k as f64 + 1.0;
        c[k] = [once, twice, -once / next, -2.0 * twice / next];
        (once, twice) = (sign * once / next, sign * 2.0 * twice / next);
        k += 1;
    }
    c
};
