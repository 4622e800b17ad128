//! Steps by the iterated mixed form.

use crate::{KernelShape, Program, SamplingKernel, Scan};
use carom_core::lcp::mixed::MAX_ROUNDS;

/// Most contacts of the iterated mixed form: one step must stay within the rounds of a thread.
pub const MAX_MIXED: usize = 5;

/// Computes a sample per thread. A step that the form cannot solve ends the sample unsolved; where
/// a step has several solutions, the form finds one.
pub static MIXED: SamplingKernel = SamplingKernel {
    program: Program {
        name: "mixed",
        entry_point: "sample_each",
        files: &[
            wgsl!("lcp/mixed.wgsl"),
            wgsl!("law/routh/steps/mixed.wgsl"),
            wgsl!("kernel/sample_mixed.wgsl"),
            wgsl!("kernel/each.wgsl"),
        ],
        ..Program::DEFAULT
    },
    solver: "mixed",
    rounds,
    // A step takes at least one round of modes and its sweep, at most MAX_ROUNDS and its check.
    overrun: MAX_ROUNDS,
    most_contacts: MAX_MIXED,
    ..SamplingKernel::DEFAULT
};

fn rounds(shape: &KernelShape, _: &Scan) -> usize {
    let (m, k) = (shape.contacts, shape.rows());
    let elimination = k * (k + 1) + k * (2 * k + 1 + k * (k + 1)) + k;
    let round = 2 * m + k * 2 * k + elimination + k + k * (k + 1);
    round + 4 * k * k
}
