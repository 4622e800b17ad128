//! Statistics reduced on the device: only statistics, and the numbers of flagged samples, are
//! copied back.

use std::time::Instant;

use rayon::prelude::*;

use super::memory::{Pending, gather};
use super::{Gpu, Kernel};
use crate::doubt::{DeviceSample, SpotChecks};
use crate::run::Plan;
use carom_core::contact_space::ContactSpace;
use carom_core::error::{Error, Result};
use carom_core::real::Real;
use carom_core::rng::Stream;
use carom_core::status::Status;
use carom_law::{Ending, Process, ProcessKind};
use carom_shaders::kernels::statistics::{COUNT_FLAGGED, ChunkUniform, SAMPLES, STATISTICS};
use carom_shaders::tally::{Reduced, Tally};
use carom_shaders::{DeviceStatistics, Inputs, Raw, StatisticsSpec};

/// Most rounds in one submission. At the target time of dispatches they take less than a second;
/// some drivers abort longer submissions.
const MOST_ROUNDS: u32 = 16;
/// Samples in one task of recomputation and summation.
const REPAIRED: usize = 256;

/// The reduction that follows a kernel's rounds.
#[derive(Debug)]
struct Pass {
    uniform: wgpu::Buffer,
    bind_group: wgpu::BindGroup,
    partials: wgpu::Buffer,
    counters: wgpu::Buffer,
    flagged: wgpu::Buffer,
    read: wgpu::Buffer,
}

struct Submitted {
    slot: usize,
    first: u64,
    count: u32,
    rounds: u32,
    results: Pending,
}

/// A run whose statistics alone are copied back. Two kernels take turns, so that one computes while
/// the other's statistics are read.
#[derive(Debug)]
pub struct Reduction<'a, R> {
    kernels: [Kernel<'a>; 2],
    pipeline: wgpu::ComputePipeline,
    passes: [Pass; 2],
    tally: Tally<'a, R>,
    /// Number of rounds that sufficed for all earlier chunks.
    rounds: u32,
    last: Instant,
    /// Bytes of the counters, of the flagged samples always read, and of the partial results.
    bytes: [u64; 3],
    /// The selection of samples that are copied back for the cross-check.
    choice: Option<SpotChecks>,
    chosen: Vec<DeviceSample<R>>,
}

impl<'a, R: Real> Reduction<'a, R> {
    /// The reduction of the samples that the kernel of a process computes.
    pub fn new(
        kernel: Kernel<'a>,
        process: &'a Process<R>,
        spec: &'a StatisticsSpec,
    ) -> Result<Self> {
        let gpu = kernel.gpu;
        let kernels = [kernel.twin()?, kernel];
        let [Kernel { common, .. }, _] = &kernels;
        let (residual, kind) = (process.most_residual::<R>(), process.kind());
        let tally = Tally::new(process.space(), spec, residual, kind);
        let pipeline = gpu.pipeline(&STATISTICS, &common.shape)?;
        let [counters, partials] = tally.sizes(common.chunk);
        let bytes = [
            (counters * size_of::<u32>()) as u64,
            (common.chunk / 32 * 4).max(4),
            (partials * size_of::<R>()) as u64,
        ];
        let forms =
            gpu.upload("forms", bytemuck::cast_slice(&tally.numbers), wgpu::BufferUsages::STORAGE);
        let passes = kernels.each_ref().map(|kernel| {
            let uniform =
                gpu.buffer("chunk", size_of::<ChunkUniform>() as u64, wgpu::BufferUsages::UNIFORM);
            let counters = gpu.storage("counters", bytes[0]);
            let partials = gpu.storage("partials", bytes[2]);
            let flagged = gpu.storage("flagged", common.chunk * 4);
            let row = 8 + kernel.row_bytes().next_multiple_of(8);
            let rows = SpotChecks::most(common.chunk) * row;
            let room = bytes.iter().map(|size| size.next_multiple_of(8)).sum::<u64>() + 16 + rows;
            let read = gpu.buffer("statistics", room, wgpu::BufferUsages::MAP_READ);
            let Kernel { impulses, endings, .. } = kernel;
            let given = [&uniform, &common.problem, impulses, endings, &forms];
            let buffers = given.into_iter().chain([&partials, &counters, &flagged]);
            let bind_group = gpu.bind(&pipeline, (0..).zip(buffers));
            Pass { uniform, bind_group, partials, counters, flagged, read }
        });
        gpu.check()?;
        let (last, choice, chosen) = (Instant::now(), None, Vec::new());
        Ok(Reduction { kernels, pipeline, passes, tally, rounds: 1, last, bytes, choice, chosen })
    }

    /// Selects samples for copying back in later runs.
    pub fn choose(&mut self, choice: SpotChecks) {
        self.choice = Some(choice);
    }

