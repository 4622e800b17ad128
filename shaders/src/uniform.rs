//! The contents of uniform memory, and the places of the tables of several problems.

/// The uniform `Run` of `shaders/kernel/sample.wgsl`, field by field.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub struct RunUniform {
    /// Seed, low word first.
    pub seed: [u32; 2],
    /// Number of the first sample, low word first.
    pub first: [u32; 2],
    /// Number of samples of this dispatch.
    pub count: u32,
    /// The step limit.
    pub max_steps: u32,
    /// Number of combinations in the mode table.
    pub combinations: u32,
    /// Place of the impulse maps, after the condition rows.
    pub first_map: u32,
    /// Number of unknowns of the step as an LCP.
    pub lcp_size: u32,
    /// 1: covering vectors are drawn; 0: covering vectors of ones.
    pub random_covering: u32,
    /// Number of samples at a time; as an input, its maximum.
    pub threads: u32,
    /// Units of work in one dispatch: steps, pivots, combinations of modes, Newton steps.
    pub budget: u32,
    /// 1 in the first dispatch of a chunk.
    pub fresh: u32,
    /// Number of samples per problem, for several problems.
    pub samples: u32,
    /// Number of steps that share a draw of the rates.
    pub persist: u32,
    /// 1: contacts store impulse (Poisson) instead of work (Stronge).
    pub poisson: u32,
    /// Bounds for the choice of a sample's sampler, see
    /// [`Sampler::below`](carom_law::Sampler::below).
    pub sampler: [u32; 2],
    /// Number M of contacts, for loops that are better not unrolled.
    pub contacts: u32,
    /// Number K of rows, for loops that are better not unrolled.
    pub rows: u32,
    /// Stride of stored numbers of one kind, see [`apart`]; each thread has one number.
    pub stride: u32,
    /// Padding to a whole vector of four.
    pub padding: [u32; 3],
}

/// The table and the run parameters of one of several problems: `Place` of
/// `shaders/kernel/many_problems.wgsl`, field by field.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub struct TablePlace {
    /// Place of the combinations.
    pub first_span: u32,
    /// Number of combinations.
    pub combinations: u32,
    /// Place of the condition rows, in vectors of four.
    pub first_condition: u32,
    /// Place of the impulse maps, in vectors of four.
    pub first_map: u32,
    /// The step limit of the problem.
    pub max_steps: u32,
    /// The seed of the problem's samples, low word first.
    pub seed: [u32; 2],
    /// Number of the problem's first sample, low word first.
    pub first: [u32; 2],
}

/// The stride of stored numbers for `threads` threads: no large power of two, as such strides map
/// to few cache lines.
pub fn apart(threads: u32) -> u32 {
    if threads.is_multiple_of(512) { threads + 64 } else { threads }
}
