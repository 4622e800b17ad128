//! A kernel bound to a problem: upload once, then dispatch and read back, chunk by chunk.

use std::collections::HashMap;
use std::sync::mpsc;

use super::device::{Gpu, lock};
use super::layout::{Layout, Place, RunUniform, problem_buffer};
use super::regions::{Buffers, Regions};
use super::source::{KernelKey, KernelKind, WORKGROUP, most_solutions};
use crate::error::{Error, Result};
use crate::law::routh::{Bound, Ending, Solution};
use crate::lcp::mixed::MAX_ROUNDS;
use crate::lcp::{Cells, ModeTable};
use crate::real::Real;
use crate::status::Status;

/// Most contacts the GPU kernels are built for.
pub const MAX_CONTACTS: usize = 12;

/// Most samples of one dispatch: on hardware enough to keep it busy for as long as a submission takes.
const SOFTWARE_CHUNK: u64 = 1 << 17;
const HARDWARE_CHUNK: u64 = 1 << 20;

/// Most contacts of the iterated mixed form: one step must stay within the rounds of a thread.
pub const MAX_MIXED: usize = 5;

/// Most bytes a kernel's dictionaries take.
const MAX_DICTIONARY_BYTES: u64 = 96 << 20;

/// Rounds that a thread may spend in loops within one dispatch. lavapipe ends every loop of a thread after
/// 65 535 rounds in all, without a word; on hardware the bound keeps a dispatch short of the watchdog.
const SOFTWARE_ROUNDS: usize = 60_000;
const HARDWARE_ROUNDS: usize = 1_000_000;

/// Steps that fit beside the status in a word.
const MAX_STEPS: u32 = (1 << 28) - 1;

/// What a dispatch leaves of each sample: how it ended, and its dimensionless impulse (2m).
#[derive(Clone, Debug)]
pub struct Raw<R> {
    /// How each sample ended (N).
    pub endings: Vec<Ending<R>>,
    /// Total impulses (N,2m).
    pub impulses: Vec<R>,
}

/// A sampling kernel, ready to run.
#[derive(Debug)]
pub struct Kernel<'a> {
    pub(super) gpu: &'a Gpu,
    pipeline: wgpu::ComputePipeline,
    uniform: RunUniform,
    uniform_buffer: wgpu::Buffer,
    problem: wgpu::Buffer,
    bind_group: wgpu::BindGroup,
    /// Impulses, endings, samples under way: (on the device, for reading).
    pub(super) results: [(wgpu::Buffer, wgpu::Buffer); 3],
    chunk: u64,
}

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
}

impl<'a> Kernel<'a> {
    /// Builds the kernel for a bound problem and uploads what is the same for all samples.
    ///
    /// # Errors
    /// More contacts than [`MAX_CONTACTS`], f64 on an adapter without it, a device that reports trouble.
    pub fn new<R: Real>(gpu: &'a Gpu, bound: &Bound<R>, seed: u64) -> Result<Self> {
        let kind = if bound.table.is_some() { KernelKind::Table } else { KernelKind::Pivot };
        Self::with_kind(gpu, bound, seed, kind)
    }

