//! Steps by the cells of the table, each of which lists one combination.

use crate::{Binding, KernelShape, Program, SamplingKernel, Scan};

/// Computes a sample per thread; the residual checks the guess of a cell.
pub static UNIQUE: SamplingKernel = SamplingKernel {
    program: Program {
        name: "unique",
        entry_point: "sample_each",
        files: &[
            wgsl!("lcp/cells.wgsl"),
            wgsl!("lcp/modes.wgsl"),
            wgsl!("law/routh/steps/unique.wgsl"),
            wgsl!("kernel/maps.wgsl"),
            wgsl!("kernel/cells.wgsl"),
            wgsl!("kernel/sample_steps.wgsl"),
            wgsl!("kernel/each.wgsl"),
        ],
        ..Program::DEFAULT
    },
    solver: "cells",
    bindings: &[(3, Binding::Maps), (8, Binding::Planes), (9, Binding::Cells)],
    rounds,
    ..SamplingKernel::DEFAULT
};

fn rounds(shape: &KernelShape, scan: &Scan) -> usize {
    let k = shape.rows();
    scan.cells(shape) + 4 * k * (2 * k + shape.contacts) + scan.draws
}
