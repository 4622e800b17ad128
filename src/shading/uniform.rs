//! What lies in uniform memory, and where the tables of several problems lie.

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
    /// Samples that are computed at a time; as an input, most of them.
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
    /// Which sampler a sample uses, see [`Sampler::below`](crate::law::Sampler::below).
    pub sampler: [u32; 2],
    /// 1: reservoirs hold impulse (Poisson) instead of work (Stronge).
    pub poisson: u32,
    /// Contacts M, for loops that are better not unrolled.
    pub contacts: u32,
    /// Rows K, likewise.
    pub rows: u32,
    /// Places of each kind of number that is kept of samples under way, see [`apart`]; each thread
    /// has one.
    pub stride: u32,
    /// Up to a whole vector of four.
    pub padding: [u32; 2],
}

/// Where the table of one of several problems lies: `Place` of `shaders/kernel/many_problems.wgsl`,
/// field by field.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub struct TablePlace {
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

/// The stride of numbers that are kept for so many threads: not a large power of two, for then they
/// share few lines of a cache.
pub fn apart(threads: u32) -> u32 {
    if threads.is_multiple_of(512) { threads + 64 } else { threads }
}