    /// The same with a table of one's choice, which may have cells.
    ///
    /// # Errors
    /// Those of [`Kernel::new`].
    pub fn with_regions<R: Real>(
        gpu: &'a Gpu,
        bound: &Bound<R>,
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
    pub fn with_kind<R: Real>(gpu: &'a Gpu, bound: &Bound<R>, seed: u64, kind: KernelKind) -> Result<Self> {
        let table = bound.table.as_ref().filter(|_| kind == KernelKind::Table);
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
        bound: &Bound<R>,
        seed: u64,
        kind: KernelKind,
        regions: Option<Regions<'_, R>>,
    ) -> Result<Self> {
        let mut numbers = problem_buffer(bound);
        let mut uniform = RunUniform {
            max_steps: bound.max_steps.min(MAX_STEPS),
            budget: budget(gpu, bound, kind, regions.map(|regions| regions.table)),
            ..RunUniform::default()
        };
        let tables = regions.map(|regions| {
            let layout = Layout::new(bound.step.contacts);
            numbers[layout.tolerance] = regions.table.tolerance;
            numbers[layout.edge] = regions.edge();
            regions.buffers(&bound.step, &mut uniform)
        });
        Self::build(gpu, bound, seed, kind, Inputs { numbers, tables, uniform, places: Vec::new() })
    }

    /// The kernel for several bound problems of one shape, `samples` of each: sample number i is of problem
    /// i / samples. Problems with the same table share it.
    ///
    /// # Errors
    /// Those of [`Kernel::new`]; more than 2^32 samples in all.
    pub fn of_many<R: Real>(gpu: &'a Gpu, bounds: &[&Bound<R>], seed: u64, samples: u32) -> Result<Self> {
        let Some(&first) = bounds.first() else { return Err(Error::usage("at least one problem")) };
        if bounds.len() as u64 * u64::from(samples) > u64::from(u32::MAX) {
            return Err(Error::usage("a batch on a GPU has at most 2^32 samples").at("--samples"));
        }
        let kind = if first.table.is_some() { KernelKind::Table } else { KernelKind::Pivot };
        let mut tables = Buffers::default();
        let mut known: HashMap<(&[u8], &[u8]), Place> = HashMap::new();
        let mut uniform = RunUniform { samples, budget: u32::MAX, ..RunUniform::default() };
        let mut places = Vec::new();
        for bound in bounds {
            let mut place = Place::default();
            if let Some(table) = &bound.table {
                let key = (bytemuck::cast_slice(&table.conditions), bytemuck::cast_slice(&table.impulses));
                place = *known.entry(key).or_insert_with(|| tables.append(table, bound.step.contacts));
            }
            uniform.budget = uniform.budget.min(budget(gpu, bound, kind, bound.table.as_ref()));
            places.push(Place { max_steps: bound.max_steps.min(MAX_STEPS), ..place });
        }
        let numbers = numbers_of(bounds);
        Self::build(gpu, first, seed, kind, Inputs { numbers, tables: Some(tables), uniform, places })
    }

    /// Takes over new velocities of the problems that [`Kernel::of_many`] was built for.
    pub fn set_velocities<R: Real>(&self, bounds: &[&Bound<R>]) {
        self.gpu.queue.write_buffer(&self.problem, 0, bytemuck::cast_slice(&numbers_of(bounds)));
    }

    fn build<R: Real>(
        gpu: &'a Gpu,
        bound: &Bound<R>,
        seed: u64,
        kind: KernelKind,
        inputs: Inputs<R>,
    ) -> Result<Self> {
        let Inputs { numbers, tables, mut uniform, places } = inputs;
        let many = !places.is_empty();
        let m = bound.step.contacts;
        let double = R::EPSILON <= f64::EPSILON;
        let most = if kind == KernelKind::Mixed { MAX_MIXED } else { MAX_CONTACTS };
        if m > most {
            return Err(Error::device(format!("{m} contacts; this GPU kernel takes up to {most}"))
                .at("--device")
                .hint("run with --device cpu, which takes any number"));
        }
        if double && !gpu.report.f64 {
            return Err(Error::device(format!("{} has no f64 in shaders", gpu.report.name))
                .at("--precision")
                .hint("run with --precision f32, or with --device cpu"));
        }
        let key = KernelKey { kind, contacts: m, double, many };
        let pipeline = gpu.pipeline(key)?;
        let n = bound.step.lcp_size();
        let size = size_of::<R>() as u64;
        let limit = gpu.report.storage_buffer_bytes;
        let per_sample = match kind {
            KernelKind::Pivot => (n * (n + 2)) as u64 * size,
            _ => 2 * m as u64 * size,
        };
        let most = if kind == KernelKind::Pivot { limit.min(MAX_DICTIONARY_BYTES) } else { limit };
        let workgroup = u64::from(WORKGROUP);
        let samples = if gpu.report.is_hardware() { HARDWARE_CHUNK } else { SOFTWARE_CHUNK };
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
        uniform.random_covering = u32::from(bound.solution == Solution::Random);
        uniform.threads = chunk as u32;
        let (constant, stored) = (wgpu::BufferUsages::UNIFORM, wgpu::BufferUsages::STORAGE);
        let mut located = Vec::new();
        let between = match (kind, tables) {
            (KernelKind::Pivot, _) => vec![
                storage("dictionaries", chunk * per_sample),
                storage("indices", chunk * (4 * n as u64 + 5) * 4),
            ],
            (_, None) => Vec::new(),
            (_, Some(Buffers { spans, maps, planes, cells })) => {
                if !many {
                    located.push(upload("planes", bytemuck::cast_slice(&planes), constant));
                    located.push(upload("cells", bytemuck::cast_slice(&cells), constant));
                }
                vec![
                    upload("spans", bytemuck::cast_slice(&spans), stored),
                    upload("maps", bytemuck::cast_slice(&maps), stored),
                ]
            }
        };
        if many {
            located.push(upload("places", bytemuck::cast_slice(&places), stored));
        }
        let usage = if many { stored } else { constant };
        let problem = upload("problem", bytemuck::cast_slice(&numbers), usage);
        let uniform_buffer = upload("run", bytemuck::bytes_of(&uniform), wgpu::BufferUsages::UNIFORM);
        let state = chunk * 2 * m as u64 * size;
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
        Ok(Kernel { gpu, pipeline, uniform, uniform_buffer, problem, bind_group, results, chunk })
    }

    /// Most samples of one [`Kernel::dispatch`].
    pub fn chunk(&self) -> u64 {
        self.chunk
    }

    /// Computes samples `first .. first + count`, `count` up to [`Kernel::chunk`].
    ///
    /// # Errors
    /// A device that was lost or ran out of memory; [`ErrorKind::Interrupted`] once `stopped` says so.
    ///
    /// [`ErrorKind::Interrupted`]: crate::error::ErrorKind::Interrupted
    pub fn dispatch<R: Real>(
        &mut self,
        first: u64,
        count: u64,
        stopped: impl Fn() -> bool,
    ) -> Result<Raw<R>> {
        self.begin(first, count as u32);
        loop {
            self.round(count as u32);
            let remaining: Vec<u32> = bytemuck::pod_collect_to_vec(&self.read(2, 4)?);
            if remaining == [0] {
                break;
            }
            if stopped() {
                return Err(Error::interrupted());
            }
        }
        let width = 2 * self.uniform.lcp_size as u64 / 5 * size_of::<R>() as u64;
        let impulses = self.read(0, count * width)?;
        let endings: Vec<[u32; 2]> = bytemuck::pod_collect_to_vec(&self.read(1, count * 8)?);
        Ok(Raw {
            endings: endings
                .iter()
                .map(|&[word, residual]| Ending {
                    status: Status::from_code(word >> 28),
                    steps: word & MAX_STEPS,
                    residual: R::from_f64(f64::from(f32::from_bits(residual))),
                })
                .collect(),
            impulses: bytemuck::pod_collect_to_vec(&impulses),
        })
    }

    /// Computes samples `first .. first + count`, however many, dispatch by dispatch. See [`Kernel::dispatch`].
    ///
    /// # Errors
    /// Those of [`Kernel::dispatch`].
    pub fn dispatch_all<R: Real>(
        &mut self,
        first: u64,
        count: u64,
        stopped: impl Fn() -> bool,
    ) -> Result<Raw<R>> {
        let mut all = self.dispatch(first, count.min(self.chunk), &stopped)?;
        while (all.endings.len() as u64) < count {
            let done = all.endings.len() as u64;
            let next = self.dispatch(first + done, (count - done).min(self.chunk), &stopped)?;
            all.endings.extend(next.endings);
            all.impulses.extend(next.impulses);
        }
        Ok(all)
    }

    /// Lets the next round begin with samples `first .. first + count`.
    pub(super) fn begin(&mut self, first: u64, count: u32) {
        self.uniform.first = [first as u32, (first >> 32) as u32];
        self.uniform.count = count;
        self.uniform.fresh = 1;
    }

    /// Submits one dispatch: every sample advances by its budget.
    pub(super) fn round(&mut self, count: u32) {
        let gpu = self.gpu;
        gpu.queue.write_buffer(&self.uniform_buffer, 0, bytemuck::bytes_of(&self.uniform));
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.clear_buffer(&self.results[2].0, 0, None);
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, &self.bind_group, &[]);
            pass.dispatch_workgroups(count.div_ceil(WORKGROUP), 1, 1);
        }
        gpu.queue.submit([encoder.finish()]);
        self.uniform.fresh = 0;
    }

    /// The first `bytes` of a buffer of this kernel's, through its result buffer 0.
    pub(super) fn copy_back(&self, from: &wgpu::Buffer, bytes: u64) -> Result<Vec<u8>> {
        self.transfer(from, &self.results[0].1, bytes)
    }

    /// The first `bytes` of result buffer `i`, once the device has come to it.
    fn read(&self, i: usize, bytes: u64) -> Result<Vec<u8>> {
        let (device, read) = &self.results[i];
        self.transfer(device, read, bytes)
    }

    fn transfer(&self, device: &wgpu::Buffer, read: &wgpu::Buffer, bytes: u64) -> Result<Vec<u8>> {
        let gpu = self.gpu;
        let trouble = |what: &dyn std::fmt::Display| Error::device(format!("{}: {what}", gpu.report.name));
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(device, 0, read, 0, bytes);
        gpu.queue.submit([encoder.finish()]);
        let (sender, receiver) = mpsc::channel();
        read.slice(0..bytes).map_async(wgpu::MapMode::Read, move |result| {
            // The receiver outlives the callback; were it gone, nobody would miss the message.
            let _ = sender.send(result);
        });
        let poll = gpu.device.poll(wgpu::PollType::wait_indefinitely());
        gpu.check()?;
        poll.map_err(|e| trouble(&e))?;
        receiver.recv().map_err(|e| trouble(&e))?.map_err(|e| trouble(&e))?;
        let copy = read.slice(0..bytes).get_mapped_range().map(|view| view.to_vec());
        read.unmap();
        copy.map_err(|e| trouble(&e))
    }
}

