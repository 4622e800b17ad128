//! Steps by the table of contact modes.

use crate::header::most_solutions;
use crate::{Binding, KernelShape, Program, SamplingKernel, Scan};

/// Computes a sample per thread; a step searches all combinations.
pub static TABLE: SamplingKernel = SamplingKernel {
    program: Program {
        name: "table",
        entry_point: "sample_each",
        files: &[
            wgsl!("lcp/table.wgsl"),
            wgsl!("law/routh/steps/table.wgsl"),
            wgsl!("kernel/maps.wgsl"),
            wgsl!("kernel/sample_steps.wgsl"),
            wgsl!("kernel/each.wgsl"),
        ],
        ..Program::DEFAULT
    },
    solver: "table",
    bindings: &[(2, Binding::Spans), (3, Binding::Maps)],
    rounds,
    ..SamplingKernel::DEFAULT
};

fn rounds(shape: &KernelShape, scan: &Scan) -> usize {
    let (m, k) = (shape.contacts, shape.rows());
    let x = k + m;
    let insert = k + most_solutions(m) * (k + 2);
    let candidates = most_solutions(m).pow(2).min(scan.spans);
    scan.all_conditions(shape)
        + candidates * (k * (x + k + 2) + 2 * m + insert)
        + 4 * k
        + scan.draws
}
