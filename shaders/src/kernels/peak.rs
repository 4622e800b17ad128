//! The peak performance of a GPU: multiply-adds and copies, without other work.

use crate::{KernelShape, Program};

/// The program of multiply-adds.
pub static MULTIPLY_ADD: Program = program("multiply_add");

/// The program of copies.
pub static COPY: Program = program("copy");

/// Flop of one thread of `multiply_add`: 1024 rounds of 8 chains in 4 lanes.
pub const THREAD_FLOP: f64 = (1024 * 8 * 4 * 2) as f64;

const fn program(entry_point: &'static str) -> Program {
    Program {
        name: entry_point,
        entry_point,
        samples: false,
        // Peak performance needs contracted operations.
        rounded: false,
        files: &[wgsl!("kernel/peak.wgsl")],
        ..Program::DEFAULT
    }
}

/// A shape without a problem; only its precision matters.
pub fn shape(double: bool) -> KernelShape {
    KernelShape { contacts: 1, axes: 1, double, ..KernelShape::default() }
}
