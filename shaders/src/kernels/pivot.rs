//! Steps by Lemke's method, a thread per sample.

use crate::{Binding, KernelShape, Limits, Program, SamplingKernel, Scan};
use carom_core::{Error, Result};

/// Computes a sample per thread, with a dictionary per thread in storage.
pub static PIVOT: SamplingKernel = SamplingKernel {
    program: Program {
        name: "pivot",
        entry_point: "sample_pivot",
        files: &[
            wgsl!("lcp/lemke.wgsl"),
            wgsl!("law/routh/steps/pivot.wgsl"),
            wgsl!("kernel/dictionaries.wgsl"),
            wgsl!("kernel/sample_pivot.wgsl"),
        ],
        ..Program::DEFAULT
    },
    solver: "lemke",
    bindings: &DICTIONARIES,
    rounds,
    fits,
    ..SamplingKernel::DEFAULT
};

/// Bindings: dictionaries; variable indices and state of the method; initial numbers of the
/// dictionaries of all steps.
pub(super) const DICTIONARIES: [(u32, Binding); 3] = [
    (2, Binding::Numbers(entries)),
    (3, Binding::Words(|shape| places(shape) + 3)),
    (9, Binding::Matrices),
];

/// Number of entries of a dictionary, in rows of odd length.
pub(super) fn entries(shape: &KernelShape) -> usize {
    shape.lcp_size() * ((shape.lcp_size() + 2) | 1)
}

/// Number of entries for basic and nonbasic variables, and for the position of each variable.
pub(super) fn places(shape: &KernelShape) -> usize {
    4 * shape.lcp_size() + 2
}

/// Rounds of one pivot, or of setting up the dictionary.
pub(super) fn rounds(shape: &KernelShape, _: &Scan) -> usize {
    2 * entries(shape) + 8 * shape.lcp_size()
}

/// Refuses steps with more rounds per pivot than a dispatch allows.
pub(super) fn fits(shape: &KernelShape, limits: &Limits<'_>) -> Result<()> {
    if rounds(shape, &Scan::default()) <= limits.rounds() {
        return Ok(());
    }
    let (m, facets, n) = (shape.contacts, 2 * shape.axes, shape.lcp_size());
    Err(Error::device(format!(
        "{m} contacts with {facets} facets make steps of {n} unknowns; {} takes no more in one dispatch",
        limits.name
    ))
    .option("facets")
    .hint("take fewer facets, or run with --device cpu"))
}
