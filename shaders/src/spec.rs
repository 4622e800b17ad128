//! The specification of a kernel.

use super::header::{ROW, WORKGROUP, header, padded};
use crate::limits::{MAX_GROUPS, MAX_STATE_BYTES};
use crate::{KernelShape, Limits, Variant};
use carom_core::{Error, Result};

/// Largest number of contacts for which most kernels are built.
pub const MAX_CONTACTS: usize = 12;

/// The text of a kernel; with a [`KernelShape`], it defines a pipeline.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// A unique name.
    pub name: &'static str,
    /// The entry point.
    pub entry_point: &'static str,
    /// Whether the program samples: then its text begins with the stream, the step, the law, and
    /// the storage of a sample.
    pub samples: bool,
    /// The program's own files of `shaders/`.
    pub files: &'static [&'static str],
    /// The program's own constants, after the header.
    pub constants: fn(&KernelShape) -> String,
    /// Whether the program expects zeroed workgroup memory.
    pub zeroed: bool,
    /// Whether sums and products round separately, as in Rust, on devices with a switch for it.
    pub rounded: bool,
}

/// A sampling kernel.
#[derive(Clone, Copy, Debug)]
pub struct SamplingKernel {
    /// The program of the kernel.
    pub program: Program,
    /// The name of its step solver in `--explain` and reports.
    pub solver: &'static str,
    /// The kernel's own bindings, in addition to [`RUN`] and its successors.
    pub bindings: &'static [(u32, Binding)],
    /// Whether the kernel draws rates and so binds [`DIRECTIONS`].
    pub draws: bool,
    /// Whether a workgroup, instead of a thread, computes a sample.
    pub shared: bool,
    /// Most loop rounds per unit of the budget: a step, a pivot, a combination of modes, a Newton
    /// step.
    pub rounds: fn(&KernelShape, &Scan) -> usize,
    /// Units by which the last step of a dispatch may exceed the budget.
    pub overrun: usize,
    /// Largest number of contacts.
    pub most_contacts: usize,
    /// Further size limits.
    pub fits: fn(&KernelShape, &Limits<'_>) -> Result<()>,
}

/// The work of a step that the shape does not determine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scan {
    /// Number of combinations of the table.
    pub spans: usize,
    /// Number of conditions of all combinations.
    pub conditions: usize,
    /// Number of loop rounds for the draw of rates.
    pub draws: usize,
}

impl Scan {
    /// Rounds over all combinations of the table.
    pub fn all_conditions(&self, shape: &KernelShape) -> usize {
        self.spans + self.conditions * (padded(shape.rows() + shape.contacts) / 4 + 1)
    }
}

/// The content of a kernel's own binding.
#[derive(Clone, Copy, Debug)]
pub enum Binding {
    /// The combinations of the mode table.
    Spans,
    /// The conditions and maps of the mode table.
    Maps,
    /// The forces of all combinations of modes of the event process.
    Forces,
    /// The LCP matrices of the steps, one problem after the other.
    Matrices,
    /// Numbers per sample, stored between dispatches; the function returns their count.
    Numbers(fn(&KernelShape) -> usize),
    /// Words per sample, stored between dispatches; the function returns their count.
    Words(fn(&KernelShape) -> usize),
}

/// The uniform [`RunUniform`](super::uniform::RunUniform).
pub const RUN: u32 = 0;
/// The numbers of the problem, or of several problems.
pub const PROBLEM: u32 = 1;
/// Total impulses of all samples (N,K), then contact velocities of samples in progress (N,K).
pub const IMPULSES: u32 = 5;
/// Status, steps and residual, in two words (N).
pub const ENDINGS: u32 = 6;
/// Number of samples in progress (1).
pub const REMAINING: u32 = 7;
/// The places of tables by problem, for several problems.
pub const PLACES: u32 = 8;
/// The numbers of listed samples.
pub const LIST: u32 = 11;
/// The direction numbers of Sobol's points, in kernels that draw rates.
pub const DIRECTIONS: u32 = 10;

const NUMBERS: &str = wgsl!("kernel/numbers.wgsl");
const ONE_PROBLEM: &str = wgsl!("kernel/one_problem.wgsl");
const COUNTED_SAMPLES: &str = wgsl!("kernel/counted_samples.wgsl");
const LISTED_SAMPLES: &str = wgsl!("kernel/listed_samples.wgsl");
const MANY_PROBLEMS: &str = wgsl!("kernel/many_problems.wgsl");

const NARROW_PRODUCTS: &str = wgsl!("rng/narrow_products.wgsl");
const WIDE_PRODUCTS: &str = wgsl!("rng/wide_products.wgsl");

const LIBRARY: &str = concat!(
    wgsl!("rng/philox.wgsl"),
    wgsl!("rng/stream.wgsl"),
    wgsl!("rng/sobol.wgsl"),
    wgsl!("kernel/problem.wgsl"),
    wgsl!("lcp/step.wgsl"),
    wgsl!("law/routh/steps/process.wgsl"),
    wgsl!("law/draws/rates.wgsl"),
    wgsl!("kernel/sample.wgsl"),
);

