//! Implicit Euler steps, where sliding is stiff.

use super::integrator::apart;
use super::{FrictionMode, InclusionState, Integrator, Trial, length};
use carom_core::Real;

impl<R: Real, const M: usize> Integrator<'_, R, M> {
    /// An implicit Euler step of length `h` from `stage`, which is replaced by the result; returns
    /// whether forces are found.
    fn euler(&self, h: R, state: &mut InclusionState<R>) -> bool {
        // Small velocities are set to 0: at redundant contacts they may contradict each other.
        let [m, ..] = self.shape();
        for i in 0..m {
            let moves = state.stage[i].abs() > self.landing(i);
            state.balance.bias[i] = if moves { state.stage[i] / h } else { R::ZERO };
            let slip = self.sideways(&state.stage, i);
            let slides = length(slip) > self.tolerances.halt;
            let bias = if slides { slip.map(|x| x / h) } else { [R::ZERO; 2] };
            self.set_sideways(&mut state.balance.bias, i, bias);
        }
        let found = self.forces(state);
        for (stage, slope) in state.stage.iter_mut().zip(&state.balance.slope) {
            *stage += h * *slope;
        }
        found
    }

    /// Two implicit Euler steps of length `h / 2`; the error estimate is their distance from one
    /// step of length `h`.
    pub(super) fn implicit(&self, h: R, state: &mut InclusionState<R>) -> Trial<R> {
        let half = R::from_f64(0.5);
        let [m, ..] = self.shape();
        let modes = state.balance.friction_mode.iter_mut();
        for mode in modes.filter(|mode| **mode == FrictionMode::Slides) {
            *mode = FrictionMode::Held;
        }
        state.balance.l.copy_from_slice(&state.first);
        state.stage.copy_from_slice(&state.u);
        let mut found = self.euler(h, state);
        state.next.copy_from_slice(&state.stage);
        state.stage.copy_from_slice(&state.u);
        found = found && self.euler(half * h, state);
        state.second.copy_from_slice(&state.balance.l);
        for i in 0..m {
            state.turned[i] =
                self.turned(self.sideways(&state.u, i), self.sideways(&state.stage, i));
            state.travel[i] = half * half * (state.u[i] + R::from_f64(2.0) * state.stage[i]);
        }
        found = found && self.euler(half * h, state);
        let mut error = apart(&state.next, &state.stage);
        for i in 0..m {
            // If the contact stops, both results agree, whether it should stop or not.
            let stops = length(self.sideways(&state.stage, i)) <= self.tolerances.halt;
            if stops && state.balance.friction_mode[i] == FrictionMode::Held {
                error = Real::max(error, half * state.turned[i]);
            }
        }
        error = error / self.tolerances.error;
        state.next.copy_from_slice(&state.stage);
        for j in 0..state.mean.len() {
            state.mean[j] = half * (state.second[j] + state.balance.l[j]);
        }
        for i in 0..m {
            state.travel[i] += half * half * state.next[i];
        }
        self.mark_sliding(state);
        found.then_some((error, 1))
    }

    /// The change of sliding direction from `u` to `v`, times the speed; the whole speed if sliding
    /// stops.
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

    /// Marks the sliding contacts at velocity `u`.
    fn mark_sliding(&self, state: &mut InclusionState<R>) {
        for i in 0..self.shape()[0] {
            let slides = length(self.sideways(&state.u, i)) > self.tolerances.halt;
            if state.balance.friction_mode[i] == FrictionMode::Held && slides {
                state.balance.friction_mode[i] = FrictionMode::Slides;
            }
        }
    }
}
