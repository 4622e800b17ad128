//! The event process, one sample per vector lane.

mod judge;

use super::VectorJob;
use super::column::{Column, N};
use super::draws::{Drawing, Streams, at_least, gather, list};
use crate::law::contact_space::ContactSpace;
use crate::law::restitution::landing;
use crate::law::routh::events::Events;
use crate::law::routh::events::chart::{CHOICES, CODES, Chart, SIGNS, mode_of};
use crate::law::routh::events::process::{EventsWorkspace, HELD, LENGTHEN, SPIRAL};
use crate::law::{Ending, Sampler};
use crate::real::Real;
use crate::rng::Purpose;
use crate::status::Status;
use crate::vectors::{OnVectors, Vector};
use judge::LaneJudge;

/// The segments of samples, by the operations of [`Events::sample`], which computes a sample again
/// where its lane meets anything unusual: a segment that the chart does not know, one of many in a
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

/// Number of lanes whose solutions are looked up together.
const ABREAST: usize = 8;

/// The samples in progress; `E`: whether contacts have restitution.
struct Lanes<R, const M: usize, const K: usize, const X: usize, const E: bool> {
    /// Velocity, the judge's velocity, and total impulse.
    u: [Column<R>; K],
    judged: [Column<R>; K],
    total: [Column<R>; K],
    /// The caps of the block, and their direction.
    caps: [Column<R>; M],
    direction: Column<R>,
    /// The part of the block that has passed.
    passed: Column<R>,
    residual: Column<R>,
    /// Whether a contact may choose its mode: 1 or 0; and the combination of modes of the last
    /// segment.
    free: [Column<R>; M],
    combination: Column<u32>,
    /// The work that each contact has stored and not returned yet, and its value at the start of
    /// the block where the contact has rested since; the judge's account, and the largest `|u_n|`
    /// that it has seen in the block.
    stored: [Column<R>; M],
    before: [Column<R>; M],
    account: [Column<R>; M],
    moved: [Column<R>; M],
    /// Segments of the sample and of the block, and the number of the next block.
    segments: Column<R>,
    number: Column<R>,
    block: [u32; N],
    /// Forces and accelerations of the segment, lane by lane.
    forces: [Column<R>; X],
}

impl<R: Real, const M: usize, const K: usize, const X: usize, const E: bool> Lanes<R, M, K, X, E> {
    /// Begins a sample in a lane: the next segment begins its first block.
    #[inline(always)]
    fn begin(&mut self, lane: usize, start: &[R; K]) {
        for i in 0..K {
            self.u[i].0[lane] = start[i];
            self.judged[i].0[lane] = start[i];
            self.total[i].0[lane] = R::ZERO;
        }
        if E {
            for column in self.stored.iter_mut().chain(&mut self.account) {
                column.0[lane] = R::ZERO;
            }
        }
        self.passed.0[lane] = R::ONE;
        self.residual.0[lane] = R::ZERO;
        self.segments.0[lane] = R::ZERO;
        self.block[lane] = 0;
    }

