//! One substep of the integration, and its length.
//!
//! Without spatial sliding, forces are constant. If sliding determines the forces, a step is plain
//! ([`plain`](super::plain)). Otherwise it is explicit of third order (`stages`), or, with stiff
//! sliding, two implicit Euler steps of half the length with one step of the whole length for the
//! error estimate (`implicit`).

use super::{FrictionMode, InclusionState, Integrator, MAX_TRIALS, length};
use crate::sampling::restitution::first_root;
use carom_core::Real;

/// Largest requested length of an explicit step, relative to the time in which friction alone would
/// stop a contact. An explicit step is cut to this time; longer requested steps are implicit.
pub const PART: f64 = 8.0;

/// Steps are implicit if a contact stops sliding within this multiple of the time in which its
/// friction alone would stop it.
pub const STOPS: f64 = 1.1;

/// The error of a trial of a substep, relative to the tolerance, and the order of the error; `None`
/// where no forces were found.
pub(super) type Trial<R> = Option<(R, u32)>;

impl<R: Real, const M: usize> Integrator<'_, R, M> {
    /// The time, with the accelerations in `onset`, until the first normal velocity reaches 0,
    /// stored work is used up, or a contact stops sliding.
    pub(super) fn horizon(&self, state: &InclusionState<R>) -> R {
        let mut soonest = R::HUGE;
        let approach = self.waits(state);
        for i in 0..self.shape()[0] {
            let (u, a, c) = (state.u[i], state.onset[i], state.first[i]);
            let moves = u.abs() > self.landing(i);
            if moves && (u > R::ZERO && a < R::ZERO || u < R::ZERO && a > R::ZERO) {
                soonest = Real::min(soonest, R::ZERO - u / a);
            }
            if c > R::ZERO && self.restituting(i, approach, state.u[i], state.stored[i]) {
                let stored = state.stored[i] / c;
                let empty = if self.poisson { stored } else { first_root(a, u, stored) };
                soonest = Real::min(soonest, empty);
            }
            if state.balance.friction_mode[i] == FrictionMode::Slides && c > R::ZERO {
                let ([x, y], [p, q]) = (self.sideways(&state.u, i), self.sideways(&state.onset, i));
                let closing = R::ZERO - (x * p + y * q);
                if closing > R::ZERO {
                    soonest = Real::min(soonest, (x * x + y * y) / closing);
                }
            }
        }
        soonest
    }

    /// Advances from `u` by at most `h`, by less if the error is too large or a contact passes the
    /// end of its phase; the next event is expected after `soonest`. Leaves the mean forces in
    /// `mean`, the velocity after the substep in `next`, and the length allowed by the error in
    /// `wanted`. Returns the length, or `None` if no forces are found or the trials do not end.
    pub(super) fn substep(&self, mut h: R, soonest: R, state: &mut InclusionState<R>) -> Option<R> {
        let straight = self.straight(state);
        let settles = self.settling(state);
        let stops = soonest <= R::from_f64(STOPS) * settles;
        for _ in 0..MAX_TRIALS {
            if state.spent > self.tolerances.budget {
                return None;
            }
            state.halves = !straight && h > settles && (stops || h > R::from_f64(PART) * settles);
            let trial = if straight {
                self.go_straight(h, state)
            } else if state.halves {
                self.implicit(h, state)
            } else {
                h = Real::min(h, settles);
                self.stages(h, state)
            };
            let half = R::from_f64(0.5);
            let Some((error, order)) = trial else {
                h = h * half;
                state.wanted = h;
                continue;
            };
            let size = Real::max(error, R::from_f64(1e-4)).sqrt();
            let growth = R::from_f64(0.9) / if order > 1 { size.sqrt() } else { size };
            if error > R::ONE || !error.is_finite() {
                h = h * Real::clamp(growth, R::from_f64(0.1), half);
                state.wanted = h;
                continue;
            }
            let shorter = self.overshoot(h, state);
            if shorter < h {
                h = shorter;
                continue;
            }
            let most = if order == 0 { R::HUGE } else { h * Real::max(growth, R::ONE) };
            if order == 1 {
                // Steps remain implicit while they are longer than explicit steps may be.
                state.ratio = if h > R::from_f64(PART) * settles { state.ratio } else { R::ONE };
            }
            if order > 1 {
                // An explicit step of this length was accurate: the next step may be plain.
                state.ratio = Real::min(state.ratio, R::ONE);
            }
            state.wanted = Real::max(state.wanted, most);
            return Some(h);
        }
        None
    }

    /// Whether forces are constant: no contact slides, or the problem is planar.
    pub(super) fn straight(&self, state: &InclusionState<R>) -> bool {
        self.shape()[1] == 1 || !state.balance.friction_mode.contains(&FrictionMode::Slides)
    }

    /// The settling time of sliding: the shortest time in which its own friction would stop a
    /// contact, `|u_t| / (mu ln W_tt)`.
    fn settling(&self, state: &InclusionState<R>) -> R {
        let mut soonest = R::HUGE;
        for i in 0..self.shape()[0] {
            let slows = state.mu[i] * state.first[i] * state.tops[i];
            if state.balance.friction_mode[i] == FrictionMode::Slides && slows > R::ZERO {
                soonest = Real::min(soonest, length(self.sideways(&state.u, i)) / slows);
            }
        }
        soonest
    }

    /// A step with the forces of the first stage.
    fn go_straight(&self, h: R, state: &mut InclusionState<R>) -> Trial<R> {
        state.mean.copy_from_slice(&state.first);
        for j in 0..state.u.len() {
            state.next[j] = state.u[j] + h * state.onset[j];
        }
        let half = R::from_f64(0.5);
        for i in 0..self.shape()[0] {
            state.travel[i] = half * (state.u[i] + state.next[i]);
        }
        Some((R::ZERO, 0))
    }

    /// A smaller length if `next` is past the end of a phase, else `h`.
    fn overshoot(&self, h: R, state: &InclusionState<R>) -> R {
        let mut shorter = h;
        let approach = self.waits(state);
        for i in 0..self.shape()[0] {
            let (before, after, landing) = (state.u[i], state.next[i], self.landing(i));
            let down = before > landing && after < R::ZERO - landing;
            let up = before < R::ZERO - landing && after > landing;
            if down || up {
                shorter = Real::min(shorter, h * (before / (before - after)));
            }
            if self.restituting(i, approach, state.u[i], state.stored[i]) {
                let passage = self.passage(i, h, state);
                let (stored, left) = (passage.stored, passage.left());
                if left < R::ZERO - passage.empty {
                    shorter = Real::min(shorter, h * (stored / (stored - left)));
                }
            }
        }
        shorter
    }
}
