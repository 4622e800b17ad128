//! How a bound problem lies in the kernel's buffers.

use super::source::padded;
use crate::law::Process;
use crate::law::contact_space::ContactSpace;
use crate::law::draws::numbers::Numbers;
use crate::law::inclusion::process::Inclusion;
use crate::lcp::table::{ModeTable, key_weight};
use crate::real::Real;

/// Offsets into the `problem` buffer of m contacts with T axes each, K = (1 + T) m: W (K,K) first, then these.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Friction (m).
    pub mu: usize,
    /// Row scales (K).
    pub sigma: usize,
    /// Contact velocity before the impact (K).
    pub start: usize,
    /// Impulse caps (m).
    pub caps: usize,
    /// Approach thresholds (m).
    pub rest: usize,
    /// Weights of the order of solutions (K).
    pub keys: usize,
    /// Tolerance of the mode conditions (1).
    pub tolerance: usize,
    /// Steps closer to a plane of the cells than this lie on it (1).
    pub edge: usize,
    /// Of the inclusion: the least friction and the width of its range, contact by contact (m,2).
    pub friction: usize,
    /// The same of restitution (m,2).
    pub restitution: usize,
    /// The noise of the contact velocity (K,columns).
    pub noise: usize,
    /// Columns of that noise.
    pub columns: usize,
    /// How many numbers there are.
    pub count: usize,
}

impl Layout {
    /// The layout for m contacts with T axes each.
    pub fn new(m: usize, axes: usize) -> Self {
        let k = (1 + axes) * m;
        let mu = k * k;
        let sigma = mu + m;
        let start = sigma + k;
        let caps = start + k;
        let rest = caps + m;
        let keys = rest + m;
        let tolerance = keys + k;
        let edge = tolerance + 1;
        let [friction, restitution, noise, count] = [edge + 1; 4];
        let columns = 0;
        Layout {
            mu,
            sigma,
            start,
            caps,
            rest,
            keys,
            tolerance,
            edge,
            friction,
            restitution,
            noise,
            columns,
            count,
        }
    }

    /// The layout of an inclusion whose noise has so many columns.
    pub fn inclusion(m: usize, axes: usize, columns: usize) -> Self {
        let layout = Self::new(m, axes);
        let restitution = layout.friction + 2 * m;
        let noise = restitution + 2 * m;
        Layout { restitution, noise, columns, count: noise + (1 + axes) * m * columns, ..layout }
    }
}

/// The numbers of the `problem` buffer, padded to whole vectors of four; the noise of an inclusion to so many columns.
pub fn problem_buffer<R: Real>(bound: &Process<R>, columns: usize) -> Vec<R> {
    let tolerance = bound.table().map_or(R::ZERO, |table| table.tolerance);
    let keys: Vec<R> = (0..bound.space().step.width()).map(key_weight).collect();
    let ContactSpace { step, start, rest, .. } = bound.space();
    let last = [tolerance, R::ZERO];
    // Single impacts have no caps; the kernels' layout has room for some.
    let caps = bound.rates().map_or(vec![R::ZERO; step.contacts], |rates| rates.caps.clone());
    let parts: [&[R]; 8] = [&step.w, &step.mu, &step.sigma, start, &caps, rest, &keys, &last];
    let mut numbers = parts.concat();
    if let Process::Inclusion(Inclusion { numbers: Numbers { mu, e, noise }, .. }) = bound {
        numbers.extend_from_slice(mu.as_flattened());
        numbers.extend_from_slice(e.as_flattened());
        let own = noise.len() / step.width();
        for row in 0..step.width() {
            numbers.extend_from_slice(&noise[row * own..(row + 1) * own]);
            numbers.resize(numbers.len() + columns - own, R::ZERO);
        }
    }
    numbers.resize(numbers.len().next_multiple_of(4), R::ZERO);
    numbers
}

/// The numbers of the `maps` buffer: the condition rows, then the rows of the impulse maps, each padded with zeros.
pub fn table_buffer<R: Real>(table: &ModeTable<R>, m: usize) -> Vec<R> {
    let mut maps = Vec::new();
    for row in table.conditions.chunks(3 * m).chain(table.impulses.chunks(3 * m)) {
        maps.extend_from_slice(row);
        maps.resize(maps.len().next_multiple_of(padded(3 * m)), R::ZERO);
    }
    maps
}

/// The uniform `Run` of `shaders/kernel/sample.wgsl`, field by field.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub struct RunUniform {
    /// Seed, low word first.
    pub seed: [u32; 2],
    /// First sample, low word first.
    pub first: [u32; 2],
    /// Number of samples of this dispatch.
    pub count: u32,
    /// Step limit.
    pub max_steps: u32,
    /// Combinations in the mode table.
    pub combinations: u32,
    /// Where the impulse maps begin, after the condition rows.
    pub first_map: u32,
    /// Size of the step as an LCP.
    pub lcp_size: u32,
    /// 1: covering vectors are drawn; 0: ones.
    pub random_covering: u32,
    /// Threads that share the dictionaries' buffer.
    pub threads: u32,
    /// Steps, pivots, or rounds of modes of one dispatch.
    pub budget: u32,
    /// 1 in the first dispatch of a chunk.
    pub fresh: u32,
    /// Where the keys begin, after the impulse maps.
    pub first_key: u32,
    /// Samples of each problem, where there are several.
    pub samples: u32,
    /// Steps that share their draw of the rates.
    pub persist: u32,
    /// 1: rates are drawn by the sampler `coverage`.
    pub coverage: u32,
    /// 1: reservoirs hold impulse (Poisson) instead of work (Stronge).
    pub poisson: u32,
    /// Contacts M, for loops that are better not unrolled.
    pub contacts: u32,
    /// Rows K, likewise.
    pub rows: u32,
}

/// Where the table of one of several problems lies: `Place` of `shaders/kernel/many_problems.wgsl`, field by field.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Place {
    /// Where its combinations begin.
    pub first_span: u32,
    /// How many there are.
    pub combinations: u32,
    /// Where its condition rows begin, in vectors of four.
    pub first_condition: u32,
    /// Where its impulse maps begin, in vectors of four.
    pub first_map: u32,
    /// The problem's step limit.
    pub max_steps: u32,
}

/// The uniform `Chunk` of `shaders/kernel/statistics.wgsl`, field by field.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub struct ChunkUniform {
    /// Number of samples.
    pub count: u32,
    /// Number of linear forms.
    pub forms: u32,
    /// Tangents per contact.
    pub tangents: u32,
    /// Steps from which on a sample is flagged.
    pub long_run: u32,
    /// The form of the histogram.
    pub histogram: u32,
    /// The residual above which a sample is flagged.
    pub residual: f32,
    /// Unused.
    pub padding: [u32; 2],
}
