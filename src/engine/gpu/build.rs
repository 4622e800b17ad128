//! Building a kernel: its buffers, filled with what is the same for all samples, and how much it does at a time.

use std::collections::HashMap;

use super::device::Gpu;
use super::layout::{Layout, Place, RunUniform, problem_buffer};
use super::regions::{Buffers, Regions};
use super::run::{Kernel, MAX_STEPS};
use super::source::{KernelKey, KernelKind, SWEEPS, WORKGROUP, course_marks, course_numbers, most_solutions};
use crate::error::{Error, Result};
use crate::law::Sampler;
use crate::law::Strike;
use crate::law::draws::rates::SUBSETS;
use crate::law::{Process, Solution};
use crate::lcp::mixed::MAX_ROUNDS;
use crate::lcp::{Cells, ModeTable};
use crate::real::Real;

/// Most contacts the GPU kernels are built for.
pub const MAX_CONTACTS: usize = 12;

/// Most samples of one dispatch: on hardware enough to keep it busy for as long as a submission takes.
const SOFTWARE_CHUNK: u64 = 1 << 17;
const HARDWARE_CHUNK: u64 = 1 << 20;

/// Most contacts of the iterated mixed form: one step must stay within the rounds of a thread.
pub const MAX_MIXED: usize = 5;

/// Most workgroups of one dispatch.
const MAX_GROUPS: u64 = 65_535;

/// Most bytes that dictionaries, or the numbers of samples of an inclusion, take.
const MAX_DICTIONARY_BYTES: u64 = 96 << 20;

/// Steps of at most this many unknowns are solved by a thread each, larger ones by a workgroup where there is hardware.
const SMALL_LCP: usize = 40;

/// Rounds that a thread may spend in loops within one dispatch. lavapipe ends every loop of a thread after
/// 65 535 rounds in all, without a word; on hardware the bound keeps a dispatch short of the watchdog.
const SOFTWARE_ROUNDS: usize = 60_000;
const HARDWARE_ROUNDS: usize = 1_000_000;

/// What a kernel reads.
struct Inputs<R> {
    /// The problem's numbers; of several, one after the other.
    numbers: Vec<R>,
    /// What steps are solved with, unless that is Lemke's method.
    tables: Option<Buffers<R>>,
    /// With limits and where tables lie.
    uniform: RunUniform,
    /// One of each of several problems.
    places: Vec<Place>,
    /// Columns of the noise of an inclusion.
    columns: usize,
}

impl<'a> Kernel<'a> {
    /// Builds the kernel for a bound problem and uploads what is the same for all samples.
    ///
    /// # Errors
    /// More contacts than [`MAX_CONTACTS`], f64 on an adapter without it, a device that reports trouble.
    pub fn new<R: Real>(gpu: &'a Gpu, bound: &Process<R>, seed: u64) -> Result<Self> {
        Self::with_kind(gpu, bound, seed, kind_of(gpu, bound))
    }

    /// The same with a table of one's choice, which may have cells.
    ///
    /// # Errors
    /// Those of [`Kernel::new`].
    pub fn with_regions<R: Real>(
        gpu: &'a Gpu,
        bound: &Process<R>,
        seed: u64,
        regions: &Regions<'_, R>,
    ) -> Result<Self> {
        let kind = match regions.cells {
            None => KernelKind::Table,
            Some(cells) if cells.single() => KernelKind::Unique,
            Some(_) => KernelKind::Listed,
        };
        Self::of_one(gpu, bound, seed, kind, Some(*regions))
    }

    /// The same with a kernel of one's choice. What the iterated mixed form cannot solve ends unsolved; of several
    /// solutions of a step it finds one.
    ///
    /// # Errors
    /// Those of [`Kernel::new`]; a table where the law has none, more contacts than [`MAX_MIXED`] in mixed form.
    pub fn with_kind<R: Real>(gpu: &'a Gpu, bound: &Process<R>, seed: u64, kind: KernelKind) -> Result<Self> {
        let table = bound.table().filter(|_| kind == KernelKind::Table);
        if matches!(kind, KernelKind::Unique | KernelKind::Listed | KernelKind::Statistics)
            || kind == KernelKind::Table && table.is_none()
        {
            return Err(Error::usage("the law brings no table for this kernel"));
        }
        let regions = table.map(|table| Regions { table, cells: None, unique: false });
        Self::of_one(gpu, bound, seed, kind, regions)
    }

