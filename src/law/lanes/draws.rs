//! The draws of samples in progress, one per lane, and the resulting impulse bounds.

use super::column::{Column, N};
use crate::Sampler;
use carom_core::draws::rates::{SUBSETS, stretch};
use carom_core::rng::philox4x32_10;
use carom_core::vectors::Instructions;
use carom_core::{Purpose, Rates, Real, Stream, stream};

/// Smallest number of lanes whose draws are computed together.
const TOGETHER: usize = 8;

/// The streams of the samples of a job: seed, and number of the first sample.
#[derive(Clone, Copy)]
pub(super) struct Streams {
    pub seed: u64,
    pub first: u64,
}

impl Streams {
    /// The stream of sample number `id` of the job.
    #[inline(always)]
    pub fn of(self, id: u32) -> Stream<'static> {
        Stream::new(self.seed, self.first + u64::from(id))
    }
}

/// The addresses of the draws for the current step of each lane.
#[derive(Clone, Copy)]
pub(super) struct Draw<'a> {
    pub streams: Streams,
    pub id: &'a [u32],
    pub steps: &'a [u32],
}

impl Draw<'_> {
    /// A block of draws for one purpose, in one lane.
    #[inline(always)]
    fn at(self, lane: usize, purpose: Purpose, block: u32) -> [u32; 4] {
        let Streams { seed, first } = self.streams;
        let sample = first + u64::from(self.id[lane]);
        let address = ((purpose as u32) << 24) | block;
        let counter = [sample as u32, (sample >> 32) as u32, self.steps[lane], address];
        philox4x32_10(counter, [seed as u32, (seed >> 32) as u32])
    }

    /// The first word of each draw for one purpose.
    #[inline(always)]
    pub fn words(self, purpose: Purpose) -> [u32; N] {
        let mut words = [0; N];
        for l in 0..self.id.len().min(N) {
            [words[l], ..] = self.at(l, purpose, 0);
        }
        words
    }
}

/// The numbers of the first `count` lanes of a list.
#[inline(always)]
pub(super) fn gather(column: &[u32; N], lanes: &[u8; N], count: usize) -> [u32; N] {
    let mut gathered = [0; N];
    for k in 0..count.min(N) {
        gathered[k] = column[usize::from(lanes[k]) % N];
    }
    gathered
}

/// A mask of the lanes whose number is at least `least`: bit i is lane i.
#[inline(always)]
pub(super) fn at_least<S: Instructions>(simd: S, column: &Column<u32>, least: u32) -> u64 {
    let (width, least) = (size_of::<S::u32s>() / size_of::<u32>(), simd.splat_u32s(least));
    let mut lanes = 0;
    for g in 0..N / width {
        let bits = simd.bits_32(simd.greater_than_or_equal_u32s(column.at(g), least));
        lanes |= u64::from(bits) << (g * width);
    }
    lanes
}

/// The lanes of a mask (bit i is lane i), and their number.
#[inline(always)]
pub(super) fn list(mut lanes: u64) -> ([u8; N], usize) {
    let (mut list, mut count) = ([0; N], 0);
    while lanes != 0 {
        list[count % N] = lanes.trailing_zeros() as u8;
        lanes &= lanes - 1;
        count += 1;
    }
    (list, count)
}

/// The draws of a step in some lanes, contiguous.
pub(super) struct Drawing {
    /// The addresses of the draws; entries after the last one are unused.
    pub id: [u32; N],
    pub steps: [u32; N],
    /// Bit i: contact i approaches.
    pub approach: [u32; N],
    /// Number of draws.
    pub count: usize,
}

