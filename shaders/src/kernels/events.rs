//! The planar law from event to event.

use crate::header::{reals, words};
use crate::layout::Layout;
use crate::{Binding, KernelShape, Program, SamplingKernel, Scan};
use carom_core::Real;
use carom_law::routh::events::process::{
    DOUBLINGS, HELD, LENGTHEN, SEGMENTS_OF_BLOCK, SPIRAL, SPIRAL_VELOCITIES, STANDSTILL,
};
use carom_law::routh::events::solve::{PATHS, most_tried};
use carom_law::routh::events::table::{MODES, MOST_TABULATED};
use carom_law::routh::events::walk::{BLOCKS, CHANGES};

/// Computes a sample per thread; forces come from the table of all combinations of modes. A sample
/// ends unsolved if principal pivoting fails, or if a segment has more than [`MOST_FOUND`]
/// solutions.
pub static EVENTS: SamplingKernel = SamplingKernel {
    program: Program {
        name: "exact",
        entry_point: "sample_events",
        files: &[
            wgsl!("law/restitution.wgsl"),
            wgsl!("law/routh/events/modes.wgsl"),
            wgsl!("law/routh/events/segment.wgsl"),
            wgsl!("law/routh/events/walk.wgsl"),
            wgsl!("law/routh/events/solve.wgsl"),
            wgsl!("law/routh/events/check.wgsl"),
            wgsl!("law/routh/events/process.wgsl"),
            wgsl!("kernel/sample_events.wgsl"),
        ],
        constants: |shape| {
            let layout = shape.layout();
            if shape.double {
                constants::<f64>(shape.contacts, &layout)
            } else {
                constants::<f32>(shape.contacts, &layout)
            }
        },
        ..Program::DEFAULT
    },
    solver: "modes",
    bindings: &[
        (2, Binding::Numbers(course_numbers)),
        (3, Binding::Forces),
        (9, Binding::Words(|_| 4)),
    ],
    rounds,
    most_contacts: MOST_TABULATED,
    ..SamplingKernel::DEFAULT
};

/// Most distinct solutions of a segment.
pub const MOST_FOUND: usize = 16;

/// Cost of a segment apart from its tried combinations of modes, in combinations.
pub const OTHER: usize = 8;

/// Largest number of contacts whose loops are unrolled on every device.
pub const MOST_UNROLLED: usize = 3;

/// Runs of principal pivoting per segment; 0 if all combinations of modes are tried.
fn walks(m: usize) -> u32 {
    if MODES.pow(m as u32) <= most_tried(m) { 0 } else { PATHS }
}

/// Most tried combinations of modes per segment: combinations with one contact's mode kept, all
/// combinations, combinations of principal pivoting, and repeated ones for the comparison of
/// solutions.
pub fn most_trials(m: usize) -> usize {
    let search = |contacts: usize| most_tried(m).min(MODES.pow(contacts as u32));
    search(m - 1) + search(m) + (walks(m) * (CHANGES + 1)) as usize + 4 * MOST_FOUND
}

/// Number of stored numbers of a sample in progress, see `shaders/kernel/sample_events.wgsl`.
fn course_numbers(shape: &KernelShape) -> usize {
    shape.rows() + 5 * shape.contacts + 3
}

/// Rounds of loops for a combination: its modes, its forces, their inequalities, and the comparison
/// with known solutions.
fn rounds(shape: &KernelShape, _: &Scan) -> usize {
    let (m, k) = (shape.contacts, shape.rows());
    m * m + 7 * k + 4 * m + 12
}

/// The limits and tolerances of the event process as constants.
pub fn constants<R: Real>(m: usize, layout: &Layout) -> String {
    let sizes = words(&[
        ("PROBLEM_RESTITUTION", layout.restitution),
        ("MOST_TRIED", most_tried(m)),
        ("MOST_TRIALS", most_trials(m)),
        ("MOST_FOUND", MOST_FOUND),
        ("OTHER", OTHER),
        ("MOST_UNROLLED", MOST_UNROLLED),
        ("PATHS", walks(m) as usize),
        ("CHANGES", CHANGES as usize),
        ("BLOCKS", BLOCKS as usize),
        ("SEGMENTS_OF_BLOCK", SEGMENTS_OF_BLOCK as usize),
        ("SPIRAL", SPIRAL as usize),
        ("LENGTHEN_FIRST", LENGTHEN[0] as usize),
        ("LENGTHEN_EVERY", LENGTHEN[1] as usize),
        ("DOUBLINGS", DOUBLINGS as usize),
    ]);
    let real = |x: f64| R::from_f64(x).to_f64();
    let numbers = reals::<R>(&[
        ("CONDITION", R::CONDITION.to_f64()),
        ("HELD", real(HELD)),
        ("STANDSTILL", real(STANDSTILL.max(64.0 * R::EPSILON))),
        ("STILL", real(SPIRAL_VELOCITIES[0]).max(real(8.0 * R::EPSILON))),
        ("MOST_STILL", real(SPIRAL_VELOCITIES[1].max(64.0 * R::EPSILON))),
    ]);
    sizes + &numbers
}
