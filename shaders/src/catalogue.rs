//! Every program of a GPU, to test compilers of other devices on them.

use std::collections::HashSet;

use super::kernels::{STATISTICS, peak, serving, statistics};
use crate::{KernelShape, Limits, Program, SamplingKernel, Variant};
use carom_core::problem::ProblemSpec;
use carom_core::{ContactProblem, Facets, Real, Result};
use carom_law::{Law, Process, Propagative, Routh, RouthProcess, Sequential, Solution};

/// Most contacts of a problem; no kernel takes more.
const MOST_CONTACTS: usize = 16;

/// A program for a shape of problems and a device.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The program.
    pub program: &'static Program,
    /// The shape of the problems.
    pub shape: KernelShape,
    /// The variant for the device.
    pub variant: Variant,
}

impl Entry {
    /// The WGSL text.
    pub fn source(&self) -> String {
        self.program.source(&self.shape, &self.variant)
    }

    /// A unique name of the entry.
    pub fn name(&self) -> String {
        let KernelShape { contacts, axes, double, many, listed, .. } = self.shape;
        let space = if axes == 1 { "planar" } else { "spatial" };
        let precision = if double { "f64" } else { "f32" };
        let of = match (many, listed) {
            (true, _) => "many",
            (false, true) => "listed",
            (false, false) => "one",
        };
        let device = if self.variant == Variant::default() { "plain" } else { "hardware" };
        format!("{}-{contacts}-{space}-{precision}-{of}-{device}", self.kernel().replace(' ', "-"))
    }

    /// A description of the program.
    pub fn what(&self) -> String {
        let KernelShape { contacts, axes, double, many, listed, .. } = self.shape;
        let facets = if axes == 1 { String::new() } else { format!(", {axes} axes of friction") };
        let bits = if double { 64 } else { 32 };
        let of = match (many, listed) {
            (true, _) => "samples of many problems",
            (false, true) => "listed samples of a problem",
            (false, false) => "a problem",
        };
        let (kernel, variant) = (self.kernel(), self.variant);
        let plural = if contacts == 1 { "" } else { "s" };
        format!("{kernel}: {contacts} contact{plural}{facets}, {bits} bits, {of}; {variant}")
    }

    /// The name of the program; for a program of statistics, with the process that it reads.
    fn kernel(&self) -> String {
        let name = self.program.name;
        match self.shape {
            _ if self.program.samples => name.to_string(),
            KernelShape { restitution: true, .. } => format!("{name} of exact"),
            KernelShape { noise: Some(_), .. } => format!("{name} of inclusion"),
            _ => name.to_string(),
        }
    }
}

/// The number of storage buffers that a WGSL text binds.
pub fn storage_buffers(text: &str) -> usize {
    text.matches("var<storage").count()
}

/// The programs for planar and spatial problems, for each supported number of contacts, for a
/// device without wide integers and for hardware with them. Friction cones with facets have four
/// facets; more facets change only numbers in the text.
pub fn programs() -> Result<Vec<Entry>> {
    let mut entries = Entries::default();
    for contacts in 1..=MOST_CONTACTS {
        for spatial in [false, true] {
            let problem = ContactProblem::new(bodies(contacts, spatial))?;
            for law in laws(spatial) {
                let reference = law.prepare::<f64>(&problem)?;
                entries.add_process(&reference);
                entries.add_process(&law.prepare::<f32>(&problem)?);
            }
        }
    }
    for double in [false, true] {
        for program in [&peak::MULTIPLY_ADD, &peak::COPY] {
            entries.add(program, peak::shape(double), Variant::default());
        }
    }
    Ok(entries.all)
}

/// Bodies of unit mass, each with a contact.
fn bodies(contacts: usize, spatial: bool) -> ProblemSpec {
    let tangents = if spatial { 2 } else { 1 } * contacts;
    let n = contacts + tangents;
    let unit = |i: usize| (0..n).map(|j| f64::from(u8::from(i == j))).collect::<Vec<f64>>();
    ProblemSpec {
        mass: (0..n).map(unit).collect(),
        normal: (0..contacts).map(unit).collect(),
        tangent: (contacts..n).map(unit).collect(),
        friction: Some(vec![0.5; contacts]),
        velocity: vec![-1.0; n],
        ..ProblemSpec::default()
    }
}

/// Laws that together have all processes.
fn laws(spatial: bool) -> Vec<Law> {
    let inclusion = Routh { process: Some(RouthProcess::Inclusion), ..Routh::default() };
    let mut laws =
        vec![Law::Routh(inclusion), Sequential::default().into(), Propagative::default().into()];
    let facets = Some(Facets::LEAST);
    laws.extend(match spatial {
        true => vec![Law::Routh(Routh { facets, ..Routh::default() })],
        false => vec![
            Law::Routh(Routh::steps()),
            Law::Routh(Routh { solution: Solution::Lemke, ..Routh::steps() }),
            Law::Routh(Routh { process: Some(RouthProcess::Events), ..Routh::default() }),
        ],
    });
    laws
}

/// The entries, without duplicates.
#[derive(Default)]
struct Entries {
    all: Vec<Entry>,
    known: HashSet<(&'static str, KernelShape, Variant)>,
}

impl Entries {
    fn add(&mut self, program: &'static Program, shape: KernelShape, variant: Variant) {
        if self.known.insert((program.name, shape, variant)) {
            self.all.push(Entry { program, shape, variant });
        }
    }

    /// Adds the programs of a process on each device.
    fn add_process<R: Real>(&mut self, process: &Process<R>) {
        let shape = KernelShape::of(process);
        if process.kind().on_the_cpu(shape.contacts, [false; 2]).is_some() {
            return;
        }
        let software = (software(), Variant::default());
        let hardware = (hardware(), Variant::usual(true, true, true));
        for (limits, variant) in [software, hardware] {
            let mut add = |kernel: &'static SamplingKernel, shape: KernelShape| {
                if kernel.check(&shape, &limits).is_ok() {
                    self.add(&kernel.program, shape, variant);
                }
            };
            let kernel = serving(process, &limits);
            add(kernel, shape);
            KernelShape::of_many(&[process]).into_iter().for_each(|many| add(kernel, many));
            if shape.double && variant.device_repair {
                add(kernel, KernelShape { listed: true, ..shape });
            }
        }
        if statistics::serves(process) {
            self.add(&STATISTICS, shape, Variant::default());
        }
    }
}

/// A device that computes on its host's processor.
fn software() -> Limits<'static> {
    Limits {
        name: "software",
        hardware: false,
        f64: true,
        storage_buffer_bytes: 128 << 20,
        workgroup_memory_bytes: 32 << 10,
    }
}

/// A device with a common size of workgroup memory.
fn hardware() -> Limits<'static> {
    Limits { name: "hardware", hardware: true, workgroup_memory_bytes: 48 << 10, ..software() }
}
