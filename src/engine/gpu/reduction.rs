//! Statistics reduced on the device: only they, and the numbers of flagged samples, are copied back.

use std::sync::mpsc::{Receiver, channel};

use super::layout::{ChunkUniform, problem_buffer};
use super::run::Kernel;
use super::source::{
    COUNT_BINS, COUNT_FLAGGED, COUNT_MODES, COUNT_MOST_STEPS, COUNT_STEPS, KernelKey, KernelKind,
    MAX_COUNTED, SHARE, WORKGROUP, mode_table,
};
use super::statistics::{DeviceStatistics, Extent, Rules, StatisticsSpec};
use crate::error::{Error, Result};
use crate::law::Process;
use crate::real::Real;
use crate::status::Status;

/// The reduction that follows a kernel's rounds.
#[derive(Debug)]
struct Pass {
    pipeline: wgpu::ComputePipeline,
    uniform: wgpu::Buffer,
    bind_group: wgpu::BindGroup,
    partials: wgpu::Buffer,
    counters: wgpu::Buffer,
    flagged: wgpu::Buffer,
    read: wgpu::Buffer,
}

/// A chunk that the device was given.
struct Submitted {
    slot: usize,
    first: u64,
    count: u32,
    mapped: Receiver<std::result::Result<(), wgpu::BufferAsyncError>>,
    index: wgpu::SubmissionIndex,
}

/// Samples whose statistics alone are copied back. Two kernels take turns, so that one computes while the other's
/// statistics are read.
#[derive(Debug)]
pub struct Reduction<'a, R> {
    kernels: [Kernel<'a>; 2],
    passes: [Pass; 2],
    rules: Rules<'a, R>,
    /// Dispatches that were enough for the chunks so far.
    rounds: u32,
    /// Bytes of the counters, of the flagged samples that are always read, and of the partial results.
    bytes: [u64; 3],
}

impl<'a, R: Real> Reduction<'a, R> {
    /// Most contacts whose modes are counted on the device.
    pub const MAX_CONTACTS: usize = MAX_COUNTED;