    fn of_one<R: Real>(
        gpu: &'a Gpu,
        bound: &Process<R>,
        seed: u64,
        kind: KernelKind,
        regions: Option<Regions<'_, R>>,
    ) -> Result<Self> {
        let columns = noise_columns(&[bound]);
        let mut numbers = problem_buffer(bound, columns);
        let mut uniform = RunUniform {
            max_steps: bound.space().max_steps.min(MAX_STEPS),
            budget: budget(gpu, bound, kind, regions.map(|regions| regions.table)),
            ..RunUniform::default()
        };
        let tables = regions.map(|regions| {
            let layout = Layout::new(bound.space().step.contacts, bound.space().step.axes);
            numbers[layout.tolerance] = regions.table.tolerance;
            numbers[layout.edge] = regions.edge();
            regions.buffers(&bound.space().step, &mut uniform)
        });
        Self::build(gpu, bound, seed, kind, Inputs { numbers, tables, uniform, places: Vec::new(), columns })
    }

    /// The kernel for several bound problems of one shape, `samples` of each: sample number i is of problem
    /// i / samples. Problems with the same table share it.
    ///
    /// # Errors
    /// Those of [`Kernel::new`]; more than 2^32 samples in all.
    pub fn of_many<R: Real>(gpu: &'a Gpu, bounds: &[&Process<R>], seed: u64, samples: u32) -> Result<Self> {
        let Some(&first) = bounds.first() else { return Err(Error::usage("at least one problem")) };
        if bounds.len() as u64 * u64::from(samples) > u64::from(u32::MAX) {
            return Err(Error::usage("a batch on a GPU has at most 2^32 samples").at("--samples"));
        }
        let kind = kind_of(gpu, first);
        let mut tables = Buffers::default();
        let mut known: HashMap<(&[u8], &[u8]), Place> = HashMap::new();
        let mut uniform = RunUniform { samples, budget: u32::MAX, ..RunUniform::default() };
        let mut places = Vec::new();
        for bound in bounds {
            let mut place = Place::default();
            if let Some(table) = bound.table() {
                let key = (bytemuck::cast_slice(&table.conditions), bytemuck::cast_slice(&table.impulses));
                place =
                    *known.entry(key).or_insert_with(|| tables.append(table, bound.space().step.contacts));
            }
            uniform.budget = uniform.budget.min(budget(gpu, bound, kind, bound.table()));
            places.push(Place { max_steps: bound.space().max_steps.min(MAX_STEPS), ..place });
        }
        let columns = noise_columns(bounds);
        let numbers = numbers_of(bounds, columns);
        let inputs = Inputs { numbers, tables: Some(tables), uniform, places, columns };
        Self::build(gpu, first, seed, kind, inputs)
    }

    /// Takes over new velocities of the problems that [`Kernel::of_many`] was built for.
    pub fn set_velocities<R: Real>(&self, bounds: &[&Process<R>]) {
        let numbers = numbers_of(bounds, noise_columns(bounds));
        self.gpu.queue.write_buffer(&self.problem, 0, bytemuck::cast_slice(&numbers));
    }