    /// The samples copied back since the last call.
    pub fn chosen(&mut self) -> Vec<DeviceSample<R>> {
        std::mem::take(&mut self.chosen)
    }

    /// The samples of a chunk that are copied back, by their number in it.
    fn picked(&self, first: u64, count: u32) -> Vec<u64> {
        let range = first..first + u64::from(count);
        let all = self.choice.into_iter().flat_map(|choice| choice.within(range.clone()));
        all.map(|sample| sample - first).collect()
    }

    /// The statistics of samples `first .. first + count`.
    pub fn run(
        &mut self,
        first: u64,
        count: u64,
        stopped: impl Fn() -> bool,
    ) -> Result<DeviceStatistics> {
        let mut statistics = self.tally.none();
        statistics.samples = count;
        let mut slot = 0;
        self.last = Instant::now();
        let mut under_way: Option<Submitted> = None;
        for part in self.kernels[0].parts(first, count).map(Some).chain([None]) {
            let submitted = part.map(|(next, count)| {
                let count = count as u32;
                self.kernels[slot].begin(next, count);
                let submitted = self.submit(slot, next, count);
                slot = 1 - slot;
                submitted
            });
            if let Some(earlier) = std::mem::replace(&mut under_way, submitted) {
                self.collect(earlier, &mut statistics, &stopped)?;
            }
        }
        Ok(statistics)
    }

    /// Submits the rounds of a chunk, its reduction and the copy of the results.
    fn submit(&mut self, slot: usize, first: u64, count: u32) -> Submitted {
        let gpu = self.kernels[slot].gpu;
        let mut encoder =
            gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        for _ in 0..self.rounds {
            self.kernels[slot].round(&mut encoder);
        }
        let (kernel, pass) = (&self.kernels[slot], &self.passes[slot]);
        let uniform = self.tally.uniform(count);
        gpu.queue.write_buffer(&pass.uniform, 0, bytemuck::bytes_of(&uniform));
        encoder.clear_buffer(&pass.counters, 0, None);
        {
            let mut compute = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            compute.set_pipeline(&self.pipeline);
            compute.set_bind_group(0, &pass.bind_group, &[]);
            compute.dispatch_workgroups(count.div_ceil(SAMPLES), 1, 1);
        }
        let [counters, flagged, partials] = self.bytes;
        let copies = [
            (&kernel.remaining, 4),
            (&pass.counters, counters),
            (&pass.flagged, flagged),
            (&pass.partials, partials),
        ];
        let mut bytes = gather(&mut encoder, &copies, &pass.read);
        let row = kernel.row_bytes();
        for i in self.picked(first, count) {
            let at = bytes.next_multiple_of(8);
            encoder.copy_buffer_to_buffer(&kernel.endings, 8 * i, &pass.read, at, 8);
            encoder.copy_buffer_to_buffer(&kernel.impulses, row * i, &pass.read, at + 8, row);
            bytes = at + 8 + row;
        }
        let after = gpu.queue.submit([encoder.finish()]);
        let results = gpu.request(&pass.read, bytes, after);
        Submitted { slot, first, count, rounds: self.rounds, results }
    }

    /// Adds the results of a chunk once they arrive; submits more rounds for unfinished samples.
    fn collect(
        &mut self,
        mut chunk: Submitted,
        to: &mut DeviceStatistics,
        stopped: &impl Fn() -> bool,
    ) -> Result<()> {
        loop {
            let Submitted { slot, first, count, rounds, results } = chunk;
            let bytes = self.kernels[slot].gpu.receive(results)?;
            // The device computes one chunk after the other, although others are submitted too.
            let now = Instant::now();
            let seconds = now.duration_since(std::mem::replace(&mut self.last, now)).as_secs_f64();
            let used_up = bytes[..4] != [0; 4];
            for kernel in &mut self.kernels {
                kernel.pace.took(seconds / f64::from(rounds), used_up);
            }
            if stopped() {
                return Err(Error::interrupted());
            }
            if !used_up {
                let reduced = self.read(slot, first, count, &bytes)?;
                self.tally.add_chunk(to, &reduced);
                return Ok(());
            }
            self.rounds = (2 * self.rounds).min(MOST_ROUNDS);
            chunk = self.submit(slot, first, count);
        }
    }

