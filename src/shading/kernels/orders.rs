//! Single impacts and reflections, one contact at a time in random order.

use crate::shading::layout::Shape;
use crate::shading::spec::{Program, Sampling, Scan};

/// Single impacts.
pub static IMPACTS: Sampling = in_order(
    "impacts",
    &[
        include_str!("../../../shaders/law/sequential.wgsl"),
        include_str!("../../../shaders/law/orders.wgsl"),
        include_str!("../../../shaders/kernel/sample_orders.wgsl"),
    ],
);

/// Reflections.
pub static REFLECTIONS: Sampling = in_order(
    "reflections",
    &[
        include_str!("../../../shaders/law/propagative.wgsl"),
        include_str!("../../../shaders/law/orders.wgsl"),
        include_str!("../../../shaders/kernel/sample_orders.wgsl"),
    ],
);

const fn in_order(name: &'static str, files: &'static [&'static str]) -> Sampling {
    Sampling {
        program: Program { name, entry_point: "sample_orders", files, ..Program::DEFAULT },
        solver: "orders",
        rounds,
        ..Sampling::DEFAULT
    }
}

fn rounds(shape: &Shape, _: &Scan) -> usize {
    let (m, k) = (shape.contacts, shape.rows());
    2 * (m + k) + m + k + 4
}
