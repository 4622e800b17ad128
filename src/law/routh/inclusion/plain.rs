//! A plain step: an explicit step of fourth order while the modes of contacts determine all forces,
//! cut at the first event.
//!
//! Source: W. Kutta: Beitrag zur naeherungsweisen Integration totaler Differentialgleichungen.
//! Zeitschrift fuer Mathematik und Physik 46 (1901) 435-453, the rule of fourth order. Deviations:
//! the force at the end, which the next step needs, gives a companion of third order; between its
//! ends a step is the cubic that has their velocities and slopes, and ends where that meets an
//! event; a contact that stops before sliding has turned by the tolerance has a constant force. The
//! weights are positive, so that the mean of forces in a circular cone lies in the cone; where a
//! step is cut it does up to the error of the cubic.

use super::curve::Curve;
use super::given::{FrictionMode, length};
use super::integrator::Integrator;
use super::state::InclusionState;
use super::substep::PART;
use super::tolerances::MAX_TRIALS;
use crate::law::restitution::first_root;
use crate::real::Real;

/// A step aims at the next event times this: the cubic then finds the event, and no step is
/// repeated.
pub const AIM: f64 = 1.01;

/// A step that may stop a contact is at most this part of the time until then; where the force is
/// constant meanwhile, and where sliding turns.
pub const UNTIL_STOP: [f64; 2] = [1.25, 0.8];

/// Longest step over the time in which sliding settles, where the rule is stable up to 2.78.
pub const LONGEST: f64 = 2.0;

/// The error of a step is to be below the tolerance over this, as events amplify errors: with 1 the
/// worst of 40 samples of a cube on a face was off by 1.2 times the accuracy.
pub const CAUTION: f64 = 3.0;

/// What is known before a step.
struct Outlook<R> {
    /// The longest step.
    most: R,
    /// The shortest time in which its own friction would stop a contact that turns.
    settles: R,
}

