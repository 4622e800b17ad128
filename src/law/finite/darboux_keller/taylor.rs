//! Slip with turning direction: a Taylor series.

use super::state::place::{G, V};
use super::{ArcEnd, ArcPiece, ImpactState, Leave, Phase, StruckContact, TERMS, dot, sum};
use carom_core::Real;

/// Order of the series.
const ORDER: usize = TERMS - 1;
/// Largest length of a piece, in the unit of `tau`.
const LONGEST: f64 = 6.0;
/// Number of parts of a piece in the search for events, if the normal velocity may fall.
const PARTS: usize = 8;

/// Slip as a Taylor series in the parameter `tau` with `dI = |g| dtau`, in which
/// `g_tau = -mu B g + |g| d` is regular down to `|g| = 0`. The unit of `tau` is
/// [`StruckContact::rate`], about the time in which `g` may change by its own size.
#[derive(Clone, Debug)]
pub struct Taylor<R> {
    /// The largest parameter at which the series is used.
    length: R,
}

impl<R: Real> Taylor<R> {
    /// Slip with `|g| = size` from the beginning of a piece; fills in the terms of the piece.
    ///
    /// With `r = |g|` the coefficients of `g` follow by recurrence from `g_tau = -mu B g + r d` and
    /// `r r = g.g`.
    pub fn new(piece: &mut ArcPiece<R>, size: R) -> Self {
        let ArcPiece { contact, start: state, terms, .. } = piece;
        let (g, half, push) = ([state[G], state[G + 1]], R::from_f64(0.5), -contact.mu);
        let (inverse, b, d) = (R::ONE / size, contact.b.map(|b| push * b), contact.d);
        // r_tau = s.g_tau
        let s = g.map(|g| g * inverse);
        let growth = [s[0] * b[0], s[1] * b[1], dot(s, d)];
        // Coefficients of g (2) and r; the fourth number, 0, fills a vector register.
        let mut c = [[R::ZERO; 4]; TERMS];
        c[0] = [g[0], g[1], size, R::ZERO];
        let (mut square, mut first) = (size * size, [R::ZERO; 4]);
        terms[0] = [R::ZERO; 4];
        for n in 0..ORDER {
            let (m, step, [x, y, r, _]) = (n + 1, contact.rate * R::from_f64(INVERSE[n]), c[n]);
            terms[m] = [r, push * x, push * y, push * square].map(|rate| step * rate);
            // Half of the products in r r = g.g, without the first and the last terms.
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
            // The recurrence minimises the number of dependent operations per term.
            let next = [step * (b[0] * x + d[0] * r), step * (b[1] * y + d[1] * r)];
            let r = known
                + (step * growth[0] + first[0]) * x
                + (step * growth[1] + first[1]) * y
                + (step * growth[2] - first[2]) * r;
            let half = sum[0]
                + sum[1]
                + size * (s[0] * next[0] + s[1] * next[1] + first[0] * x + first[1] * y);
            square = half + half;
            c[m] = [next[0], next[1], r, R::ZERO];
            if n == 0 {
                first = c[1].map(|c| c * inverse);
            }
        }
        let largest = |n: usize| c[n].iter().fold(R::ZERO, |most, x| most.max(x.abs()));
        let last = largest(ORDER).max(largest(ORDER - 1));
        // Products have longer series than their factors.
        let product = terms[ORDER][3].abs().max(terms[ORDER - 1][3].abs());
        let share =
            (R::from_f64(1.0 / 64.0) * size / last).min(size * (size + state[V].abs()) / product);
        let share = (R::CONDITION * share).to_f64().powf(1.0 / ORDER as f64);
        Taylor { length: R::from_f64(share).min(R::from_f64(LONGEST)) }
    }

    /// The state at `tau = t`.
    pub fn at(&self, piece: &ArcPiece<R>, t: R) -> ImpactState<R> {
        piece.contact.after(&piece.start, sum(&piece.terms, t))
    }

    /// The derivatives of `I` and of the normal velocity by the parameter.
    fn paces(&self, contact: &StruckContact<R>, state: &ImpactState<R>) -> [R; 2] {
        let g = [state[G], state[G + 1]];
        let size = dot(g, g).sqrt();
        [contact.rate * size, contact.rate * (size - contact.mu * dot(contact.d, g))]
    }

