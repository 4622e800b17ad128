//! Steps by the cells of the table, some of which list several combinations.

use crate::{Binding, KernelShape, Program, SamplingKernel, Scan};

/// Computes a sample per thread; the solution is uniform among the distinct ones in the list of a
/// cell.
pub static LISTED: SamplingKernel = SamplingKernel {
    program: Program {
        name: "listed",
        entry_point: "sample_each",
        files: &[
            wgsl!("lcp/cells.wgsl"),
            wgsl!("lcp/modes.wgsl"),
            wgsl!("lcp/holds.wgsl"),
            wgsl!("law/routh/steps/listed.wgsl"),
            wgsl!("kernel/maps.wgsl"),
            wgsl!("kernel/spans.wgsl"),
            wgsl!("kernel/cells.wgsl"),
            wgsl!("kernel/lists.wgsl"),
            wgsl!("kernel/sample_steps.wgsl"),
            wgsl!("kernel/each.wgsl"),
        ],
        ..Program::DEFAULT
    },
    solver: "cells",
    bindings: &[(2, Binding::Spans), (3, Binding::Maps), (8, Binding::Planes), (9, Binding::Cells)],
    rounds,
    ..SamplingKernel::DEFAULT
};

fn rounds(shape: &KernelShape, scan: &Scan) -> usize {
    let k = shape.rows();
    let x = k + shape.contacts;
    scan.cells(shape)
        + scan.all_conditions(shape)
        + 4 * scan.spans
        + 16 * x
        + 4 * k * (x + k)
        + scan.draws
}