impl<R: Real, const M: usize> Integrator<'_, R, M> {
    /// Whether the next step is plain: some contact slides in space, and modes determine all
    /// forces, which are not stiff. With Poisson's hypothesis modes may change without an event.
    pub(super) fn is_plain(&self, state: &InclusionState<R>) -> bool {
        state.balance.decided
            && !self.poisson
            && !self.straight(state)
            && state.ratio <= R::from_f64(PART)
    }

    /// Goes on from `u` by at most `left`, with forces that are known in `first` and accelerations
    /// in `onset`. Leaves what [`Integrator::substep`] leaves; where there is no event, the forces
    /// and accelerations at the end replace those in `first` and `onset`. Returns the length, and
    /// whether there is an event; `None` if the trials do not end.
    pub(super) fn plain(&self, left: R, state: &mut InclusionState<R>) -> Option<(R, bool)> {
        state.turns.fill(false);
        state.halves = false;
        for _ in 0..MAX_TRIALS {
            if state.spent > self.tolerances.budget {
                return None;
            }
            let Outlook { most, settles } = self.outlook(state);
            let wanted = Real::min(state.ratio, R::from_f64(LONGEST)) * settles;
            let h = Real::min(Real::min(left, most), wanted);
            let error = R::from_f64(CAUTION) * self.runge_kutta(h, state);
            let growth = R::from_f64(0.85) / Real::max(error, R::from_f64(1e-4)).sqrt().sqrt();
            if error > R::ONE || !error.is_finite() {
                let shorter = Real::clamp(growth, R::from_f64(0.1), R::from_f64(0.7));
                state.ratio = h / settles * shorter;
                continue;
            }
            let (part, stops) = self.first_event(h, state);
            if let Some(i) = stops
                && self.turns_aside(i, h, part, state)
            {
                state.turns[i] = true;
                continue;
            }
            let kept = h / settles * Real::clamp(growth, R::from_f64(0.3), R::from_f64(5.0));
            // A step that something else cuts short tells little.
            state.ratio = if h < wanted { Real::max(kept, state.ratio) } else { kept };
            return Some((part * h, self.finish(h, part, stops, state)));
        }
        None
    }

    /// Marks the contacts that stop before they have turned, in `frozen`; leaves the normal part of
    /// the accelerations in `normal_slope`.
    fn outlook(&self, state: &mut InclusionState<R>) -> Outlook<R> {
        let [m, _, k] = self.shape();
        let InclusionState {
            normal_slope,
            stage,
            u,
            onset,
            first,
            frozen,
            turns,
            mu,
            tops,
            balance,
            ..
        } = &mut *state;
        normal_slope.fill(R::ZERO);
        for i in 0..m {
            if first[i] > R::ZERO {
                let column = &self.step.w[i * k..(i + 1) * k];
                for j in 0..k {
                    normal_slope[j] += first[i] * column[j];
                }
            }
        }
        let [until_frozen, until_turning] = UNTIL_STOP.map(R::from_f64);
        let (mut most, mut settles) = (R::HUGE, R::HUGE);
        // The change of friction as sliding turns.
        stage.fill(R::ZERO);
        for i in 0..m {
            frozen[i] = false;
            let size = mu[i] * first[i];
            if balance.friction_mode[i] != FrictionMode::Slides || size <= R::ZERO {
                continue;
            }
            let ([x, y], [p, q]) = (self.sideways(u, i), self.sideways(onset, i));
            let speed = length([x, y]);
            let closing = R::ZERO - (x * p + y * q) / speed;
            let across = (x * q - y * p) / speed;
            if closing > R::ZERO {
                let stops = speed / closing;
                frozen[i] = !turns[i] && across.abs() * stops < self.tolerances.error;
                let part = if frozen[i] { until_frozen } else { until_turning };
                most = Real::min(most, part * stops);
            }
            if !frozen[i] {
                settles = Real::min(settles, speed / (size * tops[i]));
                let bend = R::ZERO - size * across / (speed * speed);
                self.set_sideways(stage, i, [R::ZERO - y * bend, x * bend]);
            }
        }
        let aim = R::from_f64(AIM);
        let approach = self.approaches(state);
        for i in 0..m {
            let (u, a) = (state.u[i], state.onset[i]);
            if state.caps[i] > R::ZERO && u.abs() > self.landing(i) && u * a < R::ZERO {
                let row = &self.step.w[i * k..(i + 1) * k];
                let b = (m..k).fold(R::ZERO, |sum, t| sum + row[t] * state.stage[t]);
                let square = a * a - R::from_f64(2.0) * b * u;
                if square > R::ZERO {
                    let sum = if a < R::ZERO { a - square.sqrt() } else { a + square.sqrt() };
                    most = Real::min(most, aim * (R::ZERO - R::from_f64(2.0) * u / sum));
                }
            }
            let c = state.first[i];
            if c > R::ZERO && self.restituting(i, approach, state) {
                let stored = state.stored[i] / c;
                most = Real::min(most, aim * first_root(a, u, stored));
            }
        }
        Outlook { most, settles }
    }

    /// A step of length `h`: leaves the mean forces in `mean`, the velocity in `next`, the forces
    /// and accelerations at the end in `balance`. Returns the error, relative to the tolerance.
    fn runge_kutta(&self, h: R, state: &mut InclusionState<R>) -> R {
        let [m, _, k] = self.shape();
        let [half, sixth] = [0.5, 1.0 / 6.0].map(R::from_f64);
        state.mean.copy_from_slice(&state.first);
        state.balance.slope.copy_from_slice(&state.onset);
        for (part, weight) in [(half, 2.0), (half, 2.0), (R::ONE, 1.0)] {
            for j in m..k {
                state.stage[j] = state.u[j] + h * part * state.balance.slope[j];
            }
            self.slide(state);
            for j in m..k {
                state.mean[j] += R::from_f64(weight) * state.balance.l[j];
            }
            self.accelerate(m, state);
        }
        for j in m..k {
            state.mean[j] = state.mean[j] * sixth;
        }
        // The companion differs by the change of the force from the last stage to the end.
        state.second.copy_from_slice(&state.balance.l);
        state.balance.l.copy_from_slice(&state.mean);
        self.accelerate(0, state);
        for j in 0..k {
            state.next[j] = state.u[j] + h * state.balance.slope[j];
        }
        state.stage.copy_from_slice(&state.next);
        self.slide(state);
        self.accelerate(0, state);
        state.spent += ((3 * 2 * m + 3 * k) * 2 * m) as u64;
        let mut worst = R::ZERO;
        state.stage.fill(R::ZERO);
        for t in m..k {
            let change = h * sixth * (state.second[t] - state.balance.l[t]);
            let column = &self.step.w[t * k..(t + 1) * k];
            for j in 0..k {
                state.stage[j] += change * column[j];
            }
        }
        for i in 0..m {
            let mut allowed = self.tolerances.error;
            if state.balance.friction_mode[i] == FrictionMode::Slides && !state.frozen[i] {
                let speed = length(self.sideways(&state.u, i));
                allowed = Real::min(allowed, R::from_f64(0.2) * speed);
            }
            worst = Real::max(worst, state.stage[i].abs() / self.tolerances.error);
            let size = length(self.sideways(&state.stage, i)) / allowed;
            worst = Real::max(worst, size);
        }
        worst
    }

    /// The accelerations of rows from `from` on, with the friction in `balance`.
    fn accelerate(&self, from: usize, state: &mut InclusionState<R>) {
        let [m, _, k] = self.shape();
        let (slope, l) = (&mut state.balance.slope[from..k], &state.balance.l[..k]);
        slope.copy_from_slice(&state.normal_slope[from..k]);
        for t in m..k {
            let column = &self.step.w[t * k + from..(t + 1) * k];
            for (slope, w) in slope.iter_mut().zip(column) {
                *slope += l[t] * *w;
            }
        }
    }

    /// The cubic of row `j` over a step of length `h`, by the values and slopes at its ends.
    fn cubic(&self, j: usize, h: R, state: &InclusionState<R>) -> Curve<R> {
        let (from, slope) = (state.u[j], h * state.onset[j]);
        let (rise, last) = (state.next[j] - from, h * state.balance.slope[j]);
        let bend = R::from_f64(3.0) * rise - slope - slope - last;
        Curve([from, slope, bend, slope + last - rise - rise, R::ZERO])
    }

    /// The part of a step of length `h` after which the first event comes, 1 without one, and the
    /// contact that stops sliding there, if that is the event.
    fn first_event(&self, h: R, state: &InclusionState<R>) -> (R, Option<usize>) {
        let [m, ..] = self.shape();
        let (mut part, mut stops) = (R::ONE, None);
        let approach = self.approaches(state);
        for i in 0..m {
            if state.caps[i] <= R::ZERO {
                continue;
            }
            let (from, to, landing) = (state.u[i], state.next[i], self.landing(i));
            let down = from > landing && to < R::ZERO - landing;
            let up = from < R::ZERO - landing && to > landing;
            if down || up {
                let at = self.cubic(i, h, state).root();
                if at < part {
                    (part, stops) = (at, None);
                }
            }
            if state.first[i] > R::ZERO && self.restituting(i, approach, state) {
                let left = self.store(i, h, state);
                if left.at(R::ONE) < R::ZERO - self.empty(i, to) {
                    let at = left.root();
                    if at < part {
                        (part, stops) = (at, None);
                    }
                }
            }
            if state.frozen[i] {
                let along = self.along(i, h, state);
                if along.at(R::ONE) < R::ZERO {
                    let at = along.root();
                    if at < part {
                        (part, stops) = (at, Some(i));
                    }
                }
            }
        }
        (part, stops)
    }

    /// The content of reservoir `i`, from which work is returned, over a step of length `h`.
    fn store(&self, i: usize, h: R, state: &InclusionState<R>) -> Curve<R> {
        let full = Curve([state.stored[i], R::ZERO, R::ZERO, R::ZERO, R::ZERO]);
        let returned = self.cubic(i, h, state).integral();
        full.plus(&returned.scaled(R::ZERO - h * state.first[i]))
    }

    /// The sliding velocity of contact `i` along its direction at the beginning, times its speed
    /// then, over a step of length `h`.
    fn along(&self, i: usize, h: R, state: &InclusionState<R>) -> Curve<R> {
        let t = self.shape()[0] + 2 * i;
        let [x, y] = [t, t + 1].map(|j| self.cubic(j, h, state).scaled(state.u[j]));
        x.plus(&y)
    }

    /// Whether contact `i` still slides across its direction, where it should stop after a part of
    /// the step.
    fn turns_aside(&self, i: usize, h: R, part: R, state: &InclusionState<R>) -> bool {
        let t = self.shape()[0] + 2 * i;
        length([t, t + 1].map(|j| self.cubic(j, h, state).at(part))) > self.tolerances.error
    }

    /// Stops what still slides across at contact `i` after a step of length `h`, by the friction
    /// that sliding would have turned to.
    fn halt(&self, i: usize, h: R, state: &mut InclusionState<R>) {
        let [m, _, k] = self.shape();
        let t = m + 2 * i;
        let w = |r: usize, c: usize| self.step.w[(t + r) * k + t + c];
        let [x, y] = self.sideways(&state.next, i);
        let (det, top) = (w(0, 0) * w(1, 1) - w(0, 1) * w(1, 0), state.tops[i]);
        // Where one direction cannot move, sliding is along the other.
        let impulse = if det > R::from_f64(R::EPSILON) * top * top {
            [(w(0, 1) * y - w(1, 1) * x) / det, (w(1, 0) * x - w(0, 0) * y) / det]
        } else {
            [R::ZERO - x / top, R::ZERO - y / top]
        };
        for (axis, impulse) in impulse.into_iter().enumerate() {
            state.mean[t + axis] += impulse / Real::max(h, R::from_f64(R::EPSILON));
            let column = &self.step.w[(t + axis) * k..(t + axis + 1) * k];
            for j in 0..k {
                state.next[j] += impulse * column[j];
            }
        }
        self.set_sideways(&mut state.next, i, [R::ZERO; 2]);
    }

    /// Cuts the step of length `h` to a part of it, where a contact may stop; returns whether there
    /// is an event.
    fn finish(&self, h: R, part: R, stops: Option<usize>, state: &mut InclusionState<R>) -> bool {
        let [m, _, k] = self.shape();
        let [half, two, three, twelfth] = [0.5, 2.0, 3.0, 1.0 / 12.0].map(R::from_f64);
        if part < R::ONE {
            for i in 0..m {
                let way = self.cubic(i, h, state).integral().at(part);
                state.travel[i] = way / Real::max(part, R::from_f64(R::EPSILON));
            }
            let rest = R::ONE - part;
            let [whole, first, last] =
                [part * (three - two * part), rest * rest, R::ZERO - part * rest];
            for j in 0..k {
                state.next[j] = self.cubic(j, h, state).at(part);
            }
            for j in m..k {
                state.mean[j] =
                    whole * state.mean[j] + first * state.first[j] + last * state.balance.l[j];
            }
            if let Some(i) = stops {
                self.halt(i, part * h, state);
            }
            return true;
        }
        let approach = self.approaches(state);
        let mut ended = false;
        for i in 0..m {
            let (from, to) = (state.u[i], state.next[i]);
            state.travel[i] =
                half * (from + to) + h * twelfth * (state.onset[i] - state.balance.slope[i]);
            let landing = self.landing(i);
            let side = |u: R| (u > landing, u < R::ZERO - landing);
            let slides = state.balance.friction_mode[i] == FrictionMode::Slides;
            let halts = length(self.sideways(&state.next, i)) <= self.tolerances.halt;
            let empties =
                self.restituting(i, approach, state) && self.left(i, h, state) <= self.empty(i, to);
            let active = state.caps[i] > R::ZERO;
            ended |= active && (side(from) != side(to) || slides && halts || empties);
        }
        state.first[m..].copy_from_slice(&state.balance.l[m..]);
        state.onset.copy_from_slice(&state.balance.slope);
        ended
    }
}
