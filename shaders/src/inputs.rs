//! The contents of a kernel's buffers: all data shared by samples.

use std::collections::HashMap;

use super::kernels::serving;
use super::uniform::{RunUniform, TablePlace, apart};
use crate::layout::problem_buffer;
use crate::raw::MAX_STEPS;
use crate::tables::Buffers;
use crate::{Binding, KernelShape, Limits, SamplingKernel, Scan};
use carom_core::draws::rates::SUBSETS;
use carom_core::rng::sobol::BITS;
use carom_core::{Error, ModeTable, Real, Result};
use carom_law::{Process, Sampler, Solution};

/// A kernel with the contents of its buffers.
#[derive(Clone, Debug)]
pub struct Inputs<R> {
    /// The kernel.
    pub kernel: &'static SamplingKernel,
    /// The shape of the problems.
    pub shape: KernelShape,
    /// Most samples of one dispatch.
    pub chunk: u64,
    /// The numbers of the problem, or of several problems, one after the other.
    pub numbers: Vec<R>,
    /// The uniform with the limits and the places of tables.
    pub uniform: RunUniform,
    /// The places of the tables of each problem, for several problems.
    pub places: Vec<TablePlace>,
    /// The initial LCP matrices of Lemke's method, one after the other.
    pub matrices: Vec<R>,
    /// The mode tables, unless Lemke's method solves the steps.
    pub tables: Buffers<R>,
}

impl<R: Real> Inputs<R> {
    /// The kernel that serves a process.
    pub fn new(process: &Process<R>, seed: u64, limits: &Limits<'_>) -> Result<Self> {
        Self::with_kernel(process, seed, serving(process, limits), limits)
    }

    /// A given kernel for a process.
    pub fn with_kernel(
        process: &Process<R>,
        seed: u64,
        kernel: &'static SamplingKernel,
        limits: &Limits<'_>,
    ) -> Result<Self> {
        let shape = KernelShape::of(process);
        kernel.check(&shape, limits)?;
        let looks_up = kernel.bindings.iter().any(|(_, of)| matches!(of, Binding::Maps));
        let table = process.table().filter(|_| looks_up);
        let mut tables = Buffers::default();
        let place = match table {
            Some(table) => tables.append(table, shape.contacts),
            None if looks_up => {
                return Err(Error::usage("the law brings no table for this kernel"));
            }
            None => TablePlace::default(),
        };
        let uniform = RunUniform {
            max_steps: process.space().max_steps.min(MAX_STEPS),
            budget: kernel.budget(&shape, &scan(process, table), limits),
            combinations: place.combinations,
            first_map: place.first_map,
            ..RunUniform::default()
        };
        if let Process::Events(exact) = process {
            tables.append_forces(&exact.space.step, limits)?;
        }
        let numbers = numbers_of(&[process], &shape);
        let (matrices, places) = (matrices_of(kernel, &[process]), Vec::new());
        let inputs = Inputs { kernel, shape, chunk: 0, numbers, uniform, places, matrices, tables };
        inputs.complete(process, seed, limits)
    }

    /// The kernel for several processes of one shape, each with a seed and `samples` samples:
    /// sample i belongs to problem i / samples. Problems with equal tables share one.
    pub fn of_many(
        processes: &[&Process<R>],
        seeds: &[u64],
        samples: u32,
        limits: &Limits<'_>,
    ) -> Result<Self> {
        let (Some(&first), Some(shape)) = (processes.first(), KernelShape::of_many(processes))
        else {
            return Err(Error::usage("at least one problem"));
        };
        if processes.len() as u64 * u64::from(samples) > u64::from(u32::MAX) {
            return Err(Error::usage("a batch on a GPU has at most 2^32 samples").option("samples"));
        }
        let kernel = serving(first, limits);
        kernel.check(&shape, limits)?;
        let mut tables = Buffers::default();
        let mut known: HashMap<(&[u8], &[u8]), TablePlace> = HashMap::new();
        let mut uniform = RunUniform { samples, budget: u32::MAX, ..RunUniform::default() };
        let mut places = Vec::new();
        for (process, seed) in processes.iter().zip(seeds) {
            let mut place = TablePlace::default();
            let table = process.table();
            if let Some(table) = table {
                let [conditions, impulses] = [&table.conditions, &table.impulses];
                let key = (bytemuck::cast_slice(conditions), bytemuck::cast_slice(impulses));
                place = *known.entry(key).or_insert_with(|| tables.append(table, shape.contacts));
            }
            if let Process::Events(exact) = process {
                let step = &exact.space.step;
                let key = (bytemuck::cast_slice(&step.w), bytemuck::cast_slice(&step.mu));
                place = match known.get(&key) {
                    Some(place) => *place,
                    None => *known.entry(key).or_insert(tables.append_forces(step, limits)?),
                };
            }
            uniform.budget =
                uniform.budget.min(kernel.budget(&shape, &scan(process, table), limits));
            places.push(TablePlace {
                max_steps: process.space().max_steps.min(MAX_STEPS),
                seed: words(*seed),
                ..place
            });
        }
        let numbers = numbers_of(processes, &shape);
        let matrices = matrices_of(kernel, processes);
        let inputs = Inputs { kernel, shape, chunk: 0, numbers, uniform, places, matrices, tables };
        inputs.complete(first, 0, limits)
    }

