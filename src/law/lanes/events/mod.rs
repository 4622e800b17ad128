mod judge;
mod state;

use super::VectorJob;
use super::column::N;
use super::draws::Streams;
use crate::Ending;
use crate::routh::events::Events;
use crate::routh::events::chart::Chart;
use crate::routh::events::process::{EventsWorkspace, HELD, SPIRAL};
use crate::sampling::restitution::landing;
use carom_core::vectors::{OnVectors, Vector};
use carom_core::{ContactSpace, Real, Status};
use judge::LaneJudge;
use state::Lanes;

/// The segments of samples in lanes, by the operations of [`Events::sample`], which recomputes the
/// sample of a lane in unusual cases: a segment outside the explicit solution, many segments in a
/// block, many blocks, a limit, a residual too large.
type EventsJob<'a, R> = VectorJob<'a, R, Chart<R>, Events<R>, EventsWorkspace<R>>;

impl<R: Real> OnVectors for EventsJob<'_, R> {
    type R = R;

    #[inline(always)]
    fn run<S: Vector<R>>(self, simd: S) {
        let ContactSpace { step, start, .. } = &self.law.space;
        if start[..step.contacts].iter().all(|u| *u >= R::ZERO) {
            self.endings.fill(Ending { status: Status::Terminated, steps: 0, residual: R::ZERO });
            self.totals.fill(R::ZERO);
            return;
        }
        let bounces = self.law.numbers.e.iter().any(|[e, _]| *e > R::ZERO);
        match (step.contacts, bounces) {
            (1, false) => run::<S, R, 1, 2, 4, false>(simd, self),
            (1, true) => run::<S, R, 1, 2, 4, true>(simd, self),
            (2, false) => run::<S, R, 2, 4, 8, false>(simd, self),
            (2, true) => run::<S, R, 2, 4, 8, true>(simd, self),
            (m, _) => unreachable!("no chart is built for {m} contacts"),
        }
    }
}