    /// Begins a block in the lanes whose last block has passed.
    #[inline(always)]
    fn draw<S: Vector<R>>(&mut self, simd: S, law: &Events<R>, streams: Streams, id: &[u32; N]) {
        let (zero, one) = (simd.splat(R::ZERO), simd.splat(R::ONE));
        let rest: [R; M] = std::array::from_fn(|i| law.space.rest[i]);
        let mut new = 0;
        for g in 0..N / S::LANES {
            new |= u64::from(simd.bits(simd.le(one, self.passed.at(g)))) << (g * S::LANES);
        }
        let (lanes, count) = list(new);
        let mut approach = [0; N];
        for i in 0..M {
            for l in 0..N {
                approach[l] |= u32::from(self.u[i].0[l] < rest[i]) << i;
            }
        }
        let drawing = Drawing {
            id: gather(id, &lanes, count),
            steps: gather(&self.block, &lanes, count),
            approach: gather(&approach, &lanes, count),
            count,
        };
        for l in 0..N {
            self.block[l] += u32::from(self.passed.0[l] >= R::ONE);
        }
        self.draw_caps(law, &drawing, &lanes, streams);
        // Longer blocks are left to samples that are computed one by one.
        if self.block.iter().any(|block| *block > LENGTHEN[0]) {
            for l in (0..N).filter(|l| self.block[*l] > LENGTHEN[0]) {
                self.caps[0].0[l] = R::from_f64(f64::NAN);
            }
        }
        let landing: [S::V; M] = std::array::from_fn(|i| simd.splat(landing(rest[i])));
        for g in 0..N / S::LANES {
            let caps: [S::V; M] = std::array::from_fn(|i| self.caps[i].at(g));
            let sum = caps[1..].iter().fold(caps[0], |sum, cap| simd.add(sum, *cap));
            let direction = simd.unless(simd.le(sum, zero), simd.div(caps[0], sum));
            self.direction.put(g, direction);
            let new = simd.le(one, self.passed.at(g));
            for column in [&mut self.passed, &mut self.number] {
                column.put(g, simd.unless(new, column.at(g)));
            }
            for i in 0..M {
                self.free[i].put(g, simd.select(new, one, self.free[i].at(g)));
                if E {
                    let rests = simd.le(simd.abs(self.u[i].at(g)), landing[i]);
                    let before = simd.select(rests, self.stored[i].at(g), zero);
                    let before = simd.unless(simd.le(caps[i], zero), before);
                    self.before[i].put(g, simd.select(new, before, self.before[i].at(g)));
                    let moved = simd.abs(self.judged[i].at(g));
                    self.moved[i].put(g, simd.select(new, moved, self.moved[i].at(g)));
                }
            }
        }
    }

    /// Draws the caps of the lanes in which a block begins.
    #[inline(always)]
    fn draw_caps(
        &mut self,
        law: &Events<R>,
        drawing: &Drawing,
        lanes: &[u8; N],
        streams: Streams,
    ) {
        let mut caps = [[R::ZERO; N]; M];
        if matches!(law.rates.sampler, Sampler::Uniform | Sampler::Coverage) {
            caps = drawing.caps(&law.rates, streams);
        } else {
            let [mut u, mut drawn] = [[R::ZERO; M]; 2];
            for k in 0..drawing.count.min(N) {
                for i in 0..M {
                    u[i] = self.u[i].0[usize::from(lanes[k])];
                }
                let stream = streams.of(drawing.id[k]);
                law.rates.draw_caps(&stream, drawing.steps[k], &u, &law.space.rest, &mut drawn);
                for i in 0..M {
                    caps[i][k] = drawn[i];
                }
            }
        }
        for k in 0..drawing.count.min(N) {
            for i in 0..M {
                self.caps[i].0[usize::from(lanes[k]) % N] = caps[i][k];
            }
        }
    }

    /// The key of each lane in the chart.
    #[inline(always)]
    fn keys(&self) -> [u32; N] {
        let mut keys = [0; N];
        for i in (0..M).rev() {
            for l in 0..N {
                let (un, ut) = (self.u[i].0[l], self.u[M + i].0[l]);
                let restituting = E && un >= R::ZERO && self.stored[i].0[l] > R::ZERO;
                let approaches = 1 + u32::from(un < R::ZERO || restituting);
                let separates = un > R::ZERO && !restituting || self.caps[i].0[l] == R::ZERO;
                let normal = if separates { 0 } else { approaches };
                let tangent = u32::from(ut >= R::ZERO) + u32::from(ut > R::ZERO);
                let mode = SIGNS as u32 * (1 + mode_of(self.combination.0[l], i));
                let mode = if self.free[i].0[l] > R::ZERO { 0 } else { mode };
                keys[l] = CODES as u32 * keys[l] + mode + 3 * normal + tangent;
            }
        }
        keys
    }

