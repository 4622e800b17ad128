//! The inclusion, integrated stage by stage.

use crate::law::inclusion::tolerances::{MAX_SUBSTEPS, MAX_SWEEPS, MAX_TRIALS, Tolerances};
use crate::real::Real;
use crate::shading::header::{reals, words};
use crate::shading::layout::{Layout, Shape};
use crate::shading::spec::{Binding, Program, SamplingKernel, Scan};

/// One thread per sample, whose numbers lie in storage: a dispatch may end at any stage.
pub static INCLUSION: SamplingKernel = SamplingKernel {
    program: Program {
        name: "inclusion",
        entry_point: "sample_inclusion",
        files: &[
            include_str!("../../../shaders/law/inclusion/state.wgsl"),
            include_str!("../../../shaders/law/inclusion/friction.wgsl"),
            include_str!("../../../shaders/law/inclusion/substep.wgsl"),
            include_str!("../../../shaders/law/inclusion/block.wgsl"),
            include_str!("../../../shaders/kernel/sample_inclusion.wgsl"),
        ],
        constants: |shape| {
            let layout = shape.layout();
            if shape.double { constants::<f64>(&layout) } else { constants::<f32>(&layout) }
        },
        ..Program::DEFAULT
    },
    solver: "inclusion",
    bindings: &[(2, Binding::Numbers(course_numbers)), (3, Binding::Words(course_marks))],
    rounds,
    ..SamplingKernel::DEFAULT
};

/// Sweeps over contacts that are held, at a time.
pub const SWEEPS: u32 = 4;

/// Numbers that a sample has in storage while it is under way: `AT_*` of `shaders/law/inclusion/state.wgsl`.
fn course_numbers(shape: &Shape) -> usize {
    9 * shape.rows() + 4 * shape.contacts + 6
}

/// Its marks: one of each contact, then `MARK_COURSE` of the same file.
fn course_marks(shape: &Shape) -> usize {
    shape.contacts + 4
}

fn rounds(shape: &Shape, _: &Scan) -> usize {
    let (m, k) = (shape.contacts, shape.rows());
    let sweeps = SWEEPS as usize * (1 + m * (1 + shape.axes * (1 + k)));
    // Forces and the end of a substep; the beginning of a block.
    sweeps + 2 * k * (k + 1) + 24 * k + 40 * m + 64
}

/// Where its numbers lie, its limits and its tolerances.
pub fn constants<R: Real>(layout: &Layout) -> String {
    let tolerances = Tolerances::<R>::of_precision();
    let sizes = words(&[
        ("PROBLEM_FRICTION", layout.friction),
        ("PROBLEM_RESTITUTION", layout.restitution),
        ("PROBLEM_NOISE", layout.noise),
        ("NOISE", layout.columns),
        ("MAX_SUBSTEPS", MAX_SUBSTEPS as usize),
        ("MAX_TRIALS", MAX_TRIALS as usize),
        ("MAX_SWEEPS", MAX_SWEEPS as usize),
        ("SWEEPS", SWEEPS as usize),
    ]);
    let numbers = reals::<R>(&[
        ("TOLERATED", tolerances.error.to_f64()),
        ("HALT", tolerances.halt.to_f64()),
        ("BALANCE", tolerances.balance.to_f64()),
        ("EMPTY", crate::law::restitution::empty_part::<R>().to_f64()),
        ("REGULAR", R::from_f64(16.0 * R::EPSILON).to_f64()),
        ("NINTH", (R::ONE / R::from_f64(9.0)).to_f64()),
    ]);
    sizes + &numbers
}
