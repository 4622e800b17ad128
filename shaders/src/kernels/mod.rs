//! The kernels, one per file, and the choice of the kernel for a process.

pub mod events;
pub mod inclusion;
pub mod orders;
pub mod peak;
pub mod pivot;
pub mod shared;
pub mod statistics;
pub mod table;

pub use events::EVENTS;
pub use inclusion::INCLUSION;
pub use orders::{IMPACTS, REFLECTIONS};
pub use pivot::PIVOT;
pub use shared::SHARED;
pub use statistics::STATISTICS;
pub use table::TABLE;

use crate::{KernelShape, Limits, SamplingKernel};
use carom_core::Real;
use carom_law::{Process, StrikeKind};

/// All sampling kernels.
pub const ALL: [&SamplingKernel; 7] =
    [&TABLE, &PIVOT, &SHARED, &IMPACTS, &REFLECTIONS, &EVENTS, &INCLUSION];

/// Most unknowns of a step solved by one thread; on hardware, a workgroup solves larger steps.
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

/// The reason why a kernel is [`serving`] a process.
pub fn why<R: Real>(process: &Process<R>, kernel: &SamplingKernel) -> String {
    let step = &process.space().step;
    match process {
        Process::Steps(_) | Process::Bouncing(_) => {
            format!("{} contacts: the kernel `{}`", step.contacts, kernel.solver)
        }
        other => other.kind().words(step.axes == 2, None),
    }
}
