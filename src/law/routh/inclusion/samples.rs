//! Samples of the inclusion, one per lane: all lanes take plain steps together; decisions, draws
//! and other substeps run lane by lane. A lane begins the next sample when its own has ended.

use std::sync::atomic::Ordering;

use super::block::BlockLimits;
use super::lanes::{Observer, Starts};
use super::plain::Tried;
use super::process::Inclusion;
use super::{Integrator, MAX_TRIALS, Motion, SampleLane, Samples};
use crate::Ending;
use carom_core::{Number, Real, Status, StepProblem, Stream};

/// Largest number of lanes of a vector.
const MOST_LANES: usize = 16;

impl<R: Real> Inclusion<R> {
    /// Computes samples of a problem with `M` spatial contacts; `M = 0`: any problem.
    #[inline(always)]
    pub(super) fn compute<'s, X: Number<Scalar = R>, const M: usize>(
        &self,
        samples: Samples<'_, R, impl Fn(usize) -> Stream<'s>>,
        lanes: &mut [SampleLane<R>],
        motion: &mut Motion<X>,
        mut observer: impl Observer<X>,
    ) {
        let Samples { finer, stop, streams, starts, endings, totals } = samples;
        let (start, rest) = (self.starts(starts), self.rests(starts));
        let stopped = || stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        let limits = BlockLimits { substeps: self.space.max_steps, stopped: &stopped };
        let base = self.integrator::<M>(&self.space.step, &self.space.rest, finer);
        let operations = base.plain_operations();
        let mut at: [Option<Stream<'s>>; MOST_LANES] = [None; MOST_LANES];
        for lane in 0..X::LANES {
            motion.take_matrix(lane, &self.space.step);
            motion.rest(lane);
        }
        let (mut next, mut live) = (0, 0u32);
        let mut pending = u32::MAX >> (32 - X::LANES);
        loop {
            while pending != 0 {
                let lane = pending.trailing_zeros() as usize;
                pending &= pending - 1;
                let mut decided = false;
                while !decided {
                    let of = &mut lanes[lane];
                    if live >> lane & 1 == 0 {
                        if next == endings.len() {
                            motion.rest(lane);
                            break;
                        }
                        let stream = streams(next);
                        of.sample = next;
                        let reach = starts.map_or(self.rates.reach, |of| of.reach[next]);
                        self.begin::<M>(&stream, [start(next), rest(next)], reach, finer, of);
                        if let Some((_, step)) = &of.drawn {
                            motion.take_matrix(lane, step);
                        }
                        at[lane] = Some(stream);
                        live |= 1 << lane;
                        next += 1;
                    }
                    let Some(stream) = &at[lane] else { break };
                    let SampleLane { state, drawn, sample, trials, .. } = of;
                    let step = drawn.as_ref().map_or(&self.space.step, |(_, step)| step);
                    let integrator = self.integrator::<M>(step, rest(*sample), finer);
                    // Too many trials truncate the block.
                    let cut = if *trials == MAX_TRIALS { integrator.cut(state) } else { None };
                    *trials = 0;
                    let status = cut.or_else(|| {
                        let mut observe = |h: R, caps: &[R], l: &[R]| observer.substep(h, caps, l);
                        integrator.decide(&self.rates, stream, &limits, state, &mut observe)
                    });
                    if let Some(status) = status {
                        let residual = state.judge.end(&state.u, status == Status::Terminated);
                        endings[*sample] = Ending { status, steps: state.substeps, residual };
                        let k = state.total.len();
                        if let Some(total) = totals.get_mut(*sample * k..(*sample + 1) * k) {
                            total.copy_from_slice(&state.total);
                        }
                        live &= !(1 << lane);
                    } else {
                        state.hold.any = false;
                        if !state.balance.decided {
                            state.hold.prepare(step, &state.mu, &state.balance);
                            state.rested = true;
                        }
                        motion.take(lane, state);
                        decided = true;
                    }
                }
            }
            if live == 0 {
                return;
            }
            let Tried { length, done, ended } = base.plain(motion);
            observer.plain(length, &motion.caps, &motion.mean);
            pending = if stopped() { live } else { ended & live };
            for (lane, of) in lanes.iter_mut().enumerate().take(X::LANES) {
                if live >> lane & 1 == 0 {
                    continue;
                }
                of.state.spent += operations;
                if done >> lane & 1 == 1 {
                    of.state.substeps += 1;
                    of.trials = 0;
                } else {
                    of.trials += 1;
                }
                let over = of.state.substeps >= limits.substeps
                    || of.state.spent > base.tolerances.budget
                    || of.trials == MAX_TRIALS;
                pending |= u32::from(over) << lane;
                if pending >> lane & 1 == 1 {
                    motion.give(lane, &mut of.state);
                }
            }
        }
    }

    /// Begins a sample in a lane.
    pub(super) fn begin<const M: usize>(
        &self,
        stream: &Stream,
        [start, rest]: [&[R]; 2],
        reach: f64,
        finer: bool,
        lane: &mut SampleLane<R>,
    ) {
        let SampleLane { state, drawn, trials, .. } = lane;
        if let (Some(inertia), Some((drawn, step))) = (&self.inertia, &mut *drawn) {
            inertia.draw(stream, drawn);
            drawn.contact_space(&self.space.scaling, step);
            state.hold.forget();
        }
        let step = drawn.as_ref().map_or(&self.space.step, |(_, step)| step);
        state.begin(step, start, &self.numbers, stream);
        let numbers = [&state.u, &state.mu, &state.tops].map(Vec::as_slice);
        let integrator = self.integrator::<M>(step, rest, finer);
        state.length = match self.adapts {
            true => integrator.block_length(numbers) * R::from_f64(reach),
            false => R::ONE,
        };
        *trials = 0;
    }

    /// The initial velocity of a sample.
    fn starts<'a>(&'a self, of: Option<Starts<'a, R>>) -> impl Fn(usize) -> &'a [R] {
        let k = self.space.step.width();
        move |i| of.map_or(&self.space.start, |of| &of.start[i * k..(i + 1) * k])
    }

    /// The thresholds of a sample.
    fn rests<'a>(&'a self, of: Option<Starts<'a, R>>) -> impl Fn(usize) -> &'a [R] {
        let m = self.space.step.contacts;
        move |i| of.map_or(&self.space.rest, |of| &of.rest[i * m..(i + 1) * m])
    }

    pub(super) fn integrator<'a, const M: usize>(
        &'a self,
        step: &'a StepProblem<R>,
        rest: &'a [R],
        finer: bool,
    ) -> Integrator<'a, R, M> {
        let tolerances = if finer { self.tolerances.finer() } else { self.tolerances };
        Integrator { step, rest, poisson: self.poisson, tolerances, sure: finer }
    }
}
