//! The kernels, one per file, and the choice of the kernel for a process.

pub mod cache;
pub mod events;
pub mod inclusion;
pub mod listed;
pub mod mixed;
pub mod orders;
pub mod peak;
pub mod pivot;
pub mod shared;
pub mod statistics;
pub mod table;
pub mod unique;

pub use cache::CACHE;
pub use events::EVENTS;
pub use inclusion::INCLUSION;
pub use listed::LISTED;
pub use mixed::MIXED;
pub use orders::{IMPACTS, REFLECTIONS};
pub use pivot::PIVOT;
pub use shared::SHARED;
pub use statistics::STATISTICS;
pub use table::TABLE;
pub use unique::UNIQUE;

use crate::{KernelShape, Limits, Regions, SamplingKernel};
use carom_core::Real;
use carom_law::{Process, StrikeKind};

/// All sampling kernels.
pub const ALL: [&SamplingKernel; 11] = [
    &TABLE,
    &CACHE,
    &UNIQUE,
    &LISTED,
    &PIVOT,
    &SHARED,
    &MIXED,
    &IMPACTS,
    &REFLECTIONS,
    &EVENTS,
    &INCLUSION,
];

/// Most unknowns of a step that a thread solves; larger steps are solved by a workgroup where there
/// is hardware.
const SMALL_LCP: usize = 40;

/// The kernel for a process that runs on a GPU, see
/// [`ProcessKind::on_the_cpu`](carom_law::ProcessKind::on_the_cpu).
pub fn serving<R: Real>(process: &Process<R>, limits: &Limits<'_>) -> &'static SamplingKernel {
    let shape = KernelShape::of(process);
    let large = || shape.lcp_size() > SMALL_LCP && shared::holds(&shape, limits);
    match process {
        Process::RandomOrder(order) if order.strike == StrikeKind::Impact => &IMPACTS,
        Process::RandomOrder(_) | Process::Plain(_) => &REFLECTIONS,
        Process::Events(_) => &EVENTS,
        Process::Inclusion(_) => &INCLUSION,
        Process::Steps(steps) if steps.table.is_some() => &TABLE,
        Process::Steps(_) | Process::Bouncing(_) if limits.hardware && large() => &SHARED,
        Process::Steps(_) | Process::Bouncing(_) => &PIVOT,
    }
}

/// The kernel for a table, or for a part of one, with its cells if it has any.
pub fn looking_up<R>(regions: &Regions<'_, R>) -> &'static SamplingKernel {
    match regions.cells {
        None if regions.part => &CACHE,
        None => &TABLE,
        Some(cells) if cells.single() => &UNIQUE,
        Some(_) => &LISTED,
    }
}