    fn build<R: Real>(
        gpu: &'a Gpu,
        bound: &Process<R>,
        seed: u64,
        kind: KernelKind,
        inputs: Inputs<R>,
    ) -> Result<Self> {
        let Inputs { numbers, tables, mut uniform, places, columns } = inputs;
        let many = !places.is_empty();
        let (m, k) = (bound.space().step.contacts, bound.space().step.width());
        let double = R::EPSILON <= f64::EPSILON;
        let most = if kind == KernelKind::Mixed { MAX_MIXED } else { MAX_CONTACTS };
        if m > most {
            return Err(Error::device(format!("{m} contacts; this GPU kernel takes up to {most}"))
                .at("--device")
                .hint("run with --device cpu, which takes any number"));
        }
        let n = bound.space().step.lcp_size();
        if kind == KernelKind::Shared && !shareable(gpu, bound) {
            return Err(Error::device(format!(
                "a dictionary of {n} unknowns does not fit into a workgroup of {}",
                gpu.report.name
            )));
        }
        let pivots = matches!(kind, KernelKind::Pivot | KernelKind::Shared);
        if pivots && pivot_rounds(n) > rounds(gpu) {
            let axes = bound.space().step.axes;
            return Err(Error::device(format!(
                "{m} contacts with {} facets make steps of {n} unknowns; {} takes no more in one dispatch",
                2 * axes,
                gpu.report.name
            ))
            .at("--facets")
            .hint("take fewer facets, or run with --device cpu"));
        }
        if double && !gpu.report.f64 {
            return Err(Error::device(format!("{} has no f64 in shaders", gpu.report.name))
                .at("--precision")
                .hint("run with --precision f32, or with --device cpu"));
        }
        let key =
            KernelKey { kind, contacts: m, axes: bound.space().step.axes, double, many, noise: columns };
        let pipeline = gpu.pipeline(key)?;
        let size = size_of::<R>() as u64;
        let limit = gpu.report.storage_buffer_bytes;
        let per_sample = match kind {
            _ if pivots => (n * (n + 2)) as u64 * size,
            KernelKind::Inclusion => course_numbers(m, k) as u64 * size,
            _ => k as u64 * size,
        };
        let keeps = pivots || kind == KernelKind::Inclusion;
        let most = if keeps { limit.min(MAX_DICTIONARY_BYTES) } else { limit };
        let workgroup = u64::from(WORKGROUP);
        let samples = match kind {
            KernelKind::Shared => MAX_GROUPS,
            _ if gpu.report.is_hardware() => HARDWARE_CHUNK,
            _ => SOFTWARE_CHUNK,
        };
        let chunk = (most / per_sample).min(samples) / workgroup * workgroup;
        if chunk == 0 {
            return Err(Error::device(format!(
                "{} has too little memory for one workgroup",
                gpu.report.name
            ))
            .at("--device")
            .hint("run with --device cpu"));
        }
        let storage = |label: &str, bytes: u64| {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: bytes.max(16),
                usage: wgpu::BufferUsages::STORAGE
                    | wgpu::BufferUsages::COPY_SRC
                    | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        };
        // Not created mapped: that would panic on a lost device.
        let upload = |label: &str, contents: &[u8], usage: wgpu::BufferUsages| {
            let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: contents.len() as u64,
                usage: usage | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            gpu.queue.write_buffer(&buffer, 0, contents);
            buffer
        };
        let readable = |label: &str, bytes: u64| {
            let read = gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: bytes.max(16),
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            (storage(label, bytes), read)
        };
        uniform.seed = [seed as u32, (seed >> 32) as u32];
        uniform.lcp_size = n as u32;
        let rates = bound.rates();
        uniform.persist = rates.map_or(1, |rates| rates.persist);
        uniform.coverage = u32::from(rates.is_some_and(|rates| rates.sampler == Sampler::Coverage));
        uniform.random_covering = u32::from(bound.solution() == Solution::Random);
        (uniform.contacts, uniform.rows) = (m as u32, k as u32);
        if let Process::Inclusion(inclusion) = bound {
            uniform.poisson = u32::from(inclusion.poisson);
        }
        uniform.threads = chunk as u32;
        let (constant, stored) = (wgpu::BufferUsages::UNIFORM, wgpu::BufferUsages::STORAGE);
        let mut located = Vec::new();
        let between = match (kind, tables) {
            (KernelKind::Pivot | KernelKind::Shared, _) => vec![
                storage("dictionaries", chunk * per_sample),
                storage("indices", chunk * (4 * n as u64 + 5) * 4),
            ],
            (KernelKind::Inclusion, _) => vec![
                storage("numbers", chunk * per_sample),
                storage("marks", chunk * course_marks(m) as u64 * 4),
            ],
            (KernelKind::Table | KernelKind::Unique | KernelKind::Listed, Some(tables)) => {
                let Buffers { spans, maps, planes, cells } = tables;
                if !many {
                    located.push(upload("planes", bytemuck::cast_slice(&planes), constant));
                    located.push(upload("cells", bytemuck::cast_slice(&cells), constant));
                }
                vec![
                    upload("spans", bytemuck::cast_slice(&spans), stored),
                    upload("maps", bytemuck::cast_slice(&maps), stored),
                ]
            }
            _ => Vec::new(),
        };
        if many {
            located.push(upload("places", bytemuck::cast_slice(&places), stored));
        }
        let usage = if key.stored() { stored } else { constant };
        let problem = upload("problem", bytemuck::cast_slice(&numbers), usage);
        let uniform_buffer = upload("run", bytemuck::bytes_of(&uniform), wgpu::BufferUsages::UNIFORM);
        let state = chunk * k as u64 * size;
        let velocities = storage("velocities", state);
        let results = [readable("impulses", state), readable("endings", chunk * 8), readable("remaining", 4)];
        let ends = [&velocities, &results[0].0, &results[1].0, &results[2].0];
        let entries: Vec<wgpu::BindGroupEntry<'_>> = [&uniform_buffer, &problem]
            .into_iter()
            .chain(&between)
            .enumerate()
            .chain((4..).zip(ends.into_iter().chain(&located)))
            .filter(|&(i, _)| {
                !(i == 2 && kind == KernelKind::Unique || i > 7 && kind == KernelKind::Table && !many)
            })
            .map(|(i, buffer)| wgpu::BindGroupEntry {
                binding: i as u32,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        let bind_group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("sample"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        gpu.check()?;
        Ok(Kernel {
            gpu,
            pipeline,
            uniform,
            uniform_buffer,
            problem,
            bind_group,
            results,
            width: k as u64,
            group: if kind == KernelKind::Shared { 1 } else { WORKGROUP },
            chunk,
        })
    }
}

/// The kernel for what the law brings.
fn kind_of<R: Real>(gpu: &Gpu, bound: &Process<R>) -> KernelKind {
    match bound {
        Process::RandomOrder(order) if order.strike == Strike::Impact => KernelKind::Impacts,
        Process::RandomOrder(_) => KernelKind::Reflections,
        Process::Inclusion(_) => KernelKind::Inclusion,
        _ if bound.table().is_some() => KernelKind::Table,
        _ if gpu.report.is_hardware()
            && bound.space().step.lcp_size() > SMALL_LCP
            && shareable(gpu, bound) =>
        {
            KernelKind::Shared
        }
        _ => KernelKind::Pivot,
    }
}

/// Whether a dictionary fits into the memory of a workgroup.
fn shareable<R: Real>(gpu: &Gpu, bound: &Process<R>) -> bool {
    let n = bound.space().step.lcp_size();
    n * (n + 2) * size_of::<R>() + (4 * n + 2) * size_of::<u32>()
        <= gpu.report.workgroup_memory_bytes as usize
}

fn numbers_of<R: Real>(bounds: &[&Process<R>], columns: usize) -> Vec<R> {
    bounds.iter().flat_map(|bound| problem_buffer(bound, columns)).collect()
}

/// The most columns that the noise of the velocity has.
fn noise_columns<R: Real>(bounds: &[&Process<R>]) -> usize {
    let columns = |bound: &&Process<R>| match bound {
        Process::Inclusion(inclusion) => inclusion.numbers.noise.len() / inclusion.space.step.width().max(1),
        _ => 0,
    };
    bounds.iter().map(columns).max().unwrap_or(0)
}

/// Rounds that a thread may spend in one dispatch.
fn rounds(gpu: &Gpu) -> usize {
    if gpu.report.is_hardware() { HARDWARE_ROUNDS } else { SOFTWARE_ROUNDS }
}

/// Rounds of one pivot, or of setting up the dictionary, of a problem of size `n`.
fn pivot_rounds(n: usize) -> usize {
    2 * n * (n + 2) + 8 * n
}

/// Steps (table), pivots, or rounds of modes of one dispatch: as many as surely stay within the rounds a thread may
/// spend.
fn budget<R: Real>(gpu: &Gpu, bound: &Process<R>, kind: KernelKind, table: Option<&ModeTable<R>>) -> u32 {
    let m = bound.space().step.contacts;
    let k = bound.space().step.width();
    let x = k + m;
    let most = rounds(gpu);
    let cells = Cells::PLANES * (x + 1) + Cells::CELLS;
    let (spans, conditions) = table.map_or((0, 0), |t| (t.spans.len(), t.conditions.len() / x));
    let scan = spans + conditions * (x + 1);
    let coverage = bound.rates().is_some_and(|rates| rates.sampler == Sampler::Coverage);
    let draws = if coverage { (SUBSETS as usize + 1) * (m + 1) } else { 0 };
    let budget = match kind {
        KernelKind::Table => {
            let insert = k + most_solutions(m) * (k + 2);
            let candidates = most_solutions(m).pow(2).min(spans);
            most / (scan + candidates * (k * (x + k + 2) + 2 * m + insert) + 4 * k + draws)
        }
        KernelKind::Unique => most / (cells + 4 * k * (x + k) + draws),
        KernelKind::Listed => most / (cells + scan + 4 * spans + 16 * x + 4 * k * (x + k) + draws),
        KernelKind::Pivot | KernelKind::Shared => most / pivot_rounds(bound.space().step.lcp_size()),
        KernelKind::Impacts | KernelKind::Reflections => most / (2 * (m + k) + m + k + 4),
        KernelKind::Inclusion => {
            let axes = bound.space().step.axes;
            let sweeps = SWEEPS as usize * (1 + m * (1 + axes * (1 + k)));
            // Forces and the end of a substep; the beginning of a block.
            most / (sweeps + 2 * k * (k + 1) + 24 * k + 40 * m + 64)
        }
        KernelKind::Mixed | KernelKind::Statistics => {
            let elimination = k * (k + 1) + k * (2 * k + 1 + k * (k + 1)) + k;
            let round = 2 * m + k * 2 * k + elimination + k + k * (k + 1);
            // A step takes one round and its sweep at least, MAX_ROUNDS and its check at most.
            (most / (round + 4 * k * k)).saturating_sub(MAX_ROUNDS)
        }
    };
    budget.max(1) as u32
}
