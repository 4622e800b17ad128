//! Slip whose direction turns towards a stable invariant direction, and its end.

use super::state::place::{G, V};
use super::{ArcEnd, ArcPiece, ImpactState, Leave, Phase, TERMS, dot, sum};
use carom_core::Real;

/// Limit of Newton steps to an event.
const STEPS: usize = 12;
/// Below this angle to the stable direction, slip turns by the linear part of `G`.
const NARROW: f64 = 1e-6;

/// Slip towards the stable direction `s`, to its halt or for unlimited time.
///
/// With `g = r e`, `e = s cos a + n sin a`, `n` normal to `s`, and `tau` as in
/// [`Taylor`](super::taylor::Taylor):
///
/// ```text
/// r_tau = r H,  H(a) = e.(-mu B e + d)      I_tau = r
/// a_tau = G(a) = de/da.(-mu B e + d)        p_tau = -mu r e,  F_tau = -mu r^2
/// ```
///
/// Over the angle `a`, `I` differs from a constant by `r J(a)` with `J' G + J H = 1`. The power
/// series of `J` converges up to the next zero of `G`, complex zeros included. The same holds for
/// `p` and, with `2 H` instead of `H`, for `F`. `ln r` is `H(0)/G'(0) ln a` plus a power series.
/// The arc's parameter is `t` with `a = a0 exp(-t)`; if `H(0) < 0`, the contact halts at
/// `t = HUGE`. Coefficients belong to powers of `a / a0`.
#[derive(Clone, Debug)]
pub struct Settling<R> {
    /// `|g|` at `t = 0`.
    pub(super) size: R,
    /// The angle `a0` at `t = 0`.
    pub(super) angle: R,
    /// `H(0)` and `G'(0)`.
    pub(super) rates: [R; 2],
    /// The sums of the piece's terms at `t = 0`.
    pub(super) whole: [R; 4],
    /// The power series of `ln r`.
    pub(super) logarithm: [[R; 1]; TERMS],
    /// The value of the power series at `t = 0`.
    pub(super) level: R,
    /// Number of terms of the series; even.
    pub(super) count: usize,
}

fn exp<R: Real>(x: R) -> R {
    R::from_f64(x.to_f64().exp())
}

impl<R: Real> Settling<R> {
    /// The state at `t`.
    pub fn at(&self, piece: &ArcPiece<R>, t: R) -> ImpactState<R> {
        piece.contact.after(&piece.start, self.gain(piece, t).0)
    }

    /// The gains of `[I, p, F]` until `t`, and `|g|` there.
    fn gain(&self, piece: &ArcPiece<R>, t: R) -> ([R; 4], R) {
        let x = exp(-t);
        let [level] = sum(&self.logarithm[..self.count], x);
        let grown = exp(level - self.level - t * (self.rates[0] / self.rates[1]));
        let (left, size) = (sum(&piece.terms[..self.count], x), self.size);
        let gain = |i: usize| size * (grown * left[i] - self.whole[i]);
        let friction = size * size * (grown * grown * left[3] - self.whole[3]);
        ([gain(0), gain(1), gain(2), friction], size * grown)
    }

    /// The state at the halt.
    fn halt(&self, piece: &ArcPiece<R>) -> ImpactState<R> {
        let [i, p, q, f] = self.whole.map(|x| -self.size * x);
        piece.contact.after(&piece.start, [i, p, q, self.size * f])
    }

    /// The parameter at a fraction of the way between two others, measured by angle.
    pub fn between(&self, [from, to]: [R; 2], share: R) -> R {
        let [from, to] = [exp(-from), exp(-to)];
        R::from_f64(-(from + (to - from) * share).to_f64().ln())
    }

    /// The end of slip in a phase of the impact, searched from `state`; `None`: not found.
    ///
    /// Newton's method on the normal impulse; each step approximates the slip from the present
    /// state by slip in a constant direction, whose events have closed forms.
    pub fn leave(
        &self,
        piece: &ArcPiece<R>,
        state: &ImpactState<R>,
        phase: &Phase<R>,
    ) -> Option<Leave<R>> {
        let contact = piece.contact;
        if self.rates[0] < R::ZERO {
            let mut halt = self.halt(piece);
            let defect = halt[G].abs().max(halt[G + 1].abs());
            [halt[G], halt[G + 1]] = [R::ZERO; 2];
            let first = match phase.compressing {
                true => halt[V] < R::ZERO,
                false => halt[V] >= R::ZERO && phase.left(&halt) > R::ZERO,
            };
            if first {
                return Some(Leave { at: R::HUGE, why: ArcEnd::Halt, state: halt, defect });
            }
        }
        let (mut t, mut state) = (piece.begin, *state);
        for _ in 0..STEPS {
            let g = [state[G], state[G + 1]];
            let size = dot(g, g).sqrt();
            let s = g.map(|g| g / size);
            let [growth, turning, _] = contact.rates(s);
            let rise = contact.rise(s.map(|s| -contact.mu * s));
            let (ahead, why) = match phase.compressing {
                true => (-state[V] / rise, ArcEnd::Compressed),
                false => (phase.ahead(&state, rise), ArcEnd::Over),
            };
            let by = ahead / size;
            // A step reduces |g| by at most half: the event comes before the halt.
            let grown = (growth * by).max(R::from_f64(-0.5));
            let far = growth * by < grown;
            let tau =
                if grown == R::ZERO { by } else { R::from_f64(grown.to_f64().ln_1p()) / growth };
            let angle = self.angle * exp(-t);
            let pace =
                if angle.abs() > R::from_f64(NARROW) { -turning / angle } else { -self.rates[1] };
            t += pace * tau;
            if !(rise > R::ZERO && t.is_finite()) {
                return None;
            }
            let (gain, slip) = self.gain(piece, t);
            state = contact.after(&piece.start, gain);
            // Estimated size of the next step.
            if !far && (turning * by).abs() * ahead.abs().max(by.abs()) <= R::from_f64(R::EPSILON) {
                let square = state[G] * state[G] + state[G + 1] * state[G + 1];
                return Some(Leave { at: t, why, state, defect: (slip - square.sqrt()).abs() });
            }
        }
        None
    }
}
