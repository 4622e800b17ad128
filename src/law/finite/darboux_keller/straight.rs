//! Motion in a constant direction: closed forms in the normal impulse.

use super::state::place::{E, F, G, I, P, V};
use super::{ArcEnd, ContactMotion, ImpactState, Leave, Phase, StruckContact, dot};
use carom_core::Real;

/// Largest turning rate of a constant direction of slip, in roundings of the fastest rate.
const CONSTANT: f64 = 8.0;

/// Sticking, or slip in a constant direction: \[JW16\] (11), (32), (35). The parameter is the
/// normal impulse.
#[derive(Clone, Copy, Debug)]
pub struct Straight<R> {
    /// Tangential impulse per normal impulse.
    push: [R; 2],
    /// The derivative of the sliding velocity.
    drift: [R; 2],
    /// Rate at which `|g|` falls; 0 otherwise.
    closing: R,
    /// The motion of the contact.
    pub motion: ContactMotion,
}

impl<R: Real> Straight<R> {
    /// Slip without friction, whose velocity has the derivative `drift`.
    pub fn free(drift: [R; 2]) -> Self {
        Straight { push: [R::ZERO; 2], drift, closing: R::ZERO, motion: ContactMotion::Slip }
    }

    /// The motion from zero sliding velocity: \[JW16\] (34) and Corollary 6.
    pub fn from_rest(contact: &StruckContact<R>) -> Self {
        if contact.sticks() {
            let push = contact.hold.map(|x| -x);
            return Straight {
                push,
                drift: [R::ZERO; 2],
                closing: R::ZERO,
                motion: ContactMotion::Stick,
            };
        }
        let (s, lambda) = contact.centrifugal();
        let (push, drift) = (s.map(|s| -contact.mu * s), s.map(|s| lambda * s));
        Straight { push, drift, closing: R::ZERO, motion: ContactMotion::Resumed }
    }

    /// Slip in the direction `s`, if that direction is constant.
    pub fn along(contact: &StruckContact<R>, s: [R; 2]) -> Option<Self> {
        let [growth, turning, _] = contact.rates(s);
        if turning.abs() * contact.rate > R::from_f64(CONSTANT * R::EPSILON) {
            return None;
        }
        let (push, drift) = (s.map(|s| -contact.mu * s), s.map(|s| growth * s));
        Some(Straight { push, drift, closing: (-growth).max(R::ZERO), motion: ContactMotion::Slip })
    }

    /// The state a normal impulse `t` after the state `s`: the parabolas of \[JW16\] (11).
    pub fn at(&self, contact: &StruckContact<R>, s: &ImpactState<R>, t: R) -> ImpactState<R> {
        let rise = contact.rise(self.push);
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

    /// The end of the motion from a state, in a phase of the impact.
    pub fn leave(
        &self,
        contact: &StruckContact<R>,
        start: &ImpactState<R>,
        phase: &Phase<R>,
    ) -> Leave<R> {
        let (rise, v, g) = (contact.rise(self.push), start[V], [start[G], start[G + 1]]);
        let halts = self.closing > R::ZERO;
        let length = if halts { dot(g, g).sqrt() / self.closing } else { R::HUGE };
        // The zero of the normal velocity, from below or from above.
        let crossing = if rise * v < R::ZERO { -v / rise } else { R::HUGE };
        let (t, end) = if phase.compressing {
            (crossing, ArcEnd::Compressed)
        } else {
            let t = phase.ahead(start, rise);
            let falls = rise < R::ZERO && crossing < t;
            if falls { (crossing, ArcEnd::Recompressed) } else { (t.max(R::ZERO), ArcEnd::Over) }
        };
        if t >= R::HUGE && length >= R::HUGE {
            return Leave { at: R::ZERO, why: ArcEnd::Never, state: *start, defect: R::ZERO };
        }
        let (at, why) = match t <= length {
            true => (t, end),
            false => (length, if halts { ArcEnd::Halt } else { ArcEnd::Length }),
        };
        Leave { at, why, state: self.at(contact, start, at), defect: R::ZERO }
    }
}