#[inline(always)]
fn run<S: Vector<R>, R: Real, const M: usize, const K: usize, const X: usize, const E: bool>(
    simd: S,
    job: EventsJob<'_, R>,
) {
    let VectorJob { tables: chart, law, seed, first, endings, totals, work } = job;
    let (space, count, lanes) = (&law.space, endings.len(), S::LANES);
    let totals = &mut totals.as_chunks_mut::<K>().0[..count];
    let start: [R; K] = std::array::from_fn(|i| space.start[i]);
    let mut state = Lanes::<R, M, K, X, E>::new(&start);
    let mut id: [u32; N] = std::array::from_fn(|l| l.min(count.saturating_sub(1)) as u32);
    let mut next = N.min(count);
    // Bit i: lane i computes a sample.
    let mut alive = u64::MAX.checked_shr((N - next) as u32).unwrap_or(0);
    let group = u64::MAX >> (N - lanes);
    let streams = Streams { seed, first };
    let judge = LaneJudge::<S::V, M, K, E>::new::<R, S>(simd, law);
    let landing: [S::V; M] = std::array::from_fn(|i| simd.splat(landing(space.rest[i])));
    let [half, two, held] = [0.5, 2.0, HELD].map(|x| simd.splat(R::from_f64(x)));
    let rest: [S::V; M] = std::array::from_fn(|i| simd.splat(space.rest[i]));
    let (zero, one, huge) = (simd.splat(R::ZERO), simd.splat(R::ONE), simd.splat(R::HUGE));
    let (condition, deepest) = (simd.splat(R::CONDITION), simd.splat(-R::CONDITION));
    let most_segments = simd.splat(R::from_f64(f64::from(space.max_steps)));
    let spiral = simd.splat(R::from_f64(f64::from(SPIRAL)));
    let most_residual = simd.splat(R::from_f64(R::RESIDUAL));

    while alive != 0 {
        state.draw(simd, law, streams, &id);
        state.look_up(simd, chart, streams, &id);
        state.drive(simd, chart);
        // Masks of the lanes whose samples end, and of the unusual ones among them.
        let (mut ended, mut unusual) = (0, 0);
        for g in 0..N / lanes {
            if alive >> (g * lanes) & group == 0 {
                continue;
            }
            let (mut l, mut du, mut u) = ([zero; K], [zero; K], [zero; K]);
            let mut size = zero;
            for i in 0..K {
                (l[i], du[i], u[i]) =
                    (state.forces[i].at(g), state.forces[K + i].at(g), state.u[i].at(g));
                size = simd.max(size, simd.abs(l[i]));
            }
            // Accelerations at velocity 0 within rounding become 0, as in Segment::holds.
            let small = simd.mul(condition, size);
            let mut still = simd.le(zero, zero);
            for i in 0..K {
                let slight = simd.le(simd.abs(du[i]), small);
                still = simd.both(still, slight);
                du[i] = simd.unless(simd.both(simd.le(simd.abs(u[i]), zero), slight), du[i]);
            }
            // The velocity advances to the first event or to the end of the block, as in
            // Events::advance.
            let passed = state.passed.at(g);
            let mut length = simd.sub(one, passed);
            let mut times = [huge; K];
            for i in 0..K {
                let time = simd.div(simd.sub(zero, u[i]), du[i]);
                let away = simd.either(simd.le(time, zero), simd.le(simd.abs(u[i]), zero));
                let opposed = simd.select(away, huge, simd.min(time, huge));
                // The slip direction matters only under load.
                times[i] = if i < M {
                    opposed
                } else {
                    simd.select(simd.le(l[i - M], zero), huge, opposed)
                };
                length = simd.min(length, times[i]);
            }
            let mut free = [simd.le(one, zero); M];
            let mut stored: [S::V; M] = std::array::from_fn(|i| state.stored[i].at(g));
            // Whether forces hold the slowly approaching contacts, as in Events::stays. The sample
            // has then ended without this segment.
            let (mut stays, mut wedged) = (simd.le(zero, zero), simd.le(one, zero));
            for i in 0..M {
                let slowest = simd.select(simd.le(state.caps[i].at(g), zero), huge, rest[i]);
                let held = simd.both(still, simd.le(slowest, u[i]));
                let onward = simd.select(simd.le(u[i], zero), du[i], one);
                let leaves = simd.both(simd.le(zero, u[i]), simd.le(zero, onward));
                stays = simd.both(stays, simd.either(held, leaves));
                if E {
                    stays = simd.both(stays, simd.le(stored[i], zero));
                }
                wedged = simd.either(wedged, simd.le(u[i], deepest));
            }
            let wedged = simd.both(wedged, stays);
            if E {
                // The times at which stored work is used up, as in first_root.
                let mut empties = [huge; M];
                for i in 0..M {
                    let work = simd.div(stored[i], l[i]);
                    let square =
                        simd.add(simd.mul(u[i], u[i]), simd.mul(simd.mul(two, du[i]), work));
                    let below = simd.add(u[i], simd.sqrt(simd.max(square, zero)));
                    let time = simd.div(simd.mul(two, work), below);
                    let returns = simd.both(simd.le(zero, u[i]), simd.le(zero, square));
                    let time = simd.select(returns, simd.min(time, huge), huge);
                    let least = simd.min(simd.min(stored[i], l[i]), below);
                    empties[i] = simd.select(simd.le(least, zero), huge, time);
                    length = simd.min(length, empties[i]);
                }
                for i in 0..M {
                    let mean = simd.add(u[i], simd.mul(simd.mul(half, du[i]), length));
                    let given = simd.mul(simd.mul(l[i], length), mean);
                    let absorbs = simd.sub(stored[i], simd.mul(judge.returned[i], given));
                    let returns = simd.max(simd.sub(stored[i], given), zero);
                    let empty = simd.le(empties[i], length);
                    let changed = simd.select(simd.le(zero, given), returns, absorbs);
                    stored[i] = simd.unless(empty, changed);
                    free[i] = empty;
                }
            }
            length = simd.unless(stays, length);
            for i in 0..K {
                let after = simd.add(u[i], simd.mul(du[i], length));
                let forward = simd.select(simd.le(zero, u[i]), after, simd.sub(zero, after));
                // Rounding can put the zero slightly after the end of the segment; times is HUGE
                // where the entry does not approach 0.
                let passes = simd.both(simd.le(forward, zero), simd.le(times[i], two));
                let reached = simd.either(simd.le(times[i], length), passes);
                free[i % M] = simd.either(free[i % M], reached);
                u[i] = simd.unless(reached, after);
                state.u[i].put(g, u[i]);
            }
            let passed = simd.add(passed, length);
            state.passed.put(g, passed);
            let mut allowed = [zero; M];
            for i in 0..M {
                state.free[i].put(g, simd.select(free[i], one, zero));
                allowed[i] = simd.mul(state.caps[i].at(g), length);
            }
            let mut sum = zero;
            for i in 0..K {
                l[i] = simd.mul(l[i], length);
                let total = simd.add(state.total[i].at(g), l[i]);
                state.total[i].put(g, total);
                sum = simd.add(sum, simd.abs(total));
            }
            let mut judged: [S::V; K] = std::array::from_fn(|i| state.judged[i].at(g));
            let mut account: [S::V; M] = std::array::from_fn(|i| state.account[i].at(g));
            let mut residual = state.residual.at(g);
            judge.segment::<R, S>(simd, &mut residual, &mut judged, &mut account, &allowed, &l);
            for i in 0..K {
                state.judged[i].put(g, judged[i]);
            }
            let mut over = simd.le(zero, zero);
            for i in 0..M {
                over = simd.both(over, simd.le(zero, u[i]));
            }
            if E {
                for i in 0..M {
                    let moved = simd.max(state.moved[i].at(g), simd.abs(judged[i]));
                    state.moved[i].put(g, moved);
                    // At the end of a block, contacts at rest lose their stored work, as in
                    // Events::advance and Events::forfeit.
                    let rested = simd.le(simd.abs(u[i]), landing[i]);
                    let before: S::V = simd.select(rested, state.before[i].at(g), zero);
                    state.before[i].put(g, before);
                    let kept = simd.le(simd.mul(before, held), stored[i]);
                    let kept =
                        simd.either(kept, simd.le(stored[i], simd.mul(landing[i], landing[i])));
                    let kept = simd.both(kept, simd.le(one, passed));
                    let loses = simd.select(kept, simd.min(before, stored[i]), zero);
                    let keeps = simd.le(loses, zero);
                    stored[i] = simd.select(keeps, stored[i], zero);
                    let lost = simd.unless(keeps, simd.min(account[i], moved));
                    residual = simd.max(residual, lost);
                    account[i] = simd.select(keeps, account[i], zero);
                    state.stored[i].put(g, stored[i]);
                    state.account[i].put(g, account[i]);
                    over = simd.both(over, simd.le(stored[i], zero));
                }
                for i in 0..M {
                    let left = simd.select(simd.either(over, stays), account[i], zero);
                    residual = simd.max(residual, left);
                }
            }
            state.residual.put(g, residual);

            let sound = simd.both(simd.le(residual, most_residual), simd.le(sum, huge));
            let over = simd.both(simd.either(over, stays), sound);
            let segments = simd.add(state.segments.at(g), simd.unless(stays, one));
            let number = simd.add(state.number.at(g), one);
            state.segments.put(g, segments);
            state.number.put(g, number);
            let many = simd.either(simd.le(most_segments, segments), simd.le(spiral, number));
            let over = simd.bits(over);
            let odd = !simd.bits(sound) | simd.bits(wedged) | (simd.bits(many) & !over);
            ended |= (u64::from(over | odd) & group) << (g * lanes);
            unusual |= (u64::from(odd) & group) << (g * lanes);
        }
        ended &= alive;
        while ended != 0 {
            let lane = ended.trailing_zeros() as usize % N;
            ended &= ended - 1;
            let sample = id[lane] as usize;
            if unusual >> lane & 1 == 1 {
                endings[sample] = law.sample(&streams.of(id[lane]), work);
                totals[sample].copy_from_slice(&work.total);
            } else {
                endings[sample] = Ending {
                    status: Status::Terminated,
                    steps: state.segments.0[lane].to_f64() as u32,
                    residual: state.residual.0[lane],
                };
                totals[sample] = std::array::from_fn(|i| state.total[i].0[lane]);
            }
            state.begin(lane, &start);
            if next < count {
                id[lane] = next as u32;
                next += 1;
            } else {
                alive &= !(1 << lane);
            }
        }
    }
}
