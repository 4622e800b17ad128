//! Steps by Lemke's method, a workgroup per sample: for large dictionaries.

use super::pivot::{self, DICTIONARIES, entries, places};
use crate::{KernelShape, Limits, Program, SamplingKernel};
use carom_core::{Error, Result};

/// Computes a sample per workgroup, whose threads share a dictionary in workgroup memory.
pub static SHARED: SamplingKernel = SamplingKernel {
    program: Program {
        name: "shared",
        entry_point: "sample_shared",
        files: &[
            wgsl!("lcp/lemke.wgsl"),
            wgsl!("law/routh/steps/pivot.wgsl"),
            wgsl!("kernel/dictionaries.wgsl"),
            wgsl!("kernel/sample_shared.wgsl"),
        ],
        // The dictionary is filled before it is read.
        zeroed: false,
        ..Program::DEFAULT
    },
    solver: "lemke",
    bindings: &DICTIONARIES,
    shared: true,
    rounds: pivot::rounds,
    fits,
    ..SamplingKernel::DEFAULT
};

/// Whether a dictionary fits into the memory of a workgroup.
pub(super) fn holds(shape: &KernelShape, limits: &Limits<'_>) -> bool {
    let numbers = entries(shape) + shape.lcp_size();
    let bytes = numbers * shape.real_bytes() + (places(shape) + 1) * size_of::<u32>();
    bytes <= limits.workgroup_memory_bytes as usize
}

fn fits(shape: &KernelShape, limits: &Limits<'_>) -> Result<()> {
    if !holds(shape, limits) {
        let (n, name) = (shape.lcp_size(), limits.name);
        let what = format!("a dictionary of {n} unknowns does not fit into a workgroup of {name}");
        return Err(Error::device(what));
    }
    pivot::fits(shape, limits)
}
