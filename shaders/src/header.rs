//! The header of every kernel: sizes, codes and tolerances as WGSL constants.

use crate::layout::Layout;
use carom_core::draws::rates::SUBSETS;
use carom_core::draws::sampler::WHOLE;
use carom_core::rng::sobol::{BITS, DIMENSIONS};
use carom_core::{Purpose, Real, Status};
use carom_law::finite::sequential::FLAT;
use carom_law::routh::steps::solve::COVERING;

/// Number of threads of a workgroup.
pub const WORKGROUP: u32 = 64;

/// Number of workgroups per row, if a dispatch has more workgroups than one dimension holds.
pub const ROW: u32 = 1 << 15;

/// The length of a row of mode maps in the kernel's buffer: whole vectors of four.
pub fn padded(width: usize) -> usize {
    width.next_multiple_of(4)
}

/// Most distinct solutions of a step that the table kernel can hold; more are flagged.
pub fn most_solutions(m: usize) -> usize {
    if m <= 2 { 8 } else { 12 }
}

/// Lines of WGSL that define constants.
pub fn words(constants: &[(&str, usize)]) -> String {
    constants.iter().map(|(name, value)| format!("const {name} = {value}u;\n")).collect()
}

/// Lines of WGSL that define constants of a precision.
pub fn reals<R: Real>(constants: &[(&str, f64)]) -> String {
    let suffix = if R::EPSILON <= f64::EPSILON { "lf" } else { "f" };
    let line = |(name, value): &(&str, f64)| format!("const {name}: real = {value:e}{suffix};\n");
    constants.iter().map(line).collect()
}

/// Sizes, codes and tolerances of m contacts with T axes each, as defined in Rust.
pub fn header<R: Real>(m: usize, axes: usize) -> String {
    let layout = Layout::new(m, axes);
    let k = (1 + axes) * m;
    let sizes = [
        ("M", m),
        ("AXES", axes),
        ("K", k),
        ("X", padded(k + m)),
        ("MOST", most_solutions(m)),
        ("MOST_K", most_solutions(m) * k),
        ("PROBLEM_MU", layout.mu),
        ("PROBLEM_SIGMA", layout.sigma),
        ("PROBLEM_START", layout.start),
        ("PROBLEM_CAPS", layout.caps),
        ("PROBLEM_REST", layout.rest),
        ("PROBLEM_KEYS", layout.keys),
        ("PROBLEM_TOLERANCE", layout.tolerance),
        ("WORKGROUP", WORKGROUP as usize),
        ("ROW", ROW as usize),
        ("TERMINATED", Status::Terminated as usize),
        ("STEP_LIMIT", Status::StepLimit as usize),
        ("UNSOLVED", Status::Unsolved as usize),
        ("NOT_FINITE", Status::NotFinite as usize),
        ("PURPOSE_RATE", Purpose::Rate as usize),
        ("PURPOSE_SOLUTION", Purpose::Solution as usize),
        ("PURPOSE_COVERING", Purpose::Covering as usize),
        ("PURPOSE_ORDER", Purpose::Order as usize),
        ("PURPOSE_PARAMETER", Purpose::Parameter as usize),
        ("PURPOSE_SAMPLER", Purpose::Sampler as usize),
        ("PURPOSE_SCRAMBLING", Purpose::Scrambling as usize),
        ("DIMENSIONS", DIMENSIONS),
        ("SOBOL_BITS", BITS),
        ("SOBOL_FOURS", DIMENSIONS * BITS / 4),
        ("SAMPLER_WHOLE", WHOLE as usize),
        ("SUBSETS", SUBSETS as usize),
    ];
    let tolerances = [
        ("ZERO", 0.0),
        ("ONE", 1.0),
        ("HUGE", R::HUGE.to_f64()),
        ("RESIDUAL", R::from_f64(R::RESIDUAL).to_f64()),
        ("DISTINCT", R::from_f64(R::DISTINCT).to_f64()),
        ("AMBIGUOUS", R::AMBIGUOUS.to_f64()),
        ("PIVOT", R::PIVOT.to_f64()),
        ("TIE", R::TIE.to_f64()),
        ("FLAT", R::from_f64(FLAT * R::EPSILON).to_f64()),
        ("COVERING_LOW", COVERING[0]),
        ("COVERING_RANGE", COVERING[1]),
    ];
    let mendable = R::EPSILON > f64::EPSILON;
    [
        format!("alias real = {};\n", R::NAME),
        words(&sizes),
        reals::<R>(&tolerances),
        format!("const MENDABLE = {mendable};\n"),
    ]
    .concat()
}