    /// The results of a chunk, from the bytes copied back.
    fn read(&mut self, slot: usize, first: u64, count: u32, bytes: &[u8]) -> Result<Reduced<R>> {
        let mut at = 8;
        let [counters, flagged, partials] = self.bytes.map(|size| {
            let part = &bytes[at..at + size as usize];
            at = (at + size as usize).next_multiple_of(8);
            part
        });
        let row = self.kernels[slot].row_bytes() as usize;
        for i in self.picked(first, count) {
            let (ending, impulse) = bytes[at..at + 8 + row].split_at(8);
            let Raw { endings, impulses } = Raw::read(ending, impulse);
            let (sample, ending) = (first + i, endings[0]);
            self.chosen.push(DeviceSample { sample, ending, impulse: impulses });
            at = (at + 8 + row).next_multiple_of(8);
        }
        let counters: Vec<u32> = bytemuck::pod_collect_to_vec(counters);
        let mut flagged: Vec<u32> = bytemuck::pod_collect_to_vec(flagged);
        let many = counters[COUNT_FLAGGED] as usize;
        if many > flagged.len() {
            let Kernel { gpu, read, .. } = &self.kernels[slot];
            let all = gpu.copy_back(&[(&self.passes[slot].flagged, 4 * many as u64)], read)?;
            flagged = bytemuck::pod_collect_to_vec(&all);
        }
        flagged.truncate(many);
        let partials = bytemuck::pod_collect_to_vec(partials);
        Ok(Reduced { first, count, counters, flagged, partials })
    }
}

/// Recomputes the flagged samples of `process` in f64 and adds them; returns their number. Rest has
/// the threshold of `process`. `solved` holds samples that a device with f64 has recomputed; the
/// host recomputes the others.
pub fn repair<R: Real>(
    statistics: &mut DeviceStatistics,
    process: &Process<R>,
    reference: &Process<f64>,
    spec: &StatisticsSpec,
    plan: &Plan,
    solved: Option<&Raw<f64>>,
) -> u64 {
    let rest = process.space().rest.iter().map(|rest| rest.to_f64()).collect();
    let counted = ContactSpace { rest, ..reference.space().clone() };
    let kind = process.kind();
    let tally = Tally::new(&counted, spec, process.most_residual::<R>(), kind);
    let width = reference.space().step.width();
    let most = reference.most_residual::<f64>();
    let sound =
        |ending: &Ending<f64>| ending.status == Status::Terminated && ending.residual <= most;
    let flagged = std::mem::take(&mut statistics.flagged);
    let count = flagged.len() as u64;
    // Parts of one size are added in their order: the sums do not depend on the number of
    // threads.
    let parts: Vec<DeviceStatistics> = flagged
        .par_chunks(REPAIRED)
        .enumerate()
        .map_init(
            || plan.workspace(reference),
            |work, (chunk, samples)| {
                let mut part = tally.none();
                for (i, &sample) in samples.iter().enumerate() {
                    let i = chunk * REPAIRED + i;
                    let (ending, l) = match solved.filter(|solved| sound(&solved.endings[i])) {
                        Some(solved) => {
                            (solved.endings[i], &solved.impulses[i * width..(i + 1) * width])
                        }
                        None => {
                            let stream = Stream::new(plan.seed, sample);
                            let mut ending = reference.sample(&stream, work);
                            let failed = matches!(ending.status, Status::Unsolved | Status::Budget);
                            if kind == ProcessKind::Inclusion && (failed || ending.residual > most)
                            {
                                ending = reference.sample_again(&stream, work);
                            }
                            (ending, work.total())
                        }
                    };
                    tally.add(&mut part, sample, ending, l, true);
                }
                part
            },
        )
        .collect();
    parts.iter().for_each(|part| statistics.merge(part));
    count
}

/// Most samples of one dispatch.
const CHUNK: u64 = 1 << 17;

/// A kernel in f64 for listed samples.
#[derive(Debug)]
pub struct Repairer<'a>(Kernel<'a>);

impl<'a> Repairer<'a> {
    /// Builds the kernel for the samples of a process.
    pub fn new(gpu: &'a Gpu, reference: &Process<f64>, seed: u64) -> Result<Self> {
        let mut inputs = Inputs::new(reference, seed, &gpu.report.limits())?;
        inputs.shape.listed = true;
        inputs.chunk = inputs.chunk.min(CHUNK);
        Ok(Repairer(Kernel::with_inputs(gpu, &inputs)?))
    }

    /// Computes the samples with these sorted numbers.
    pub fn solve(&mut self, samples: &[u64], stopped: impl Fn() -> bool) -> Result<Raw<f64>> {
        let kernel = &mut self.0;
        let mut all = Raw { endings: Vec::new(), impulses: Vec::new() };
        let mut left = samples;
        while let Some(&first) = left.first() {
            // A dispatch takes as many samples as fit, within a range of 2^32 numbers.
            let near = left.partition_point(|sample| sample - first <= u64::from(u32::MAX));
            let (part, rest) = left.split_at(near.min(kernel.chunk() as usize));
            let list: Vec<u32> = part.iter().map(|sample| (sample - first) as u32).collect();
            kernel.list(&list);
            let next = kernel.dispatch::<f64>(first, part.len() as u64, &stopped)?;
            all.endings.extend(next.endings);
            all.impulses.extend(next.impulses);
            left = rest;
        }
        Ok(all)
    }
}
