//! Single impacts and reflections, one contact at a time in random order.

use crate::{KernelShape, Program, SamplingKernel, Scan};

/// Single impacts in random order.
pub static IMPACTS: SamplingKernel = in_order(
    "impacts",
    &[
        wgsl!("law/sequential.wgsl"),
        wgsl!("law/random_order.wgsl"),
        wgsl!("kernel/sample_orders.wgsl"),
        wgsl!("kernel/each.wgsl"),
    ],
);

/// Reflections in random order.
pub static REFLECTIONS: SamplingKernel = in_order(
    "reflections",
    &[
        wgsl!("law/propagative.wgsl"),
        wgsl!("law/random_order.wgsl"),
        wgsl!("kernel/sample_orders.wgsl"),
        wgsl!("kernel/each.wgsl"),
    ],
);

const fn in_order(name: &'static str, files: &'static [&'static str]) -> SamplingKernel {
    SamplingKernel {
        program: Program { name, entry_point: "sample_each", files, ..Program::DEFAULT },
        solver: "orders",
        draws: false,
        rounds,
        ..SamplingKernel::DEFAULT
    }
}

fn rounds(shape: &KernelShape, _: &Scan) -> usize {
    let (m, k) = (shape.contacts, shape.rows());
    2 * (m + k) + m + k + 4
}