    /// The violation of the differential equation by the derivatives of normal impulse and work of
    /// friction.
    fn defect(&self, piece: &ArcPiece<R>, t: R, state: &ImpactState<R>) -> R {
        let [mut pace, mut power, mut k] = [R::ZERO, R::ZERO, R::from_f64(ORDER as f64)];
        for [i, _, _, f] in piece.terms[1..].iter().rev() {
            (pace, power) = (pace * t + k * *i, power * t + k * *f);
            k -= R::ONE;
        }
        let square = state[G] * state[G] + state[G + 1] * state[G + 1];
        let StruckContact { rate, mu, .. } = *piece.contact;
        let off = power + rate * (mu * square);
        (pace - rate * square.sqrt()).abs().max(off.abs())
    }

    /// The end of slip in a phase of the impact, searched from `state`. `rises`: the normal
    /// velocity certainly rises.
    pub fn leave(
        &self,
        piece: &ArcPiece<R>,
        state: &ImpactState<R>,
        phase: &Phase<R>,
        rises: bool,
    ) -> Leave<R> {
        let (at, why, state) = self.until(piece, state, phase, rises);
        Leave { at, why, state, defect: self.defect(piece, at, &state) }
    }

    fn until(
        &self,
        piece: &ArcPiece<R>,
        state: &ImpactState<R>,
        phase: &Phase<R>,
        rises: bool,
    ) -> (R, ArcEnd, ImpactState<R>) {
        let velocity = |state: &ImpactState<R>, [_, rise]: [R; 2]| [state[V], rise];
        let left = |state: &ImpactState<R>, paces: [R; 2]| {
            [phase.left(state), phase.left_slope(state, paces)]
        };
        let parts = if rises { 1 } else { PARTS };
        let (begin, length) = (piece.begin, self.length);
        let (mut low, mut before) = (begin, *state);
        for part in 1..=parts {
            let high = begin + (length - begin) * R::from_f64(part as f64 / parts as f64);
            let after = self.at(piece, high);
            let within = ([low, high], [&before, &after]);
            if phase.compressing {
                if after[V] >= R::ZERO {
                    let (t, state) = self.root(piece, velocity, within);
                    return (t, ArcEnd::Compressed, state);
                }
            } else {
                let over = phase.left(&after) <= R::ZERO;
                if !rises && after[V] < R::ZERO {
                    let (t, state) = self.root(piece, velocity, within);
                    if !over || phase.left(&state) > R::ZERO {
                        return (t, ArcEnd::Recompressed, state);
                    }
                }
                if over {
                    let (t, state) = self.root(piece, left, within);
                    return (t, ArcEnd::Over, state);
                }
            }
            (low, before) = (high, after);
        }
        (length, ArcEnd::Length, before)
    }

    /// The zero of a function of the state that changes its sign between two parameters, and the
    /// state at the zero: Newton's method in a bracket. `f` computes value and derivative, from the
    /// derivatives of `I` and `v`.
    fn root(
        &self,
        piece: &ArcPiece<R>,
        f: impl Fn(&ImpactState<R>, [R; 2]) -> [R; 2],
        ([mut low, mut high], ends): ([R; 2], [&ImpactState<R>; 2]),
    ) -> (R, ImpactState<R>) {
        let [first, last] = ends.map(|state| f(state, [R::ZERO; 2])[0]);
        if first == last {
            return (high, *ends[1]);
        }
        let half = R::from_f64(0.5);
        let close = R::from_f64(R::EPSILON).sqrt() * R::from_f64(0.1);
        let mut t = low + (high - low) * (first / (first - last));
        for _ in 0..64 {
            let state = self.at(piece, t);
            let [value, slope] = f(&state, self.paces(piece.contact, &state));
            if (value > R::ZERO) == (last > R::ZERO) {
                high = t
            } else {
                low = t
            }
            let newton = t - value / slope;
            let inside = newton >= low && newton <= high;
            let moved = (newton - t).abs();
            t = if inside { newton } else { (low + high) * half };
            // Quadratic convergence: the next step would be negligible.
            if inside && moved <= close * t || high - low <= R::from_f64(R::EPSILON) * high {
                break;
            }
        }
        (t, self.at(piece, t))
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