fn numbers_of<R: Real>(bounds: &[&Bound<R>]) -> Vec<R> {
    bounds.iter().flat_map(|bound| problem_buffer(*bound)).collect()
}

/// Steps (table), pivots, or rounds of modes of one dispatch: as many as surely stay within the rounds a thread may
/// spend.
fn budget<R: Real>(gpu: &Gpu, bound: &Bound<R>, kind: KernelKind, table: Option<&ModeTable<R>>) -> u32 {
    let m = bound.step.contacts;
    let (k, x) = (2 * m, 3 * m);
    let most = if gpu.report.is_hardware() { HARDWARE_ROUNDS } else { SOFTWARE_ROUNDS };
    let cells = Cells::PLANES * (x + 1) + Cells::CELLS;
    let (spans, conditions) = table.map_or((0, 0), |t| (t.spans.len(), t.conditions.len() / x));
    let scan = spans + conditions * (x + 1);
    let budget = match kind {
        KernelKind::Table => {
            let insert = k + most_solutions(m) * (k + 2);
            let candidates = most_solutions(m).pow(2).min(spans);
            most / (scan + candidates * (k * (x + k + 2) + 2 * m + insert) + 4 * k)
        }
        KernelKind::Unique => most / (cells + 4 * k * (x + k)),
        KernelKind::Listed => most / (cells + scan + 4 * spans + 16 * x + 4 * k * (x + k)),
        KernelKind::Pivot => {
            let n = bound.step.lcp_size();
            most / (2 * n * (n + 2) + 8 * n)
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

impl Gpu {
    /// The pipeline of a kernel, built at its first use.
    pub(super) fn pipeline(&self, key: KernelKey) -> Result<wgpu::ComputePipeline> {
        let mut pipelines = lock(&self.pipelines);
        if let Some(pipeline) = pipelines.get(&key) {
            return Ok(pipeline.clone());
        }
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(key.entry_point()),
            source: wgpu::ShaderSource::Wgsl(key.source().into()),
        });
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(key.entry_point()),
            layout: None,
            module: &module,
            entry_point: Some(key.entry_point()),
            compilation_options: Default::default(),
            cache: None,
        });
        self.check()?;
        pipelines.insert(key, pipeline.clone());
        Ok(pipeline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::plan::Device;
    use crate::error::ErrorKind;
    use crate::law::Routh;
    use crate::problem::{ContactProblem, ProblemSpec};

    #[test]
    fn a_lost_device_is_an_error() -> Result<()> {
        let problem = ContactProblem::new(ProblemSpec {
            mass: vec![vec![1.0]],
            normal: vec![vec![1.0]],
            velocity: vec![-1.0],
            ..ProblemSpec::default()
        })?;
        let gpu = Gpu::open(&Device::Gpu)?.ok_or_else(|| Error::device("no adapter"))?;
        let bound = Routh::default().bind::<f32>(&problem)?;
        let mut kernel = Kernel::new(&gpu, &bound, 0)?;
        assert_eq!(kernel.dispatch::<f32>(0, 8, || false)?.endings.len(), 8);
        gpu.device.destroy();
        let error = kernel.dispatch::<f32>(0, 8, || false).map(|_| ()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Device, "{error}");
        assert!(Kernel::new(&gpu, &bound, 0).is_err());
        Ok(())
    }

    #[test]
    fn a_stopped_dispatch_says_so() -> Result<()> {
        // A wedge of opposite contacts that nothing ends: many dispatches, unless stopped.
        let problem = ContactProblem::new(ProblemSpec {
            mass: vec![vec![1.0]],
            normal: vec![vec![1.0], vec![-1.0]],
            velocity: vec![-1.0],
            ..ProblemSpec::default()
        })?;
        let gpu = Gpu::open(&Device::Gpu)?.ok_or_else(|| Error::device("no adapter"))?;
        let law = Routh { step: Some(1e-6), ..Routh::default() };
        let mut kernel = Kernel::new(&gpu, &law.bind::<f32>(&problem)?, 0)?;
        let error = kernel.dispatch::<f32>(0, 8, || true).map(|_| ()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Interrupted);
        Ok(())
    }
}