    /// Finds the combination of modes of each lane in the chart.
    #[inline(always)]
    fn look_up<S: Vector<R>>(&mut self, simd: S, chart: &Chart<R>, streams: Streams, id: &[u32; N]) {
        let (keys, rows) = (self.keys(), chart.rows());
        for l in 0..N {
            let row = rows.of(keys[l] as usize);
            let cell = row.cells[simd.count_below(&row.edges, self.direction.0[l])];
            self.combination.0[l] = cell.number();
        }
        let (lanes, count) = list(at_least(simd, &self.combination, CHOICES));
        let (mut steps, approach) = ([0; N], [0; N]);
        for k in 0..count.min(N) {
            steps[k] = self.segments.0[usize::from(lanes[k]) % N].to_f64() as u32;
        }
        let drawing = Drawing { id: gather(id, &lanes, count), steps, approach, count };
        let words = drawing.words(streams, Purpose::Solution);
        for k in 0..drawing.count.min(N) {
            let combination = &mut self.combination.0[usize::from(lanes[k]) % N];
            *combination = chart.choice(*combination, words[k]);
        }
    }

    /// Computes the forces and accelerations of each lane; NaN where the chart does not know them.
    #[inline(always)]
    fn drive<S: Vector<R>>(&mut self, simd: S, chart: &Chart<R>) {
        let maps = chart.maps.as_chunks::<X>().0;
        for first in (0..N).step_by(ABREAST) {
            let mut rows = [[R::ZERO; X]; ABREAST];
            for a in 0..ABREAST {
                let combination = M * self.combination.0[first + a] as usize;
                let map = &maps[combination..combination + M];
                let mut row = map[0].map(|x| x * self.caps[0].0[first + a]);
                for i in 1..M {
                    let cap = self.caps[i].0[first + a];
                    row = std::array::from_fn(|j| row[j] + cap * map[i][j]);
                }
                rows[a] = row;
            }
            match rows.as_flattened().as_chunks().0.try_into() {
                Ok(rows) if X == 8 => {
                    let columns = simd.columns(rows);
                    for j in 0..X {
                        self.forces[j].0[first..first + ABREAST].copy_from_slice(&columns[j]);
                    }
                }
                _ => {
                    for j in 0..X {
                        for a in 0..ABREAST {
                            self.forces[j].0[first + a] = rows[a][j];
                        }
                    }
                }
            }
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
    let column = Column([R::ZERO; N]);
    let mut state: Lanes<R, M, K, X, E> = Lanes {
        u: [column; K],
        judged: [column; K],
        total: [column; K],
        caps: [column; M],
        direction: column,
        passed: column,
        residual: column,
        free: [column; M],
        combination: Column([0; N]),
        stored: [column; M],
        before: [column; M],
        account: [column; M],
        moved: [column; M],
        segments: column,
        number: column,
        block: [0; N],
        forces: [column; X],
    };
    (0..N).for_each(|lane| state.begin(lane, &start));
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
        // The lanes whose samples end, and those of them that meet anything unusual.
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
            // Accelerations at velocity 0 that are rounding become 0, as in Segment::holds.
            let small = simd.mul(condition, size);
            let mut still = simd.le(zero, zero);
            for i in 0..K {
                let slight = simd.le(simd.abs(du[i]), small);
                still = simd.both(still, slight);
                du[i] = simd.unless(simd.both(simd.le(simd.abs(u[i]), zero), slight), du[i]);
            }
            // The velocity advances to the first event, or to the end of the block, as in
            // Events::advance.
            let passed = state.passed.at(g);
            let mut length = simd.sub(one, passed);
            let mut times = [huge; K];
            for i in 0..K {
                let time = simd.div(simd.sub(zero, u[i]), du[i]);
                let away = simd.either(simd.le(time, zero), simd.le(simd.abs(u[i]), zero));
                let opposed = simd.select(away, huge, simd.min(time, huge));
                // The direction of sliding matters only under load.
                times[i] = if i < M {
                    opposed
                } else {
                    simd.select(simd.le(l[i - M], zero), huge, opposed)
                };
                length = simd.min(length, times[i]);
            }
            let mut free = [simd.le(one, zero); M];
            let mut stored: [S::V; M] = std::array::from_fn(|i| state.stored[i].at(g));
            // Whether forces hold the contacts that barely approach, as in Events::stays: the sample
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
                // The times at which stores are empty, as in first_root.
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
                // Where rounding passes 0, the time is close to the length; it is huge where the
                // entry does not approach 0.
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
                    // At the end of a block, stores of contacts at rest are lost, as in
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
