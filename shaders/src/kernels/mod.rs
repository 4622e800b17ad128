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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Variant;
    use crate::spec::{DIRECTIONS, ENDINGS, IMPULSES, PLACES, PROBLEM, REMAINING, RUN};
    use std::collections::BTreeSet;

    /// The bindings that a WGSL text declares.
    fn declared(text: &str) -> BTreeSet<u32> {
        let number = |part: &str| part.split_once(')').unwrap().0.parse().unwrap();
        text.split("@binding(").skip(1).map(number).collect()
    }

    #[test]
    fn a_kernel_declares_the_bindings_that_it_says() {
        for kernel in ALL {
            for many in [false, true] {
                let restitution = kernel.program.name == "exact";
                let noise = (kernel.program.name == "inclusion").then_some(3);
                let (shape, contacts) = (KernelShape::default(), 2);
                let shape = KernelShape { contacts, axes: 1, many, restitution, noise, ..shape };
                let text = kernel.program.source(&shape, &Variant::default());
                let common = [RUN, PROBLEM, IMPULSES, ENDINGS, REMAINING, DIRECTIONS];
                let own = kernel.bindings.iter().map(|(at, _)| *at);
                let expected: BTreeSet<u32> =
                    common.into_iter().chain(own).chain(many.then_some(PLACES)).collect();
                assert_eq!(declared(&text), expected, "{}, {many}", kernel.program.name);
                let entry = format!("fn {}(", kernel.program.entry_point);
                assert_eq!(text.matches(&entry).count(), 1, "{}", kernel.program.name);
            }
        }
    }

    #[test]
    fn names_tell_programs_apart() {
        let others = [&STATISTICS, &peak::MULTIPLY_ADD, &peak::COPY];
        let programs = ALL.iter().map(|kernel| &kernel.program).chain(others);
        let names: BTreeSet<&str> = programs.map(|program| program.name).collect();
        assert_eq!(names.len(), ALL.len() + others.len());
    }
}
