//! Steps by the cells of the table, some of which list several combinations.

use crate::shading::layout::KernelShape;
use crate::shading::spec::{Binding, Program, SamplingKernel, Scan};

/// Computes a sample per thread; the solution is uniform among the distinct ones in the list of a
/// cell.
pub static LISTED: SamplingKernel = SamplingKernel {
    program: Program {
        name: "listed",
        entry_point: "sample_each",
        files: &[
            include_str!("../../../shaders/lcp/cells.wgsl"),
            include_str!("../../../shaders/lcp/modes.wgsl"),
            include_str!("../../../shaders/lcp/holds.wgsl"),
            include_str!("../../../shaders/law/routh/steps/listed.wgsl"),
            include_str!("../../../shaders/kernel/maps.wgsl"),
            include_str!("../../../shaders/kernel/spans.wgsl"),
            include_str!("../../../shaders/kernel/cells.wgsl"),
            include_str!("../../../shaders/kernel/lists.wgsl"),
            include_str!("../../../shaders/kernel/sample_steps.wgsl"),
            include_str!("../../../shaders/kernel/each.wgsl"),
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
