//! The samples in progress, their draws, and the forces of the explicit solution.

use super::super::column::{Column, N};
use super::super::draws::{Drawing, Streams, at_least, gather, list};
use crate::Sampler;
use crate::routh::events::Events;
use crate::routh::events::chart::{CHOICES, CODES, Chart, SIGNS, mode_of};
use crate::routh::events::process::LENGTHEN;
use crate::sampling::restitution::landing;
use carom_core::vectors::Vector;
use carom_core::{Purpose, Real};

/// Number of lanes whose solutions are looked up together.
const ABREAST: usize = 8;

/// The samples in progress; `E`: whether contacts have restitution.
pub struct Lanes<R, const M: usize, const K: usize, const X: usize, const E: bool> {
    /// Velocity, velocity integrated by the residual check, and total impulse.
    pub u: [Column<R>; K],
    pub judged: [Column<R>; K],
    pub total: [Column<R>; K],
    /// Impulse bounds of the block, and their direction: the share of the first contact.
    pub caps: [Column<R>; M],
    pub direction: Column<R>,
    /// Fraction of the block completed.
    pub passed: Column<R>,
    pub residual: Column<R>,
    /// Whether the mode of a contact is free to change (1 or 0); combination of modes of the last
    /// segment.
    pub free: [Column<R>; M],
    pub combination: Column<u32>,
    /// Stored work of restitution per contact; its value at the start of the block, for contacts at
    /// rest throughout; stored work as the residual check accounts for it, and the largest `|u_n|`
    /// that the check has seen in the block.
    pub stored: [Column<R>; M],
    pub before: [Column<R>; M],
    pub account: [Column<R>; M],
    pub moved: [Column<R>; M],
    /// Segments of the sample and of the block, and the number of the next block.
    pub segments: Column<R>,
    pub number: Column<R>,
    pub block: [u32; N],
    /// Forces and accelerations of the segment, by lane.
    pub forces: [Column<R>; X],
}

impl<R: Real, const M: usize, const K: usize, const X: usize, const E: bool> Lanes<R, M, K, X, E> {
    /// Samples with the initial velocity `start` in all lanes.
    #[inline(always)]
    pub fn new(start: &[R; K]) -> Self {
        let column = Column([R::ZERO; N]);
        let mut lanes = Lanes {
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
        (0..N).for_each(|lane| lanes.begin(lane, start));
        lanes
    }

    /// Begins a sample in a lane; its first block begins with the next segment.
    #[inline(always)]
    pub fn begin(&mut self, lane: usize, start: &[R; K]) {
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

    /// Begins a block in the lanes whose previous block is complete.
    #[inline(always)]
    pub fn draw<S: Vector<R>>(
        &mut self,
        simd: S,
        law: &Events<R>,
        streams: Streams,
        id: &[u32; N],
    ) {
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
        // NaN excludes lanes with longer blocks, whose samples are then computed one by one.
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

    /// Draws the impulse bounds of the lanes in which a block begins.
    #[inline(always)]
    fn draw_caps(&mut self, law: &Events<R>, drawing: &Drawing, lanes: &[u8; N], streams: Streams) {
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

    /// The key of each lane in the explicit solution.
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

    /// Looks up the combination of modes of each lane in the explicit solution.
    #[inline(always)]
    pub fn look_up<S: Vector<R>>(
        &mut self,
        simd: S,
        chart: &Chart<R>,
        streams: Streams,
        id: &[u32; N],
    ) {
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

    /// Computes the forces and accelerations of each lane; NaN outside the explicit solution.
    #[inline(always)]
    pub fn drive<S: Vector<R>>(&mut self, simd: S, chart: &Chart<R>) {
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
