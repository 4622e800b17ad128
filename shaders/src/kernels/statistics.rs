//! Statistics of the samples of another kernel.

use crate::Program;
use crate::header::{WORKGROUP, words};
use crate::raw::MAX_STEPS;
use carom_core::outcome::Mode;
use carom_core::{Real, Status};
use carom_law::Process;

/// Reduces, in each workgroup, [`SHARE`] samples per thread.
pub static STATISTICS: Program = Program {
    name: "statistics",
    entry_point: "statistics",
    samples: false,
    files: &[
        wgsl!("kernel/numbers.wgsl"),
        wgsl!("kernel/problem.wgsl"),
        wgsl!("lcp/step.wgsl"),
        wgsl!("outcome/verdict.wgsl"),
        wgsl!("outcome/modes.wgsl"),
        wgsl!("kernel/statistics.wgsl"),
    ],
    constants: |shape| constants(shape.contacts),
    ..Program::DEFAULT
};

/// Number of samples that each thread reduces.
pub const SHARE: usize = 16;

/// Number of samples that a workgroup reduces.
pub const SAMPLES: u32 = WORKGROUP * SHARE as u32;

/// Number of bins of a histogram.
pub const BINS: usize = 64;

/// The offset of the counter of flagged samples. Counters are by status first, then flagged
/// samples, digits of steps, the most steps, bins, contact modes.
pub const COUNT_FLAGGED: usize = Status::ALL.len();
/// The offset of the sums of the steps' digits to the base 2^[`STEP_BITS`], the lowest digit first.
pub const COUNT_STEPS: usize = COUNT_FLAGGED + 1;
/// Number of digits of a number of steps.
pub const STEP_DIGITS: usize = 4;
/// Number of bits of a digit: sums of up to 2^25 samples fit into a word.
pub const STEP_BITS: usize = 7;
const _: () = assert!(MAX_STEPS < 1 << (STEP_DIGITS * STEP_BITS));
/// The offset of the most steps.
pub const COUNT_MOST_STEPS: usize = COUNT_STEPS + STEP_DIGITS;
/// The offset of the bins of the histogram.
pub const COUNT_BINS: usize = COUNT_MOST_STEPS + 1;
/// The offset of the combinations of contact modes.
pub const COUNT_MODES: usize = COUNT_BINS + BINS;

/// Largest number of contacts whose combinations of modes are counted.
pub const MAX_COUNTED: usize = 5;

/// Number of combinations of the modes of m contacts after an impact; 1 if they are not counted.
pub fn mode_table(m: usize) -> usize {
    if m <= MAX_COUNTED { 1 << (2 * m) } else { 1 }
}

/// Whether the device reduces the statistics of a process: planar steps, the event process, and the
/// inclusion without noise, each with few contacts. With noise, samples start from other
/// velocities.
pub fn serves<R: Real>(process: &Process<R>) -> bool {
    let step = &process.space().step;
    let kind = match process {
        Process::Steps(_) | Process::Events(_) => step.axes == 1,
        Process::Inclusion(inclusion) => inclusion.numbers.noise.is_empty(),
        _ => false,
    };
    kind && step.contacts <= MAX_COUNTED
}

/// The constants of the statistics kernel, for m contacts.
pub fn constants(m: usize) -> String {
    words(&[
        ("SHARE", SHARE),
        ("BINS", BINS),
        ("COUNT_FLAGGED", COUNT_FLAGGED),
        ("COUNT_STEPS", COUNT_STEPS),
        ("STEP_DIGITS", STEP_DIGITS),
        ("STEP_BITS", STEP_BITS),
        ("COUNT_MOST_STEPS", COUNT_MOST_STEPS),
        ("COUNT_BINS", COUNT_BINS),
        ("COUNT_MODES", COUNT_MODES),
        ("MODE_TABLE", mode_table(m)),
        ("COUNTERS", COUNT_MODES + mode_table(m)),
        ("MODE_LIFT", Mode::Lift as usize),
        ("MODE_STICK", Mode::Stick as usize),
        ("MODE_SLIDE", Mode::Slide as usize),
        ("MODE_SLIDE_BACK", Mode::SlideBack as usize),
    ])
}

/// The uniform `Chunk` of `shaders/kernel/statistics.wgsl`, field by field.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, bytemuck::Pod, bytemuck::Zeroable)]
pub struct ChunkUniform {
    /// Number of samples.
    pub count: u32,
    /// Number of linear forms.
    pub forms: u32,
    /// Number of tangents per contact.
    pub tangents: u32,
    /// Number of steps from which on a sample is flagged.
    pub long_run: u32,
    /// The linear form whose histogram is counted.
    pub histogram: u32,
    /// The residual above which a sample is flagged.
    pub residual: f32,
    /// Twice the dimensionless gain of energy above which a sample is flagged.
    pub gain: f32,
    /// Padding to a whole vector of four.
    pub padding: u32,
}
