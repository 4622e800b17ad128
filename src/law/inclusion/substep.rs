//! One substep of the integration, and its length.
//!
//! Source: P. Bogacki, L. F. Shampine: A 3(2) pair of Runge-Kutta formulas. Applied Mathematics Letters 2 (1989) 321-325.
//! Deviation: the midpoint rule is the companion of second order.

use super::integrator::{Integrator, dot, length};
use super::state::{Grip, InclusionState, Phase};
use super::tolerances::MAX_TRIALS;
use crate::law::restitution::first_root;
use crate::real::Real;

impl<R: Real> Integrator<'_, R> {
    /// The time, with the accelerations in `onset`, until the first contact ends its phase or stops sliding.
    pub(super) fn horizon(&self, state: &InclusionState<R>) -> R {
        let mut soonest = R::HUGE;
        for i in 0..self.step.contacts {
            let (u, a, c) = (state.u[i], state.onset[i], state.rate[i]);
            if c > R::ZERO && state.phase[i] == Phase::Restituting && u > R::ZERO && a < R::ZERO {
                soonest = Real::min(soonest, -u / a);
            }
            match state.phase[i] {
                _ if c <= R::ZERO => {}
                Phase::Compressing if a > R::ZERO => soonest = Real::min(soonest, -u / a),
                Phase::Restituting if self.poisson => soonest = Real::min(soonest, state.stored[i] / c),
                Phase::Restituting => soonest = Real::min(soonest, first_root(a, u, state.stored[i] / c)),
                _ => {}
            }
            if matches!(state.grip[i], Grip::Slides | Grip::Steers) {
                let ([x, y], [p, q]) = (self.sideways(&state.u, i), self.sideways(&state.onset, i));
                let closing = -(x * p + y * q);
                if closing > R::ZERO {
                    soonest = Real::min(soonest, (x * x + y * y) / closing);
                }
            }
        }
        soonest
    }

    /// Three stages from `u`, of length `h` or shorter, until the error is small and no contact has passed the end of
    /// its phase. Leaves the mean rates in `mean`, the new velocity in `next`, and the length that the error allows in
    /// `wanted`. Returns the length, or `None` if the trials do not end.
    pub(super) fn substep(&self, mut h: R, wanted: &mut R, state: &mut InclusionState<R>) -> Option<R> {
        let (m, k) = (self.step.contacts, self.step.width());
        let [half, two, three, four] = [0.5, 2.0, 3.0, 4.0].map(R::from_f64);
        let ninth = R::ONE / R::from_f64(9.0);
        for _ in 0..MAX_TRIALS {
            state.rate.copy_from_slice(&state.first);
            self.steer(h, state);
            for j in 0..k {
                state.stage[j] = state.u[j] + h * half * state.onset[j];
            }
            self.forces(state);
            state.second.copy_from_slice(&state.rate);
            let turned = self.replace(h, state);
            state.power = two * dot(&state.mean, &state.u) + three * dot(&state.rate, &state.stage);
            for i in 0..m {
                state.travel[i] = two * state.u[i] + three * state.stage[i];
            }
            for j in 0..k {
                state.stage[j] = state.u[j] + h * (three / four) * state.slope[j];
            }
            self.forces(state);
            state.power = (state.power + four * dot(&state.rate, &state.stage)) * ninth;
            state.third.copy_from_slice(&state.rate);
            for i in 0..m {
                state.travel[i] = (state.travel[i] + four * state.stage[i]) * ninth;
            }
            for j in 0..k {
                let [a, b, c] = [state.mean[j], state.second[j], state.third[j]];
                state.mean[j] = (two * a + three * b + four * c) * ninth;
                state.stage[j] = h * two * ninth * ((a - b) + two * (c - b));
            }
            let error = Real::max(turned, self.error(state));
            for j in 0..k {
                state.next[j] = state.u[j] + h * self.row(j, &state.mean);
            }
            let growth = R::from_f64(0.9) / Real::max(error, R::from_f64(1e-4)).sqrt().sqrt();
            let sum = dot(&state.next, &state.next);
            if error > R::ONE || !(error.is_finite() && sum.is_finite()) {
                h = h * Real::max(growth, R::from_f64(0.2));
                *wanted = h;
                continue;
            }
            let shorter = self.overshoot(h, state);
            if shorter < h {
                h = shorter;
                continue;
            }
            *wanted = Real::max(*wanted, h * Real::max(growth, R::ONE));
            return Some(h);
        }
        None
    }

    /// Copies the forces of the first stage into `mean`; where friction is implicit ([`Grip::Steers`]), those of the
    /// second stage instead. Returns the error of this choice, relative to the tolerance.
    pub(super) fn replace(&self, h: R, state: &mut InclusionState<R>) -> R {
        let mut worst = R::ZERO;
        state.mean.copy_from_slice(&state.first);
        for i in 0..self.step.contacts {
            if state.grip[i] == Grip::Steers {
                let ([x, y], now) = (self.sideways(&state.first, i), self.sideways(&state.second, i));
                self.set_sideways(&mut state.mean, i, now);
                let error = R::from_f64(0.5) * h * self.top(i) * length([now[0] - x, now[1] - y]);
                worst = Real::max(worst, error / self.tolerances.error);
            }
        }
        worst
    }

    /// The largest error in `stage`, relative to the tolerance. Where a contact slides, the tolerance is at most a
    /// tenth of its sliding velocity, so that the moment when it stops is found.
    pub(super) fn error(&self, state: &InclusionState<R>) -> R {
        let mut worst = R::ZERO;
        for i in 0..self.step.contacts {
            let mut allowed = self.tolerances.error;
            if state.grip[i] == Grip::Slides {
                allowed = Real::min(allowed, R::from_f64(0.1) * length(self.sideways(&state.u, i)));
            }
            worst = Real::max(worst, length(self.sideways(&state.stage, i)) / allowed);
        }
        worst
    }

    /// A smaller step if `next` is past the end of a phase, else `h`.
    pub(super) fn overshoot(&self, h: R, state: &InclusionState<R>) -> R {
        let mut shorter = h;
        for i in 0..self.step.contacts {
            let (before, after) = (state.u[i], state.next[i]);
            match state.phase[i] {
                // A contact that touches may begin with a velocity of the other sign.
                Phase::Compressing if after > self.landing(i) => {
                    let part = if before < R::ZERO { before / (before - after) } else { R::from_f64(0.5) };
                    shorter = Real::min(shorter, h * part);
                }
                Phase::Restituting => {
                    if after < -self.landing(i) {
                        let part =
                            if before > R::ZERO { before / (before - after) } else { R::from_f64(0.5) };
                        shorter = Real::min(shorter, h * part);
                    }
                    let (stored, left) = (state.stored[i], self.left(i, h, state));
                    if left < -self.empty(i, after) {
                        shorter = Real::min(shorter, h * (stored / (stored - left)));
                    }
                }
                _ => {}
            }
        }
        shorter
    }

    /// The content of reservoir `i` after a substep of restitution.
    pub(super) fn left(&self, i: usize, h: R, state: &InclusionState<R>) -> R {
        let given = if self.poisson { R::ONE } else { state.travel[i] };
        state.stored[i] - h * state.rate[i] * given
    }
}
