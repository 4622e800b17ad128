//! Steps by the combinations of contact modes that occurred in training.

use crate::header::words;
use crate::{Binding, KernelShape, Program, SamplingKernel, Scan};

/// Computes a sample per thread. A step without exactly one solution among these combinations is
/// left, with its sample, to Lemke's method.
pub static CACHE: SamplingKernel = SamplingKernel {
    program: Program {
        name: "cache",
        entry_point: "sample_each",
        files: &[
            wgsl!("lcp/modes.wgsl"),
            wgsl!("lcp/holds.wgsl"),
            wgsl!("law/routh/steps/cache.wgsl"),
            wgsl!("kernel/maps.wgsl"),
            wgsl!("kernel/spans.wgsl"),
            wgsl!("kernel/sample_steps.wgsl"),
            wgsl!("kernel/each.wgsl"),
        ],
        constants: |_| words(&[("HITS", HITS)]),
        ..Program::DEFAULT
    },
    solver: "cache",
    bindings: &[(2, Binding::Spans), (3, Binding::Maps)],
    rounds,
    ..SamplingKernel::DEFAULT
};

/// Largest number of combinations that may hold in a step. On the boundaries of regions, several
/// have the same solution.
const HITS: usize = 8;

fn rounds(shape: &KernelShape, scan: &Scan) -> usize {
    let k = shape.rows();
    scan.all_conditions(shape) + HITS * k * (2 * k + shape.contacts) + scan.draws
}
