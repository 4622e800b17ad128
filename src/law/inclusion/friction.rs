//! Friction forces at given normal rates.

use super::integrator::{Integrator, length};
use super::state::{Grip, InclusionState};
use super::tolerances::MAX_SWEEPS;
use crate::real::Real;

impl<R: Real> Integrator<'_, R> {
    /// Determines what friction does in the next substep; leaves the forces in `first` and the accelerations in
    /// `onset`. Whether a contact has stopped sliding.
    pub(super) fn grasp(&self, state: &mut InclusionState<R>) -> bool {
        let m = self.step.contacts;
        let mut halted = false;
        for i in 0..m {
            let [a, _, d] = self.block_of(i);
            let radius = state.mu[i] * state.rate[i];
            let slid = matches!(state.grip[i], Grip::Slides | Grip::Steers);
            state.grip[i] = if radius <= R::ZERO || a + d <= R::ZERO {
                Grip::Free
            } else if length(self.sideways(&state.u, i)) > self.tolerances.halt {
                Grip::Slides
            } else {
                Grip::Held
            };
            halted |= slid && state.grip[i] == Grip::Held;
        }
        state.stage.copy_from_slice(&state.u);
        state.pull.fill(R::ZERO);
        self.forces(state);
        state.first.copy_from_slice(&state.rate);
        state.onset.copy_from_slice(&state.slope);
        halted
    }

    /// Makes friction implicit ([`Grip::Steers`]) where the direction of sliding settles within a substep of length
    /// `h`. The time that this takes is `|u_t| / (mu c W_tt)`, which explicit stages must not exceed.
    pub(super) fn steer(&self, h: R, state: &mut InclusionState<R>) {
        state.pull.fill(R::ZERO);
        for i in 0..self.step.contacts {
            let slip = self.sideways(&state.u, i);
            if matches!(state.grip[i], Grip::Slides | Grip::Steers) {
                let settles = h * state.mu[i] * state.rate[i] * self.top(i) > length(slip);
                state.grip[i] = if settles { Grip::Steers } else { Grip::Slides };
            }
            if matches!(state.grip[i], Grip::Steers | Grip::Held) {
                self.set_sideways(&mut state.pull, i, slip.map(|x| x / h));
            }
        }
    }

    /// Computes the friction forces at the velocity `stage` into `rate`, and `slope = W rate`.
    pub(super) fn forces(&self, state: &mut InclusionState<R>) {
        let mut held = false;
        for i in 0..self.step.contacts {
            let slip = self.sideways(&state.stage, i);
            let size = length(slip);
            let radius = state.mu[i] * state.rate[i];
            match state.grip[i] {
                Grip::Free => self.set_sideways(&mut state.rate, i, [R::ZERO; 2]),
                Grip::Slides if size > R::ZERO => {
                    self.set_sideways(&mut state.rate, i, slip.map(|x| -(x / size * radius)));
                }
                Grip::Slides => {}
                Grip::Steers | Grip::Held => held = true,
            }
        }
        for j in 0..self.step.width() {
            state.slope[j] = self.row(j, &state.rate);
        }
        if held {
            self.hold(state);
        }
    }

    /// The forces that stop contacts, or come closest to it: `min f' W_tt f / 2 + f'(b + pull)` over their discs, in
    /// sweeps contact by contact. A contact gets the force that stops it, if that is in its disc, else one step of a
    /// projected gradient.
    pub(super) fn hold(&self, state: &mut InclusionState<R>) {
        let k = self.step.width();
        for _ in 0..MAX_SWEEPS {
            let [mut change, mut size] = [R::ZERO; 2];
            for i in 0..self.step.contacts {
                if !matches!(state.grip[i], Grip::Steers | Grip::Held) {
                    continue;
                }
                let radius = state.mu[i] * state.rate[i];
                let before = self.sideways(&state.rate, i);
                let ([x, y], [p, q]) = (self.sideways(&state.slope, i), self.sideways(&state.pull, i));
                let after = self.hold_one(i, before, [x + p, y + q], radius);
                self.set_sideways(&mut state.rate, i, after);
                let t = self.tangent(i);
                for axis in 0..self.step.axes {
                    let step = after[axis] - before[axis];
                    for j in 0..k {
                        state.slope[j] += self.step.w[j * k + t + axis] * step;
                    }
                    change = Real::max(change, step.abs());
                    size = Real::max(size, after[axis].abs());
                }
                size = Real::max(size, state.rate[i]);
            }
            if change <= self.tolerances.balance * size {
                return;
            }
        }
    }

    /// A better force of contact `i` within a disc, from its force `f` and acceleration `slope`.
    pub(super) fn hold_one(&self, i: usize, f: [R; 2], slope: [R; 2], radius: R) -> [R; 2] {
        let [a, b, d] = self.block_of(i);
        let determinant = a * d - b * b;
        if determinant > R::from_f64(16.0 * R::EPSILON) * (a + d) * (a + d) {
            let [x, y] = [d * slope[0] - b * slope[1], a * slope[1] - b * slope[0]];
            let exact = [f[0] - x / determinant, f[1] - y / determinant];
            if length(exact) <= radius {
                return exact;
            }
        }
        let top = self.top(i);
        let moved = [f[0] - slope[0] / top, f[1] - slope[1] / top];
        let size = length(moved);
        if size > radius { moved.map(|x| x / size * radius) } else { moved }
    }
}