impl Drawing {
    /// The addresses of the draws, padded to whole vectors.
    #[inline(always)]
    fn draw(&self, streams: Streams) -> Draw<'_> {
        let count = self.count.next_multiple_of(TOGETHER).min(N);
        Draw { streams, id: &self.id[..count], steps: &self.steps[..count] }
    }

    /// The first word of each draw for one purpose.
    #[inline(always)]
    pub fn words(&self, streams: Streams, purpose: Purpose) -> [u32; N] {
        self.draw(streams).words(purpose)
    }

    /// The impulse bounds of each draw, as in [`Rates::draw_caps`] with the samplers `uniform` and
    /// `coverage`.
    #[inline(always)]
    pub fn caps<R: Real, const M: usize>(&self, rates: &Rates<R>, streams: Streams) -> [[R; N]; M] {
        match rates.sampler {
            Sampler::Uniform => self.bounds::<R, M, false>(rates, streams),
            _ => self.bounds::<R, M, true>(rates, streams),
        }
    }

    /// [`Drawing::caps`]; `COVERAGE`: with the sampler `coverage`.
    #[inline(always)]
    fn bounds<R: Real, const M: usize, const COVERAGE: bool>(
        &self,
        rates: &Rates<R>,
        streams: Streams,
    ) -> [[R; N]; M] {
        let subsets = if COVERAGE { self.subsets::<M>(streams) } else { [u32::MAX; N] };
        let draw = self.draw(streams);
        let mut most = [R::ZERO; M];
        most.copy_from_slice(&rates.caps);
        let mut caps = [[R::ZERO; N]; M];
        for l in 0..draw.id.len().min(N) {
            let mut length = R::ONE;
            if COVERAGE {
                let [octave, place, ..] = draw.at(l, Purpose::Order, 0);
                length = stretch(octave, place);
            }
            let mut words = [0; 4];
            for i in 0..M {
                if i % 4 == 0 {
                    words = draw.at(l, Purpose::Rate, i as u32 / 4);
                }
                let cap = most[i] * R::from_f64(f64::from(stream::unit(words[i % 4])));
                caps[i][l] = if (subsets[l] >> i) & 1 == 1 { length * cap } else { R::ZERO };
            }
        }
        caps
    }

    /// The contacts that take part in each draw: bit i is contact i.
    #[inline(always)]
    fn subsets<const M: usize>(&self, streams: Streams) -> [u32; N] {
        let all = (1 << M) - 1;
        if M == 1 {
            return [all; N];
        }
        let (mut subsets, mut open) = self.try_subsets::<M>(streams, 0);
        // Indices of the draws whose subset has no approaching contact yet.
        let mut places: [u8; N] = std::array::from_fn(|l| l as u8);
        let mut count = self.count;
        for trial in 1..SUBSETS {
            let mut left = 0;
            for k in 0..count.min(N) {
                places[left % N] = places[k];
                left += open[k] as usize;
            }
            count = left;
            if count == 0 {
                break;
            }
            let again = Drawing {
                id: gather(&self.id, &places, count),
                steps: gather(&self.steps, &places, count),
                approach: gather(&self.approach, &places, count),
                count,
            };
            let (drawn, still_open) = again.try_subsets::<M>(streams, trial);
            for k in 0..count.min(N) {
                subsets[usize::from(places[k]) % N] = drawn[k];
            }
            open = still_open;
        }
        subsets
    }

    /// One trial to draw subsets with an approaching contact: the subset, or all contacts after a
    /// failure; and 1 where another trial is necessary, else 0.
    #[inline(always)]
    fn try_subsets<const M: usize>(&self, streams: Streams, trial: u32) -> ([u32; N], [u32; N]) {
        let all = (1 << M) - 1;
        let draw = self.draw(streams);
        let first = 1 + trial * (1 + M.div_ceil(4) as u32);
        let (mut subsets, mut open) = ([0; N], [0; N]);
        for l in 0..draw.id.len().min(N) {
            let mut wanted = 1 + stream::index(draw.at(l, Purpose::Order, first)[0], M as u32);
            let (mut words, mut subset) = ([0; 4], 0);
            for i in 0..M {
                if i % 4 == 0 {
                    words = draw.at(l, Purpose::Order, first + 1 + i as u32 / 4);
                }
                let taken = u32::from(stream::index(words[i % 4], (M - i) as u32) < wanted);
                wanted -= taken;
                subset |= taken << i;
            }
            let approach = self.approach[l];
            let serves = subset & approach != 0;
            subsets[l] = if serves { subset } else { all };
            open[l] = u32::from(!serves) & u32::from(approach != 0);
        }
        (subsets, open)
    }
}
