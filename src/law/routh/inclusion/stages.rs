//! An explicit step of third order.
//!
//! Source: P. Bogacki, L. F. Shampine: A 3(2) pair of Runge-Kutta formulas. Applied Mathematics
//! Letters 2 (1989) 321-325. Deviation: the embedded second-order rule is the midpoint rule. All
//! weights are positive, so the mean of forces in a circular cone lies in the cone.

use super::given::weigh;
use super::{Balance, FrictionMode, InclusionState, Integrator, Trial, against, length};
use carom_core::Real;

impl<R: Real, const M: usize> Integrator<'_, R, M> {
    /// Three explicit stages, of length `h`.
    pub(super) fn stages(&self, h: R, state: &mut InclusionState<R>) -> Trial<R> {
        let [m, _, k] = self.shape();
        let [half, two, three, four] = [0.5, 2.0, 3.0, 4.0].map(R::from_f64);
        let ninth = R::ONE / R::from_f64(9.0);
        state.balance.l.copy_from_slice(&state.first);
        for j in 0..k {
            state.stage[j] = state.u[j] + h * half * state.onset[j];
        }
        if !self.at_stage(state) {
            return None;
        }
        state.second.copy_from_slice(&state.balance.l);
        for i in 0..m {
            state.travel[i] = two * state.u[i] + three * state.stage[i];
        }
        for j in 0..k {
            state.stage[j] = state.u[j] + h * (three / four) * state.balance.slope[j];
        }
        if !self.at_stage(state) {
            return None;
        }
        let InclusionState { balance, first, second, mean, stage, next, u, travel, .. } =
            &mut *state;
        for i in 0..m {
            travel[i] = (travel[i] + four * stage[i]) * ninth;
        }
        let (u, l) = (&u[..k], &balance.l[..k]);
        let (first, second, mean) = (&first[..k], &second[..k], &mut mean[..k]);
        let (stage, next) = (&mut stage[..k], &mut next[..k]);
        for j in 0..k {
            let [a, b, c] = [first[j], second[j], l[j]];
            mean[j] = (two * a + three * b + four * c) * ninth;
            stage[j] = h * two * ninth * ((a - b) + two * (c - b));
        }
        weigh::<R, M>(self.step, mean, next);
        for j in 0..k {
            next[j] = u[j] + h * next[j];
        }
        Some((self.error(state), 2))
    }

    /// Computes the forces at the velocity `stage`; contacts that stick or rest have no
    /// acceleration.
    #[inline(always)]
    fn at_stage(&self, state: &mut InclusionState<R>) -> bool {
        let [m, _, k] = self.shape();
        if state.balance.decided {
            self.decided_friction(state);
            let Balance { l, slope, .. } = &mut state.balance;
            weigh::<R, M>(self.step, l, slope);
            state.spent += (k * k) as u64;
            return true;
        }
        let InclusionState { balance, stage, .. } = &mut *state;
        balance.bias.fill(R::ZERO);
        for i in 0..m {
            if balance.friction_mode[i] == FrictionMode::Slides {
                let slip = self.sideways(stage, i);
                let speed = length(slip);
                if speed > R::ZERO {
                    self.set_sideways(&mut balance.way, i, slip.map(|x| R::ZERO - x / speed));
                }
            }
        }
        self.forces(state)
    }

    /// Sets the friction of sliding contacts at the velocity `stage`, if modes determine all
    /// forces.
    fn decided_friction(&self, state: &mut InclusionState<R>) {
        for i in 0..self.shape()[0] {
            let size = state.mu[i] * state.first[i];
            let slides = state.balance.friction_mode[i] == FrictionMode::Slides;
            let slip = self.sideways(&state.stage, i);
            let friction = if slides { against(size, slip) } else { [R::ZERO; 2] };
            self.set_sideways(&mut state.balance.l, i, friction);
        }
    }

    /// The largest error in `stage`, relative to the tolerance. The tolerance of a sliding contact
    /// is at most a tenth of its sliding velocity, so that its stop is detected.
    fn error(&self, state: &InclusionState<R>) -> R {
        let [m, ..] = self.shape();
        let mut worst = R::ZERO;
        for i in 0..m {
            let mut allowed = self.tolerances.error;
            if state.balance.friction_mode[i] == FrictionMode::Slides {
                allowed = Real::min(allowed, R::from_f64(0.1) * length(self.sideways(&state.u, i)));
            }
            worst = Real::max(worst, state.stage[i].abs() / self.tolerances.error);
            worst = Real::max(worst, length(self.sideways(&state.stage, i)) / allowed);
        }
        worst
    }
}