impl Program {
    /// A program with the settings of most programs.
    pub const DEFAULT: Program = Program {
        name: "",
        entry_point: "",
        samples: true,
        files: &[],
        constants: |_| String::new(),
        zeroed: true,
        rounded: true,
    };

    /// The whole WGSL text for problems of a shape.
    pub fn source(&self, shape: &KernelShape, variant: &Variant) -> String {
        let (m, axes) = (shape.contacts, shape.axes);
        let mut text = if shape.double { header::<f64>(m, axes) } else { header::<f32>(m, axes) };
        text.push_str(&(self.constants)(shape));
        text.push_str(&format!("const PROBLEM_FOURS = {}u;\n", shape.layout().count.div_ceil(4)));
        if self.samples {
            match shape.many {
                true => text.push_str(MANY_PROBLEMS),
                false => text.extend([NUMBERS, ONE_PROBLEM]),
            }
            match (shape.many, shape.listed) {
                (true, _) => {}
                (false, true) => text.push_str(LISTED_SAMPLES),
                (false, false) => text.push_str(COUNTED_SAMPLES),
            }
            text.push_str(&format!("const REFILLS = {};\n", variant.refills));
            text.push_str(if variant.wide_products { WIDE_PRODUCTS } else { NARROW_PRODUCTS });
            text.push_str(LIBRARY);
        }
        self.files.iter().for_each(|file| text.push_str(file));
        if shape.stored() {
            text = text.replace("var<uniform> problem", "var<storage, read> problem");
        }
        text
    }
}

impl SamplingKernel {
    /// A kernel with the settings of most kernels.
    pub const DEFAULT: SamplingKernel = SamplingKernel {
        program: Program::DEFAULT,
        solver: "",
        bindings: &[],
        draws: true,
        shared: false,
        rounds: |_, _| 1,
        overrun: 0,
        most_contacts: MAX_CONTACTS,
        fits: |_, _| Ok(()),
    };

    /// Number of samples of a workgroup.
    pub fn group(&self) -> u32 {
        if self.shared { 1 } else { WORKGROUP }
    }

    /// Number of samples that a dispatch of `samples` computes at a time, one per thread (or
    /// workgroup). If `fewest` keep the device busy, a thread takes up to `share` samples one after
    /// the other, and more if the buffers hold the state of at most `most` samples.
    pub fn at_a_time(&self, samples: u32, share: u32, fewest: u32, most: u32) -> u32 {
        samples.div_ceil(share).max(fewest.min(samples)).min(most).next_multiple_of(self.group())
    }

    /// Number of workgroups, in two dimensions, of a dispatch with `at_a_time` samples at a time.
    pub fn groups(&self, at_a_time: u32) -> [u32; 2] {
        let groups = at_a_time.div_ceil(self.group());
        if u64::from(groups) <= MAX_GROUPS { [groups, 1] } else { [ROW, groups.div_ceil(ROW)] }
    }

    /// Budget of a dispatch in units of work: the largest that keeps each thread within its loop
    /// rounds.
    pub fn budget(&self, shape: &KernelShape, scan: &Scan, limits: &Limits<'_>) -> u32 {
        (limits.rounds() / (self.rounds)(shape, scan)).saturating_sub(self.overrun).max(1) as u32
    }

    /// Largest number of samples of a dispatch, and largest number at a time, limited by the
    /// buffers.
    pub fn chunk(&self, shape: &KernelShape, limits: &Limits<'_>) -> Result<(u64, u32)> {
        let kept = self.bindings.iter().find_map(|(_, binding)| match binding {
            Binding::Numbers(count) => Some(count(shape)),
            _ => None,
        });
        let workgroup = u64::from(WORKGROUP);
        let held = |bytes: u64, numbers: usize| {
            let sample = (numbers * shape.real_bytes()) as u64;
            limits.storage_buffer_bytes.min(bytes) / sample / workgroup * workgroup
        };
        let samples = limits.chunk().min(held(MAX_STATE_BYTES, 2 * shape.rows()));
        let most = kept.map_or(samples, |numbers| held(limits.kept_bytes(), numbers));
        let most = if self.shared { most.min(MAX_GROUPS / workgroup * workgroup) } else { most };
        let name = limits.name;
        match samples.min(most * limits.most_turns()) {
            0 => Err(Error::device(format!("{name} has too little memory for one workgroup"))
                .option("device")
                .hint("run with --device cpu")),
            chunk => Ok((chunk, most.min(chunk) as u32)),
        }
    }

    /// Refuses shapes that the kernel does not support, or the device cannot compute.
    pub fn check(&self, shape: &KernelShape, limits: &Limits<'_>) -> Result<()> {
        let (m, most) = (shape.contacts, self.most_contacts);
        if m > most {
            return Err(Error::device(format!("{m} contacts; this GPU kernel takes up to {most}"))
                .option("device")
                .hint("run with --device cpu, which takes any number"));
        }
        (self.fits)(shape, limits)?;
        if shape.double && !limits.f64 {
            return Err(Error::device(format!("{} has no f64 in shaders", limits.name))
                .option("precision")
                .hint("run with --precision f32, or with --device cpu"));
        }
        Ok(())
    }
}
