//! A block of impulse, over which rates are constant: which contacts take part, at which rates, and how reservoirs
//! change.

use super::integrator::Integrator;
use super::state::{InclusionState, Phase};
use crate::law::draws::rates::{Rates, Sampler, stretch};
use crate::real::Real;
use crate::rng::{Purpose, Stream, stream};

impl<R: Real> Integrator<'_, R> {
    /// Determines which contacts may take part in the next block, of those with an impulse bound above 0; whether the
    /// impact is not yet over.
    pub(super) fn engage(&self, rates: &Rates<R>, state: &mut InclusionState<R>) -> bool {
        let m = self.step.contacts;
        let approach = (0..m).any(|i| state.u[i] < self.rest[i]);
        for i in 0..m {
            state.phase[i] = if rates.caps[i] == R::ZERO {
                Phase::Waiting
            } else if state.u[i] < self.rest[i] {
                Phase::Compressing
            } else if state.stored[i] > R::ZERO && !(self.poisson && approach) {
                Phase::Restituting
            } else if state.u[i] <= self.landing(i) {
                Phase::Touching
            } else {
                Phase::Waiting
            };
        }
        state.phase.iter().any(|phase| phase.engaged())
    }

    /// Draws the normal rates of a block: uniform numbers, divided by the largest of them, times the impulse bounds.
    /// With [`Sampler::Coverage`] only a random subset of random size has rates above 0, and the length of the block
    /// varies by [`stretch`]. A contact that touches takes part with probability one half, at a rate of random order of
    /// magnitude down to `2^-24`: where friction holds it, a small rate may be enough to make it approach.
    pub(super) fn draw_rates(
        &self,
        rates: &Rates<R>,
        stream: &Stream,
        step: u32,
        state: &mut InclusionState<R>,
    ) {
        let half = R::from_f64(0.5);
        let mut waiting = state.phase.iter().filter(|phase| phase.engaged()).count() as u32;
        let (mut scale, mut wanted) = (R::ONE, waiting);
        if rates.sampler == Sampler::Coverage {
            let words = stream.block(step, Purpose::Order, 0);
            wanted = 1 + stream::index(words[0], waiting);
            scale = stretch(words[1], words[2]);
        }
        let [mut words, mut picks] = [[0; 4]; 2];
        let mut largest = R::ZERO;
        for i in 0..self.step.contacts {
            if i % 4 == 0 {
                words = stream.block(step, Purpose::Rate, i as u32 / 4);
                picks = stream.block(step, Purpose::Order, 1 + i as u32 / 4);
            }
            state.rate[i] = R::ZERO;
            if !state.phase[i].engaged() {
                continue;
            }
            if stream::index(picks[i % 4], waiting) < wanted {
                state.rate[i] = R::from_f64(f64::from(stream::unit(words[i % 4])));
                largest = Real::max(largest, state.rate[i]);
                wanted -= 1;
            }
            waiting -= 1;
        }
        for i in 0..self.step.contacts {
            let cap = rates.caps[i] * scale;
            if state.phase[i].engaged() {
                state.rate[i] = if largest > R::ZERO { cap * (state.rate[i] / largest) } else { cap };
            } else if state.phase[i] == Phase::Touching {
                let words = stream.block(step, Purpose::Solution, i as u32);
                if words[0] < 1 << 31 {
                    state.phase[i] = Phase::Waiting;
                    continue;
                }
                state.rate[i] = cap * R::from_f64(f64::from(stream::unit(words[1])));
                for _ in 0..stream::index(words[2], 24) {
                    state.rate[i] = state.rate[i] * half;
                }
            }
        }
    }

    /// Determines which of the touching contacts take part: not those that separate under their own impulse and that of
    /// others.
    pub(super) fn touch(&self, state: &mut InclusionState<R>) {
        let m = self.step.contacts;
        while state.phase.contains(&Phase::Touching) {
            state.rate[m..].fill(R::ZERO);
            self.grasp(state);
            let mut parted = false;
            for i in 0..m {
                if state.phase[i] == Phase::Touching && state.onset[i] >= R::ZERO {
                    state.phase[i] = Phase::Waiting;
                    state.rate[i] = R::ZERO;
                    parted = true;
                }
            }
            if !parted {
                for phase in state.phase.iter_mut().filter(|phase| **phase == Phase::Touching) {
                    *phase = Phase::Compressing;
                }
            }
        }
    }

    /// Integrates a block of unit length, or until no contact takes part; whether the limit on substeps was kept.
    pub(super) fn block(&self, state: &mut InclusionState<R>) -> bool {
        let m = self.step.contacts;
        let [mut left, mut wanted] = [R::ONE; 2];
        state.rate[m..].fill(R::ZERO);
        while state.substeps < self.tolerances.substeps {
            state.substeps += 1;
            for i in 0..m {
                if state.phase[i] == Phase::Waiting {
                    state.rate[i] = R::ZERO;
                }
            }
            if !(left > R::ZERO && state.rate[..m].iter().any(|c| *c > R::ZERO)) {
                return true;
            }
            if self.grasp(state) {
                wanted = R::ONE;
            }
            if self.release(state) {
                continue;
            }
            let longest = Real::min(Real::min(left, wanted), self.horizon(state));
            let Some(h) = self.substep(longest, &mut wanted, state) else { return false };
            left -= h;
            self.settle(h, state);
        }
        false
    }

    /// Ends the compression of contacts that have hardly begun to approach and turn back, and the restitution of those that
    /// have hardly begun to separate and are driven in; whether there are any.
    fn release(&self, state: &mut InclusionState<R>) -> bool {
        let mut any = false;
        for i in 0..self.step.contacts {
            let touches = state.phase[i] == Phase::Compressing && state.u[i] >= -self.landing(i);
            if touches && state.onset[i] >= R::ZERO {
                let gives = state.stored[i] > R::ZERO && !self.poisson;
                state.phase[i] = if gives { Phase::Restituting } else { Phase::Waiting };
                any = true;
            }
            let turns = state.phase[i] == Phase::Restituting && state.u[i] <= self.landing(i);
            if turns && state.onset[i] < R::ZERO {
                state.phase[i] = Phase::Compressing;
                any = true;
            }
        }
        any
    }

    /// Applies the result of a substep to impulse, work, reservoirs, phases and velocity.
    fn settle(&self, h: R, state: &mut InclusionState<R>) {
        for j in 0..self.step.width() {
            state.total[j] += h * state.mean[j];
        }
        state.work += h * state.power;
        for i in 0..self.step.contacts {
            let impulse = h * state.rate[i];
            let e = state.e[i];
            match state.phase[i] {
                Phase::Compressing => {
                    let gained =
                        if self.poisson { e * impulse } else { -(e * e * impulse * state.travel[i]) };
                    state.stored[i] = Real::max(state.stored[i] + gained, R::ZERO);
                    if state.next[i] >= -self.landing(i) && state.next[i] >= state.u[i] {
                        state.next[i] = R::ZERO;
                        let gives = state.stored[i] > R::ZERO && !self.poisson;
                        state.phase[i] = if gives { Phase::Restituting } else { Phase::Waiting };
                    }
                }
                Phase::Restituting => {
                    state.stored[i] = self.left(i, h, state);
                    if state.stored[i] <= self.empty(i, state.next[i]) {
                        state.stored[i] = R::ZERO;
                        state.phase[i] = Phase::Waiting;
                    } else if state.next[i] <= self.landing(i) && state.next[i] < state.u[i] {
                        // Driven into approach again, it stores a part of the work of compression from here on.
                        state.next[i] = R::ZERO;
                        state.phase[i] = Phase::Compressing;
                    }
                }
                Phase::Waiting | Phase::Touching => {}
            }
        }
        state.u.copy_from_slice(&state.next);
    }
}
