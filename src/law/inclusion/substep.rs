//! One substep of the integration, and its length.
//!
//! Source: P. Bogacki, L. F. Shampine: A 3(2) pair of Runge-Kutta formulas. Applied Mathematics Letters 2 (1989) 321-325.
//! Deviations: the midpoint rule is the companion of second order; where sliding is stiff, two implicit Euler steps of half the
//! length, and one of the whole length as their companion; where no contact slides in space, forces are constant.

use super::given::{Grip, Normal, length};
use super::integrator::{Integrator, apart};
use super::state::InclusionState;
use super::tolerances::MAX_TRIALS;
use crate::law::restitution::first_root;
use crate::real::Real;

/// A trial of a substep.
enum Trial<R> {
    /// Its error, relative to the tolerance, and the order of the error.
    Done(R, u32),
    /// No forces were found.
    Failed,
}

impl<R: Real> Integrator<'_, R> {
    /// The time, with the accelerations in `onset`, until the first normal velocity reaches 0, reservoir is empty or contact stops
    /// sliding.
    pub(super) fn horizon(&self, state: &InclusionState<R>) -> R {
        let mut soonest = R::HUGE;
        let approach = self.approaches(state);
        for i in 0..self.step.contacts {
            let (u, a, c) = (state.u[i], state.onset[i], state.first[i]);
            let moves = u.abs() > self.landing(i);
            if moves && (u > R::ZERO && a < R::ZERO || u < R::ZERO && a > R::ZERO) {
                soonest = Real::min(soonest, R::ZERO - u / a);
            }
            if c > R::ZERO && self.gives(i, approach, state) {
                let stored = state.stored[i] / c;
                soonest = Real::min(soonest, if self.poisson { stored } else { first_root(a, u, stored) });
            }
            if state.balance.grip[i] == Grip::Slides && c > R::ZERO {
                let ([x, y], [p, q]) = (self.sideways(&state.u, i), self.sideways(&state.onset, i));
                let closing = R::ZERO - (x * p + y * q);
                if closing > R::ZERO {
                    soonest = Real::min(soonest, (x * x + y * y) / closing);
                }
            }
        }
        soonest
    }

    /// Goes on from `u` by at most `h`, by less where the error is too large or a contact passes the end of its phase. Leaves
    /// the mean forces in `mean`, the velocity after in `next`, and the length that the error allows in `wanted`. Returns the
    /// length, or `None` if no forces are found or the trials do not end.
    pub(super) fn substep(&self, mut h: R, wanted: &mut R, state: &mut InclusionState<R>) -> Option<R> {
        for _ in 0..MAX_TRIALS {
            if state.spent > self.tolerances.budget {
                return None;
            }
            state.halves = !self.straight(state) && self.stiff(h, state);
            let trial = match state.halves {
                _ if self.straight(state) => self.go_straight(h, state),
                false => self.stages(h, state),
                true => self.implicit(h, state),
            };
            let half = R::from_f64(0.5);
            let Trial::Done(error, order) = trial else {
                h = h * half;
                *wanted = h;
                continue;
            };
            let size = Real::max(error, R::from_f64(1e-4)).sqrt();
            let growth = R::from_f64(0.9) / if order > 1 { size.sqrt() } else { size };
            if error > R::ONE || !error.is_finite() {
                h = h * Real::clamp(growth, R::from_f64(0.1), half);
                *wanted = h;
                continue;
            }
            let shorter = self.overshoot(h, state);
            if shorter < h {
                h = shorter;
                continue;
            }
            let most = if order == 0 { R::HUGE } else { h * Real::max(growth, R::ONE) };
            *wanted = Real::max(*wanted, most);
            return Some(h);
        }
        None
    }

    /// Whether forces are constant: no contact slides, or in a plane.
    fn straight(&self, state: &InclusionState<R>) -> bool {
        self.step.axes == 1 || !state.balance.grip.contains(&Grip::Slides)
    }

    /// Whether the direction of sliding at a contact would settle within `h`: explicit stages must not be longer than
    /// `|u_t| / (mu ln W_tt)`.
    fn stiff(&self, h: R, state: &InclusionState<R>) -> bool {
        let given = self.given(&state.mu, &state.caps);
        (0..self.step.contacts).any(|i| {
            state.balance.grip[i] == Grip::Slides
                && h * state.mu[i] * state.first[i] * given.top(i) > length(self.sideways(&state.u, i))
        })
    }

    /// A step with the forces of the first stage.
    fn go_straight(&self, h: R, state: &mut InclusionState<R>) -> Trial<R> {
        state.mean.copy_from_slice(&state.first);
        for j in 0..state.u.len() {
            state.next[j] = state.u[j] + h * state.onset[j];
        }
        let half = R::from_f64(0.5);
        for i in 0..self.step.contacts {
            state.travel[i] = half * (state.u[i] + state.next[i]);
        }
        Trial::Done(R::ZERO, 0)
    }

    /// Computes the forces at the velocity `stage`; contacts that stick, and that rest, are brought back to rest within `h`.
    fn at_stage(&self, h: R, state: &mut InclusionState<R>) -> bool {
        let InclusionState { balance, stage, u, mu, caps, .. } = &mut *state;
        let given = self.given(mu, caps);
        balance.pull.fill(R::ZERO);
        for i in 0..self.step.contacts {
            if balance.normal[i] == Normal::Free {
                balance.pull[i] = u[i] / h;
            }
            match balance.grip[i] {
                Grip::Slides => {
                    let slip = self.sideways(stage, i);
                    let speed = length(slip);
                    if speed > R::ZERO {
                        given.set_sideways(&mut balance.way, i, slip.map(|x| R::ZERO - x / speed));
                    }
                }
                Grip::Held => {
                    let slip = self.sideways(u, i);
                    given.set_sideways(&mut balance.pull, i, slip.map(|x| x / h));
                }
                Grip::Smooth => {}
            }
        }
        self.forces(state)
    }

    /// Three explicit stages of length `h`.
    fn stages(&self, h: R, state: &mut InclusionState<R>) -> Trial<R> {
        let (m, k) = (self.step.contacts, self.step.width());
        let [half, two, three, four] = [0.5, 2.0, 3.0, 4.0].map(R::from_f64);
        let ninth = R::ONE / R::from_f64(9.0);
        state.balance.l.copy_from_slice(&state.first);
        for j in 0..k {
            state.stage[j] = state.u[j] + h * half * state.onset[j];
        }
        if !self.at_stage(h, state) {
            return Trial::Failed;
        }
        state.second.copy_from_slice(&state.balance.l);
        for i in 0..m {
            state.travel[i] = two * state.u[i] + three * state.stage[i];
        }
        for j in 0..k {
            state.stage[j] = state.u[j] + h * (three / four) * state.balance.slope[j];
        }
        if !self.at_stage(h, state) {
            return Trial::Failed;
        }
        for i in 0..m {
            state.travel[i] = (state.travel[i] + four * state.stage[i]) * ninth;
        }
        for j in 0..k {
            let [a, b, c] = [state.first[j], state.second[j], state.balance.l[j]];
            state.mean[j] = (two * a + three * b + four * c) * ninth;
            state.stage[j] = h * two * ninth * ((a - b) + two * (c - b));
        }
        for j in 0..k {
            state.next[j] = state.u[j] + h * self.row(j, &state.mean);
        }
        Trial::Done(self.error(state), 3)
    }

    /// Entry `j` of `W x`.
    fn row(&self, j: usize, x: &[R]) -> R {
        let k = self.step.width();
        let mut sum = R::ZERO;
        for (w, x) in self.step.w[j * k..(j + 1) * k].iter().zip(x) {
            sum += *w * *x;
        }
        sum
    }

    /// The largest error in `stage`, relative to the tolerance. Where a contact slides, the tolerance is at most a
    /// tenth of its sliding velocity, so that the moment when it stops is found.
    fn error(&self, state: &InclusionState<R>) -> R {
        let mut worst = R::ZERO;
        for i in 0..self.step.contacts {
            let mut allowed = self.tolerances.error;
            if state.balance.grip[i] == Grip::Slides {
                allowed = Real::min(allowed, R::from_f64(0.1) * length(self.sideways(&state.u, i)));
            }
            worst = Real::max(worst, state.stage[i].abs() / self.tolerances.error);
            worst = Real::max(worst, length(self.sideways(&state.stage, i)) / allowed);
        }
        worst
    }

    /// An implicit Euler step of length `h` from `stage`, which it replaces; whether forces are found.
    fn euler(&self, h: R, state: &mut InclusionState<R>) -> bool {
        for (pull, stage) in state.balance.pull.iter_mut().zip(&state.stage) {
            *pull = *stage / h;
        }
        let found = self.forces(state);
        for (stage, slope) in state.stage.iter_mut().zip(&state.balance.slope) {
            *stage += h * *slope;
        }
        found
    }

    /// Two implicit Euler steps of length `h / 2`; their error is their distance from one of length `h`.
    fn implicit(&self, h: R, state: &mut InclusionState<R>) -> Trial<R> {
        let half = R::from_f64(0.5);
        let slides = |grip: &Grip| *grip == Grip::Slides;
        for i in 0..self.step.contacts {
            if slides(&state.balance.grip[i]) {
                state.balance.grip[i] = Grip::Held;
            }
        }
        state.balance.l.copy_from_slice(&state.first);
        state.stage.copy_from_slice(&state.u);
        let mut found = self.euler(h, state);
        state.next.copy_from_slice(&state.stage);
        state.stage.copy_from_slice(&state.u);
        found = found && self.euler(half * h, state);
        state.second.copy_from_slice(&state.balance.l);
        for i in 0..self.step.contacts {
            state.turned[i] = self.turned(self.sideways(&state.u, i), self.sideways(&state.stage, i));
            state.travel[i] = half * half * (state.u[i] + R::from_f64(2.0) * state.stage[i]);
        }
        found = found && self.euler(half * h, state);
        let mut error = apart(&state.next, &state.stage);
        for i in 0..self.step.contacts {
            // Where the contact stops, all steps agree, whether it should or not.
            let stops = length(self.sideways(&state.stage, i)) <= self.tolerances.halt;
            if stops && state.balance.grip[i] == Grip::Held {
                error = Real::max(error, half * state.turned[i]);
            }
        }
        error = error / self.tolerances.error;
        state.next.copy_from_slice(&state.stage);
        for j in 0..state.mean.len() {
            state.mean[j] = half * (state.second[j] + state.balance.l[j]);
        }
        for i in 0..self.step.contacts {
            state.travel[i] += half * half * state.next[i];
        }
        self.mark_sliding(state);
        if found { Trial::Done(error, 1) } else { Trial::Failed }
    }

    /// By how much sliding turns from `u` to `v`, times its speed; all of it where it stops.
    fn turned(&self, u: [R; 2], v: [R; 2]) -> R {
        let [before, after] = [u, v].map(length);
        if before <= self.tolerances.halt {
            return R::ZERO;
        }
        if after <= self.tolerances.halt {
            return before;
        }
        let part = before / after;
        length([u[0] - part * v[0], u[1] - part * v[1]])
    }

    /// Notes which contacts slide at velocity `u`.
    fn mark_sliding(&self, state: &mut InclusionState<R>) {
        for i in 0..self.step.contacts {
            let slides = length(self.sideways(&state.u, i)) > self.tolerances.halt;
            if state.balance.grip[i] == Grip::Held && slides {
                state.balance.grip[i] = Grip::Slides;
            }
        }
    }

    /// A smaller step if `next` is past the end of a phase, else `h`.
    fn overshoot(&self, h: R, state: &InclusionState<R>) -> R {
        let mut shorter = h;
        let approach = self.approaches(state);
        for i in 0..self.step.contacts {
            let (before, after, landing) = (state.u[i], state.next[i], self.landing(i));
            let down = before > landing && after < R::ZERO - landing;
            let up = before < R::ZERO - landing && after > landing;
            if down || up {
                shorter = Real::min(shorter, h * (before / (before - after)));
            }
            if self.gives(i, approach, state) {
                let (stored, left) = (state.stored[i], self.left(i, h, state));
                if left < R::ZERO - self.empty(i, after) {
                    shorter = Real::min(shorter, h * (stored / (stored - left)));
                }
            }
        }
        shorter
    }

    /// The content of reservoir `i` after a substep in which it gives back.
    pub(super) fn left(&self, i: usize, h: R, state: &InclusionState<R>) -> R {
        let given = if self.poisson { R::ONE } else { state.travel[i] };
        state.stored[i] - h * state.mean[i] * given
    }
}
