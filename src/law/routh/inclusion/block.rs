//! A block, an interval of constant impulse rates: its impulse bounds, and its substeps.

use super::tolerances::{DOUBLINGS, LENGTHEN};
use super::{InclusionState, Integrator, Judged, NormalMode, Passage};
use carom_core::{Purpose, Rates, Real, Status, Stream, stream};

/// Fraction of stored work above which a contact at rest throughout a block counts as held; it then
/// loses its stored work.
pub const HELD: f64 = 0.999;

/// Limit of truncated blocks per sample: a block without a solution for the forces ends early, and
/// the next block has other rates.
const CUTS: u32 = 8;

/// Limit of termination checks per sample; substeps follow a failed check.
pub const CHECKS: u32 = 8;

/// External limits of a sample.
pub(super) struct BlockLimits<'a> {
    /// Limit of substeps.
    pub substeps: u32,
    /// Whether the sample is to end early.
    pub stopped: &'a dyn Fn() -> bool,
}

impl<R: Real, const M: usize> Integrator<'_, R, M> {
    /// Draws the impulse bounds of a block, and initial forces for contacts at rest: none, the
    /// bound, or half the bound.
    pub(super) fn draw(
        &self,
        rates: &Rates<R>,
        stream: &Stream,
        block: u32,
        state: &mut InclusionState<R>,
    ) {
        rates.draw_caps(stream, block, &state.u, self.rest, &mut state.caps);
        let [first, every] = LENGTHEN;
        let doublings = (block + every).saturating_sub(first) / every;
        let length = state.length * R::from_f64(f64::from(doublings.min(DOUBLINGS)).exp2());
        state.caps.iter_mut().for_each(|cap| *cap = *cap * length);
        // With Poisson's hypothesis, a contact at rest returns nothing while others approach.
        let approach = self.poisson && self.approaches(&state.u);
        for i in 0..self.shape()[0] {
            let rests = state.caps[i] > R::ZERO && state.u[i].abs() <= self.landing(i);
            state.before[i] = if rests && !approach { state.stored[i] } else { R::ZERO };
            if !rests {
                continue;
            }
            // Friction starts from 0, so that the result does not depend on the tangent frame.
            let word = stream.block(block, Purpose::Solution, i as u32)[0];
            let part = R::from_f64(0.5 * f64::from(stream::index(word, 3)));
            state.balance.l[i] = part * state.caps[i];
            self.set_sideways(&mut state.balance.l, i, [R::ZERO; 2]);
        }
    }

    /// Continues until the next plain step, and leaves its forces in `first` and accelerations in
    /// `onset`; or until the sample has ended, and returns its status.
    pub(super) fn decide(
        &self,
        rates: &Rates<R>,
        stream: &Stream,
        limits: &BlockLimits<'_>,
        state: &mut InclusionState<R>,
        observe: &mut impl FnMut(R, &[R], &[R]),
    ) -> Option<Status> {
        loop {
            if state.left <= R::ZERO {
                if state.blocks > 0 {
                    self.forfeit(state);
                }
                self.draw(rates, stream, state.blocks, state);
                state.blocks += 1;
                [state.left, state.wanted] = [R::ONE; 2];
            }
            if !state.u.iter().chain(&state.total).all(|x| x.is_finite()) {
                return Some(Status::NotFinite);
            }
            if self.over(state) && self.stays_over(state) {
                return Some(Status::Terminated);
            }
            if state.substeps >= limits.substeps || (limits.stopped)() {
                return Some(Status::StepLimit);
            }
            if state.spent > self.tolerances.budget {
                return Some(Status::Budget);
            }
            let found = self.grasp(state);
            if found && self.is_plain(state) {
                return None;
            }
            state.substeps += 1;
            let soonest = self.horizon(state);
            let longest = Real::min(Real::min(state.left, state.wanted), soonest);
            let step = if found { self.substep(longest, soonest, state) } else { None };
            if let Some(h) = step {
                state.stalls = R::ZERO;
                state.left -= h;
                self.settle(h, state, observe);
            } else if let Some(status) = self.cut(state) {
                return Some(status);
            }
        }
    }

    /// Whether the impact has ended at the velocity computed from the total impulse. This velocity
    /// replaces the sum over substeps, in which landed contacts were set to rest.
    fn stays_over(&self, state: &mut InclusionState<R>) -> bool {
        if state.checks == CHECKS {
            return true;
        }
        state.checks += 1;
        self.follow_impulse(state);
        self.over(state)
    }

    /// Recomputes the velocity from the total impulse.
    pub(super) fn follow_impulse(&self, state: &mut InclusionState<R>) {
        let InclusionState { u, start, total, .. } = &mut *state;
        for ((u, start), row) in
            u.iter_mut().zip(&*start).zip(self.step.w.chunks_exact(start.len()))
        {
            let parts = row.iter().zip(&*total).map(|(w, l)| w.widen() * l.widen());
            *u = R::narrow(parts.fold(start.widen(), |sum, part| sum + part));
        }
    }

    /// Truncates a block without a solution for the forces or with too many trials; returns the
    /// status of the sample if it ends.
    pub(super) fn cut(&self, state: &mut InclusionState<R>) -> Option<Status> {
        state.cuts += 1;
        // A truncated block resets the rest history.
        state.before.fill(R::ZERO);
        state.left = R::ZERO;
        match state.spent > self.tolerances.budget {
            true => Some(Status::Budget),
            false if state.cuts > CUTS => Some(Status::Unsolved),
            false => None,
        }
    }

    /// Clears the stored work of contacts at rest throughout the block: friction or other contacts
    /// hold them.
    pub(super) fn forfeit(&self, state: &mut InclusionState<R>) {
        for i in 0..self.shape()[0] {
            let landing = self.landing(i);
            let held = state.stored[i] >= state.before[i] * R::from_f64(HELD);
            if state.before[i] > R::ZERO
                && state.stored[i] > R::ZERO
                && state.u[i].abs() <= landing
                && held
            {
                state.stored[i] = R::ZERO;
                state.judge.forfeit(i);
            }
        }
    }

    /// Applies the result of a substep to impulse, stored work and velocity.
    fn settle(&self, h: R, state: &mut InclusionState<R>, observe: &mut impl FnMut(R, &[R], &[R])) {
        for j in 0..state.total.len() {
            state.total[j] += h * state.mean[j];
        }
        let InclusionState { judge, caps, mean, second, balance, halves, .. } = &mut *state;
        let mut note = |h: R, l: &[R]| {
            judge.substep(Judged { w: &self.step.w, shape: self.shape(), h, caps, l });
            observe(h, caps, l);
        };
        if *halves {
            note(R::from_f64(0.5) * h, second);
            note(R::from_f64(0.5) * h, &balance.l);
        } else {
            note(h, mean);
        }
        let approach = self.waits(state);
        for i in 0..self.shape()[0] {
            let passage = self.passage(i, h, state);
            let (u, driven) = (passage.u, passage.driven());
            let compressed = state.balance.normal_mode[i] == NormalMode::Full
                && !(self.poisson && u >= R::ZERO - passage.still());
            if self.restituting(i, approach, u, passage.stored) && !(self.poisson && driven) {
                state.stored[i] = passage.returned();
            } else if compressed || driven {
                state.stored[i] = passage.compressed();
            }
            state.next[i] = passage.landed();
        }
        state.u.copy_from_slice(&state.next);
    }

    /// The passage of contact `i` over a substep of length `h`.
    pub(super) fn passage(&self, i: usize, h: R, state: &InclusionState<R>) -> Passage<R> {
        Passage {
            u: state.u[i],
            next: state.next[i],
            travel: state.travel[i],
            landing: self.landing(i),
            impulse: h * state.mean[i],
            stored: state.stored[i],
            empty: self.empty(i, state.next[i], self.step.w[i * self.shape()[2] + i]),
            e: state.e[i],
            poisson: self.poisson,
        }
    }
}
