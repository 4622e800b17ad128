//! The power series of slip that turns towards a stable invariant direction.

use super::state::place::G;
use super::{ArcPiece, Settling, StruckContact, TERMS, dot};
use carom_core::Real;

/// Largest angle to a stable direction at which the series is tried.
const NEAR: f64 = 1.5;
/// Limit of Newton steps to a stable direction.
const ROUNDS: usize = 8;
/// If a series does not converge, the next attempt is at this fraction of the angle.
const NEARER: f64 = 0.8;

/// The known stable direction that slip approaches.
#[derive(Clone, Copy, Debug)]
pub struct StableDirection<R> {
    /// The unit vector.
    s: [R; 2],
    /// The largest angle at which a series may converge.
    near: R,
}

impl<R: Real> StableDirection<R> {
    /// The stable direction near `s`, by Newton's method.
    fn near(contact: &StruckContact<R>, mut s: [R; 2]) -> Option<Self> {
        for _ in 0..ROUNDS {
            let [_, turning, slope] = contact.rates(s);
            let step = turning / slope;
            if !(slope < R::ZERO && step.abs() <= R::from_f64(NEAR)) {
                return None;
            }
            let turned = [s[0] + s[1] * step, s[1] - s[0] * step];
            let length = dot(turned, turned).sqrt();
            s = turned.map(|x| x / length);
            // Quadratic convergence: the next step would be negligible.
            if step.abs() <= R::from_f64(R::EPSILON).sqrt() {
                break;
            }
        }
        (contact.rates(s)[2] < R::ZERO).then(|| StableDirection { s, near: R::from_f64(NEAR) })
    }
}

impl<R: Real> Settling<R> {
    /// Slip with `|g| = size` from the beginning of a piece to the nearby stable direction; fills
    /// in the piece's terms. `None` without a nearby stable direction, or if the series does not
    /// converge.
    pub fn new(
        piece: &mut ArcPiece<R>,
        size: R,
        aim: &mut Option<StableDirection<R>>,
    ) -> Option<Self> {
        let ArcPiece { contact, start: state, terms, .. } = piece;
        let g = [state[G], state[G + 1]];
        let known = match *aim {
            Some(known) => known,
            None => StableDirection::near(contact, g.map(|g| g / size))?,
        };
        let StableDirection { s, near } = known;
        let ([start, _, slope], n) = (contact.rates(s), [-s[1], s[0]]);
        let angle = R::from_f64(dot(n, g).to_f64().atan2(dot(s, g).to_f64()));
        *aim = (angle.abs() <= R::from_f64(NEAR)).then_some(known);
        // Whether the normal velocity is monotone on the whole way.
        let rise = contact.rise(s.map(|s| -contact.mu * s));
        let steady =
            contact.margin() > R::ZERO || rise.abs() > (R::ONE - contact.margin()) * angle.abs();
        // The possibly small divisors of the recurrence; if one is zero, the series have
        // logarithms.
        let divisors = [start, start + slope, start + start + slope, start + start + slope + slope];
        let least = slope.abs().max(start.abs()) * R::from_f64(R::EPSILON.sqrt().sqrt());
        if angle.abs() > near || !steady || divisors.iter().any(|x| x.abs() <= least) {
            return None;
        }
        let m = contact.b.map(|b| contact.mu * b);
        let [ss, sn, nn] =
            [[s, s], [s, n], [n, n]].map(|[a, b]| m[0] * a[0] * b[0] + m[1] * a[1] * b[1]);
        let (ds, dn, apart) = (dot(contact.d, s), dot(contact.d, n), R::from_f64(0.5) * (ss - nn));
        let (push, scale) = (-contact.mu, [size, size, size, size * size]);
        let (exponent, inverse) = (start / slope, R::ONE / slope);
        let enough = R::CONDITION * R::from_f64(1.0 / 64.0);
        // Series of G over the angle and of H; series of a times the derivative of ln r.
        let (mut rates, mut slopes) = ([[R::ZERO; 2]; TERMS], [R::ZERO; TERMS]);
        let (mut logarithm, mut level) = ([[R::ZERO]; TERMS], R::ZERO);
        let (mut whole, mut last) = ([R::ZERO; 4], R::HUGE);
        let (mut power, mut order) = (R::ONE, R::ZERO);
        for k in 0..TERMS {
            let [once, twice, next, after] = WAVES[k].map(|wave| R::from_f64(wave) * power);
            let ([x, y], side) = if k % 2 == 0 { ([ds, apart], s) } else { ([dn, sn], n) };
            rates[k] = [x * next - y * after, if k == 0 { start } else { x * once - y * twice }];
            let first = if k == 0 { R::ONE } else { R::ZERO };
            // The right-hand sides minus J' G and J H.
            let mut rest = [first, push * (side[0] * once), push * (side[1] * once), push * first];
            let (mut bend, mut weight) = (rates[k][1] - exponent * rates[k][0], R::ZERO);
            for j in 0..k {
                let ([turn, grow], terms) = (rates[k - j], terms[j]);
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
            terms[k] = [rest[0] * once, rest[1] * once, rest[2] * once, rest[3] * twice];
            if k > 0 {
                slopes[k] = bend * inverse;
                logarithm[k] = [slopes[k] / order];
                level += logarithm[k][0];
            }
            // Near the astroid the series of ln r converges more slowly than the series of J.
            let mut largest = logarithm[k][0].abs();
            for i in 0..4 {
                whole[i] += terms[k][i];
                largest = largest.max((scale[i] * terms[k][i]).abs());
            }
            // Two terms are compared because a single term may be small by accident.
            let neglected = largest + last;
            if neglected <= enough {
                if k + 1 < TERMS {
                    terms[k + 1] = [R::ZERO; 4];
                }
                let (rates, count) = ([start, slope], (k | 1) + 1);
                return Some(Settling { size, angle, rates, whole, logarithm, level, count });
            }
            let converges = neglected * neglected <= enough;
            if k == TERMS / 2 && !converges {
                *aim = Some(StableDirection { s, near: angle.abs() * R::from_f64(NEARER) });
                break;
            }
            (last, power, order) = (largest, power * angle, order + R::ONE);
        }
        None
    }
}

/// Coefficients of `x^k` in `cos x` (`k` even) and `sin x` (odd), and in `cos 2x` and `sin 2x`;
/// coefficients of `x^(k + 1)` in `-sin x` and `cos x`, and in `-sin 2x` and `cos 2x`.
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
