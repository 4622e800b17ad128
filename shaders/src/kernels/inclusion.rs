//! The inclusion, integrated one Newton step after the other.

use crate::header::{padded, reals, words};
use crate::layout::Layout;
use crate::{Binding, KernelShape, Program, SamplingKernel, Scan};
use carom_core::{Real, Status};
use carom_law::routh::inclusion::balance::NEWTON_STEPS;
use carom_law::routh::inclusion::block::{CHECKS, HELD};
use carom_law::routh::inclusion::check::{MOMENT, WEIGHTS};
use carom_law::routh::inclusion::curve::EVALUATIONS;
use carom_law::routh::inclusion::integrator::SLIDING;
use carom_law::routh::inclusion::plain::{AIM, CAUTION, LONGEST, UNTIL_STOP};
use carom_law::routh::inclusion::substep::{PART, STOPS};
use carom_law::routh::inclusion::tolerances::{
    DOUBLINGS, FIRST_RATIO, LENGTHEN, MAX_TRIALS, MOST_ON_GPU, Tolerances,
};
use carom_law::sampling::restitution::empty_part;

/// Computes a sample per thread. A sample ends unsolved if the first attempt of Newton's method
/// does not converge.
pub static INCLUSION: SamplingKernel = SamplingKernel {
    program: Program {
        name: "inclusion",
        entry_point: "sample_inclusion",
        files: &[
            wgsl!("law/restitution.wgsl"),
            wgsl!("law/routh/inclusion/state.wgsl"),
            wgsl!("law/routh/inclusion/given.wgsl"),
            wgsl!("law/routh/inclusion/linear.wgsl"),
            wgsl!("law/routh/inclusion/balance.wgsl"),
            wgsl!("law/routh/inclusion/integrator.wgsl"),
            wgsl!("law/routh/inclusion/stages.wgsl"),
            wgsl!("law/routh/inclusion/implicit.wgsl"),
            wgsl!("law/routh/inclusion/substep.wgsl"),
            wgsl!("law/routh/inclusion/curve.wgsl"),
            wgsl!("law/routh/inclusion/plain.wgsl"),
            wgsl!("law/routh/inclusion/check.wgsl"),
            wgsl!("law/routh/inclusion/block.wgsl"),
            wgsl!("law/routh/inclusion/process.wgsl"),
            wgsl!("kernel/inclusion_numbers.wgsl"),
            wgsl!("kernel/sample_inclusion.wgsl"),
        ],
        constants: |shape| {
            let layout = shape.layout();
            if shape.double { constants::<f64>(&layout) } else { constants::<f32>(&layout) }
        },
        ..Program::DEFAULT
    },
    solver: "inclusion",
    bindings: &[(2, Binding::Numbers(course_numbers)), (3, Binding::Words(|_| COURSE_MARKS))],
    rounds,
    overrun: 1,
    most_contacts: MOST_ON_GPU,
    ..SamplingKernel::DEFAULT
};

/// Number of stored numbers of a sample in progress: `KEPT` of
/// `shaders/kernel/inclusion_numbers.wgsl`, `COURSE_NUMBERS`, and the matrix, whose rows have whole
/// vectors of four.
fn course_numbers(shape: &KernelShape) -> usize {
    let k = shape.rows();
    12 * k + 10 * shape.contacts + 8 + k * padded(k)
}

/// Number of integers of a sample in progress, as in `shaders/law/routh/inclusion/state.wgsl`.
const COURSE_MARKS: usize = 11;

/// Rounds of loops for a Newton step, with four columns of elimination per round; the end of a
/// substep with two impulses to check; and the beginning of a block. With 48 rows this is close to
/// the limit of a software driver.
fn rounds(shape: &KernelShape, scan: &Scan) -> usize {
    let (m, k) = (shape.contacts, shape.rows());
    let newton = k * k * k / 6 + 12 * k * k + 30 * k;
    let judged = 2 * (k * k + 4 * m * k + 10 * k);
    newton + judged + 30 * (k + m) + scan.draws + 100
}

/// The places of a problem's numbers, the limits and the tolerances of the inclusion as constants.
pub fn constants<R: Real>(layout: &Layout) -> String {
    let sizes = words(&[
        ("PROBLEM_FRICTION", layout.friction),
        ("PROBLEM_RESTITUTION", layout.restitution),
        ("PROBLEM_TOLERANCES", layout.tolerances),
        ("PROBLEM_NOISE", layout.noise),
        ("NOISE", layout.columns),
        ("OVER_BUDGET", Status::Budget as usize),
        ("MAX_TRIALS", MAX_TRIALS as usize),
        ("NEWTON_STEPS", NEWTON_STEPS),
        ("LENGTHEN_FIRST", LENGTHEN[0] as usize),
        ("LENGTHEN_EVERY", LENGTHEN[1] as usize),
        ("DOUBLINGS", DOUBLINGS as usize),
        ("CHECKS", CHECKS as usize),
        ("EVALUATIONS", EVALUATIONS),
    ]);
    let real = |x: f64| R::from_f64(x).to_f64();
    let numbers = reals::<R>(&[
        ("BALANCE_TOLERANCE", Tolerances::<R>::new(1e-4, 1).balance.to_f64()),
        ("EMPTY_PART", empty_part::<R>().to_f64()),
        ("TERMINATION", real(R::TERMINATION)),
        ("CONDITION", R::CONDITION.to_f64()),
        ("NINTH", (R::ONE / R::from_f64(9.0)).to_f64()),
        ("HELD_PART", real(HELD)),
        ("SLIDING", real(SLIDING)),
        ("PART", real(PART)),
        ("STOPS", real(STOPS)),
        ("WEIGHT_END", real(WEIGHTS[0])),
        ("WEIGHT_MIDDLE", real(WEIGHTS[1])),
        ("MOMENT", real(MOMENT)),
        ("EPSILON", real(R::EPSILON)),
        ("AIM", real(AIM)),
        ("CAUTION", real(CAUTION)),
        ("LONGEST", real(LONGEST)),
        ("FIRST_RATIO", real(FIRST_RATIO)),
        ("UNTIL_FROZEN", real(UNTIL_STOP[0])),
        ("UNTIL_TURNING", real(UNTIL_STOP[1])),
        ("SIXTH", real(1.0 / 6.0)),
        ("THIRD_PART", real(1.0 / 3.0)),
        ("TWELFTH", real(1.0 / 12.0)),
    ]);
    sizes + &numbers
}