    /// A reduction of what two kernels of one bound problem and one seed compute.
    ///
    /// # Errors
    /// A device that reports trouble.
    pub fn new(kernels: [Kernel<'a>; 2], bound: &'a Process<R>, spec: &'a StatisticsSpec) -> Result<Self> {
        let gpu = kernels[0].gpu;
        let m = bound.space().step.contacts;
        let rules = Rules::new(bound.space(), spec);
        let key = KernelKey {
            kind: KernelKind::Statistics,
            contacts: m,
            axes: bound.space().step.axes,
            double: R::EPSILON <= f64::EPSILON,
            many: false,
            noise: 0,
        };
        let pipeline = gpu.pipeline(key)?;
        let chunk = kernels[0].chunk();
        let groups = chunk.div_ceil(u64::from(WORKGROUP) * SHARE as u64);
        let bytes = [
            4 * (COUNT_MODES + mode_table(m)) as u64,
            (chunk / 8 * 4).max(4),
            groups * 3 * (spec.forms.len() as u64 + 2) * size_of::<R>() as u64,
        ];
        let numbers = problem_buffer(bound, 0);
        let passes = kernels.each_ref().map(|kernel| {
            let storage = wgpu::BufferUsages::STORAGE;
            let buffer = |bytes: u64, usage| {
                gpu.device.create_buffer(&wgpu::BufferDescriptor {
                    label: Some("statistics"),
                    size: bytes,
                    usage: usage | wgpu::BufferUsages::COPY_DST,
                    mapped_at_creation: false,
                })
            };
            let upload = |contents: &[u8], usage| {
                let buffer = buffer(contents.len() as u64, usage);
                gpu.queue.write_buffer(&buffer, 0, contents);
                buffer
            };
            let out = storage | wgpu::BufferUsages::COPY_SRC;
            let uniform = buffer(size_of::<ChunkUniform>() as u64, wgpu::BufferUsages::UNIFORM);
            let problem = upload(bytemuck::cast_slice(&numbers), wgpu::BufferUsages::UNIFORM);
            let forms = upload(bytemuck::cast_slice(&rules.numbers), storage);
            let [counters, partials] = [bytes[0], bytes[2]].map(|bytes| buffer(bytes, out));
            let flagged = buffer(chunk * 4, out);
            let read = buffer(bytes.iter().sum::<u64>() + 8, wgpu::BufferUsages::MAP_READ);
            let [impulses, endings] = [0, 1].map(|i| &kernel.results[i].0);
            let buffers = [&uniform, &problem, impulses, endings, &forms, &partials, &counters, &flagged];
            let entries: Vec<wgpu::BindGroupEntry<'_>> = (0..)
                .zip(buffers)
                .map(|(binding, buffer)| wgpu::BindGroupEntry {
                    binding,
                    resource: buffer.as_entire_binding(),
                })
                .collect();
            let bind_group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("statistics"),
                layout: &pipeline.get_bind_group_layout(0),
                entries: &entries,
            });
            Pass { pipeline: pipeline.clone(), uniform, bind_group, partials, counters, flagged, read }
        });
        gpu.check()?;
        Ok(Reduction { kernels, passes, rules, rounds: 1, bytes })
    }

    /// The statistics of samples `first .. first + count`.
    ///
    /// # Errors
    /// Those of [`Kernel::dispatch`].
    pub fn run(&mut self, first: u64, count: u64, stopped: impl Fn() -> bool) -> Result<DeviceStatistics> {
        let mut statistics = self.rules.none();
        statistics.samples = count;
        let (chunk, end) = (self.kernels[0].chunk(), first + count);
        let (mut next, mut slot) = (first, 0);
        let mut under_way: Option<Submitted> = None;
        while next < end || under_way.is_some() {
            let submitted = (next < end).then(|| {
                let count = (end - next).min(chunk) as u32;
                self.kernels[slot].begin(next, count);
                let submitted = self.submit(slot, next, count);
                next += u64::from(count);
                slot = 1 - slot;
                submitted
            });
            if let Some(earlier) = under_way.take() {
                self.collect(earlier, &mut statistics, &stopped)?;
            }
            under_way = submitted;
        }
        Ok(statistics)
    }

    /// Submits the rounds of a chunk, its reduction and the copy of the results.
    fn submit(&mut self, slot: usize, first: u64, count: u32) -> Submitted {
        for _ in 0..self.rounds {
            self.kernels[slot].round(count);
        }
        let (kernel, pass) = (&self.kernels[slot], &self.passes[slot]);
        let gpu = kernel.gpu;
        let spec = self.rules.spec;
        let uniform = ChunkUniform {
            count,
            forms: spec.forms.len() as u32,
            tangents: spec.tangents as u32,
            long_run: self.rules.long_run,
            histogram: spec.histogram.map_or(u32::MAX, |h| h.form as u32),
            residual: self.rules.residual as f32,
            padding: [0; 2],
        };
        gpu.queue.write_buffer(&pass.uniform, 0, bytemuck::bytes_of(&uniform));
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.clear_buffer(&pass.counters, 0, None);
        {
            let mut compute = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            compute.set_pipeline(&pass.pipeline);
            compute.set_bind_group(0, &pass.bind_group, &[]);
            compute.dispatch_workgroups(count.div_ceil(WORKGROUP * SHARE as u32), 1, 1);
        }
        let [counters, flagged, partials] = self.bytes;
        let copies = [
            (&kernel.results[2].0, 4),
            (&pass.counters, counters),
            (&pass.flagged, flagged),
            (&pass.partials, partials),
        ];
        let mut at = 0;
        for (buffer, bytes) in copies {
            encoder.copy_buffer_to_buffer(buffer, 0, &pass.read, at, bytes);
            at = (at + bytes).next_multiple_of(8);
        }
        let index = gpu.queue.submit([encoder.finish()]);
        let (sender, mapped) = channel();
        pass.read.map_async(wgpu::MapMode::Read, .., move |result| {
            let _ = sender.send(result);
        });
        Submitted { slot, first, count, mapped, index }
    }

    /// Adds the results of a chunk once they are there; gives the device more rounds where samples are under way.
    fn collect(
        &mut self,
        mut chunk: Submitted,
        to: &mut DeviceStatistics,
        stopped: &impl Fn() -> bool,
    ) -> Result<()> {
        let gpu = self.kernels[0].gpu;
        let trouble = |what: &dyn std::fmt::Display| Error::device(format!("{}: {what}", gpu.report.name));
        let bytes = loop {
            let poll = gpu
                .device
                .poll(wgpu::PollType::Wait { submission_index: Some(chunk.index.clone()), timeout: None });
            gpu.check()?;
            poll.map_err(|e| trouble(&e))?;
            chunk.mapped.recv().map_err(|e| trouble(&e))?.map_err(|e| trouble(&e))?;
            let read = &self.passes[chunk.slot].read;
            let bytes = read.get_mapped_range(..).map(|view| view.to_vec());
            read.unmap();
            let bytes = bytes.map_err(|e| trouble(&e))?;
            if stopped() {
                return Err(Error::interrupted());
            }
            if bytes[..4] == [0; 4] {
                break bytes;
            }
            self.rounds = (2 * self.rounds).min(64);
            chunk = self.submit(chunk.slot, chunk.first, chunk.count);
        };
        self.take(&chunk, &bytes, to)
    }

    fn take(&self, chunk: &Submitted, bytes: &[u8], to: &mut DeviceStatistics) -> Result<()> {
        let [counters, flagged, partials] = self.bytes.map(|bytes| bytes as usize);
        let at = [8, 8 + counters.next_multiple_of(8)];
        let last = (at[1] + flagged).next_multiple_of(8);
        let count: Vec<u32> = bytemuck::pod_collect_to_vec(&bytes[at[0]..at[0] + counters]);
        let mut listed: Vec<u32> = bytemuck::pod_collect_to_vec(&bytes[at[1]..at[1] + flagged]);
        let partials: Vec<R> = bytemuck::pod_collect_to_vec(&bytes[last..last + partials]);

        let many = count[COUNT_FLAGGED] as usize;
        if many > listed.len() {
            let kernel = &self.kernels[chunk.slot];
            let all = kernel.copy_back(&self.passes[chunk.slot].flagged, 4 * many as u64)?;
            listed = bytemuck::pod_collect_to_vec(&all);
        }
        listed.truncate(many);
        listed.sort_unstable();
        to.flagged.extend(listed.iter().map(|&i| chunk.first + u64::from(i)));
        for (status, &count) in to.status.iter_mut().zip(&count) {
            *status += u64::from(count);
        }
        let accepted = u64::from(count[Status::Terminated as usize]);
        to.accepted += accepted;
        to.steps_sum += u64::from(count[COUNT_STEPS]) + (u64::from(count[COUNT_STEPS + 1]) << 12);
        to.steps_max = to.steps_max.max(count[COUNT_MOST_STEPS]);
        for (bin, &count) in to.bins.iter_mut().zip(&count[COUNT_BINS..]) {
            *bin += u64::from(count);
        }
        for (mode, &count) in to.modes.iter_mut().zip(&count[COUNT_MODES..]) {
            *mode += u64::from(count);
        }
        let quantities = self.rules.spec.forms.len() + 2;
        let groups = (chunk.count as usize).div_ceil(WORKGROUP as usize * SHARE);
        for f in 0..quantities {
            let mut all = Extent::NONE;
            for group in 0..groups {
                let of = &partials[3 * (group * quantities + f)..][..3];
                all.add(Extent { min: of[0].to_f64(), max: of[1].to_f64(), sum: of[2].to_f64() });
            }
            self.rules.take(to, f, all, accepted);
        }
        Ok(())
    }
}