    /// The inputs with the number of the first sample of each problem, which is 0 by default.
    pub fn numbered(mut self, first: &[u64]) -> Self {
        for (place, &first) in self.places.iter_mut().zip(first) {
            place.first = words(first);
        }
        self
    }

    /// Fills in the numbers that follow from sizes and from the law.
    fn complete(mut self, process: &Process<R>, seed: u64, limits: &Limits<'_>) -> Result<Self> {
        let (chunk, at_a_time) = self.kernel.chunk(&self.shape, limits)?;
        self.chunk = chunk;
        let rates = process.rates();
        let poisson = matches!(process, Process::Inclusion(inclusion) if inclusion.poisson);
        self.uniform = RunUniform {
            seed: words(seed),
            lcp_size: self.shape.lcp_size() as u32,
            persist: rates.map_or(1, |rates| rates.persist),
            sampler: rates.map_or([0; 2], |rates| rates.sampler.below()),
            random_covering: u32::from(process.solution() == Solution::Random),
            contacts: self.shape.contacts as u32,
            rows: self.shape.rows() as u32,
            poisson: u32::from(poisson),
            threads: at_a_time,
            stride: apart(at_a_time),
            ..self.uniform
        };
        Ok(self)
    }
}

/// The words of a number, the low one first.
fn words(number: u64) -> [u32; 2] {
    [number as u32, (number >> 32) as u32]
}

/// The LCP matrices of the steps, one problem after the other, if the kernel reads them.
fn matrices_of<R: Real>(kernel: &SamplingKernel, processes: &[&Process<R>]) -> Vec<R> {
    if !kernel.bindings.iter().any(|(_, binding)| matches!(binding, Binding::Matrices)) {
        return Vec::new();
    }
    let mut matrices = Vec::new();
    for step in processes.iter().map(|process| &process.space().step) {
        let n = step.lcp_size();
        matrices.extend((0..n * n).map(|entry| step.lcp_entry(entry / n, entry % n)));
    }
    matrices
}

/// The numbers of several problems, one after the other.
pub fn numbers_of<R: Real>(processes: &[&Process<R>], shape: &KernelShape) -> Vec<R> {
    processes.iter().flat_map(|process| problem_buffer(process, shape.noise.unwrap_or(0))).collect()
}

/// The number of conditions that a step of a process evaluates, with or without a table.
fn scan<R: Real>(process: &Process<R>, table: Option<&ModeTable<R>>) -> Scan {
    let step = &process.space().step;
    let (m, x) = (step.contacts, step.width() + step.contacts);
    let uses = |sampler| process.rates().is_some_and(|rates| rates.sampler.may_use(sampler));
    let subsets = if uses(Sampler::Coverage) { (SUBSETS as usize + 1) * (m + 1) } else { 0 };
    let points = if uses(Sampler::Sobol) { (BITS + 1) * m } else { 0 };
    Scan {
        spans: table.map_or(0, |table| table.spans.len()),
        conditions: table.map_or(0, |table| table.conditions.len() / x),
        draws: subsets.max(points),
    }
}
