//! The most that a GPU can do: multiply-adds and copies, with nothing else to do.

use std::time::Instant;

use super::device::Gpu;
use crate::error::{Error, Result};
use crate::real::Real;

/// Flop of one thread of `multiply_add`: 1024 rounds of 8 chains in 4 lanes.
const THREAD_FLOP: f64 = (1024 * 8 * 4 * 2) as f64;

/// Threads of a workgroup.
const WORKGROUP: u64 = 64;

/// Workgroups of one dispatch, of hardware and of a software adapter.
const GROUPS: [u32; 2] = [1 << 14, 1 << 10];

/// Bytes of each of the two buffers, at most: larger together than the caches, and no more than drivers bind.
const BYTES: u64 = 128 << 20;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    MultiplyAdd,
    Copy,
}

/// The peak kernels, ready to run.
#[derive(Debug)]
pub struct Peak<'a> {
    gpu: &'a Gpu,
    multiply_add: (wgpu::ComputePipeline, wgpu::BindGroup),
    copy: (wgpu::ComputePipeline, wgpu::BindGroup),
    bytes: u64,
    groups: u32,
    dispatches: u32,
}

impl<'a> Peak<'a> {
    /// Builds the kernels in a precision that the adapter has.
    ///
    /// # Errors
    /// A device that reports trouble.
    pub fn new<R: Real>(gpu: &'a Gpu) -> Result<Self> {
        let source =
            format!("alias real = {};\n{}", R::NAME, include_str!("../../../shaders/kernel/peak.wgsl"));
        let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("peak"),
            source: wgpu::ShaderSource::Wgsl(source.into()),
        });
        let bytes = BYTES.min(gpu.report.storage_buffer_bytes) / 4096 * 4096;
        let buffer = || {
            gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("peak"),
                size: bytes,
                usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        };
        let (source, target) = (buffer(), buffer());
        let factors: Vec<R> = [0.999, 0.001].iter().flat_map(|&x| [R::from_f64(x); 4]).collect();
        gpu.queue.write_buffer(&source, 0, bytemuck::cast_slice(&factors));
        let ready = |entry: &str| {
            let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(entry),
                layout: None,
                module: &module,
                entry_point: Some(entry),
                compilation_options: Default::default(),
                cache: None,
            });
            let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some(entry),
                layout: &pipeline.get_bind_group_layout(0),
                entries: &[
                    wgpu::BindGroupEntry { binding: 0, resource: source.as_entire_binding() },
                    wgpu::BindGroupEntry { binding: 1, resource: target.as_entire_binding() },
                ],
            });
            (pipeline, group)
        };
        let (multiply_add, copy) = (ready("multiply_add"), ready("copy"));
        gpu.check()?;
        let groups = GROUPS[usize::from(!gpu.report.is_hardware())];
        Ok(Peak { gpu, multiply_add, copy, bytes, groups, dispatches: 1 })
    }

    /// Flop per second, once.
    ///
    /// # Errors
    /// A device that was lost.
    pub fn flop_per_second(&mut self) -> Result<f64> {
        let flop = THREAD_FLOP * WORKGROUP as f64 * f64::from(self.groups);
        self.per_second(Entry::MultiplyAdd, flop)
    }

    /// Bytes read and written per second, once.
    ///
    /// # Errors
    /// A device that was lost.
    pub fn bytes_per_second(&mut self) -> Result<f64> {
        self.per_second(Entry::Copy, 2.0 * self.bytes as f64)
    }

    /// Takes more dispatches at a time until their start does not count, then times them.
    fn per_second(&mut self, entry: Entry, of_dispatch: f64) -> Result<f64> {
        loop {
            let seconds = self.run(entry, self.dispatches)?;
            if seconds > 0.02 || self.dispatches >= 1 << 12 {
                let dispatches = std::mem::replace(&mut self.dispatches, 1);
                return Ok(of_dispatch * f64::from(dispatches) / seconds);
            }
            self.dispatches *= 2;
        }
    }

    /// Wall-clock seconds from submitting to done.
    fn run(&self, entry: Entry, dispatches: u32) -> Result<f64> {
        let gpu = self.gpu;
        let (pipeline, group) = if entry == Entry::Copy { &self.copy } else { &self.multiply_add };
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, group, &[]);
            for _ in 0..dispatches {
                pass.dispatch_workgroups(self.groups, 1, 1);
            }
        }
        let start = Instant::now();
        gpu.queue.submit([encoder.finish()]);
        let poll = gpu.device.poll(wgpu::PollType::wait_indefinitely());
        let seconds = start.elapsed().as_secs_f64();
        gpu.check()?;
        poll.map_err(|e| Error::device(format!("{}: {e}", gpu.report.name)))?;
        Ok(seconds)
    }
}
