//! The peak performance of a GPU: multiply-adds and copies, without other work.

use std::time::Instant;

use super::device::Gpu;
use carom_core::error::{Error, Result};
use carom_core::real::Real;
use carom_shaders::header::WORKGROUP;
use carom_shaders::kernels::peak;
use carom_shaders::kernels::peak::{COPY, MULTIPLY_ADD, THREAD_FLOP};

/// Number of workgroups of one dispatch, on hardware and on a software adapter.
const GROUPS: [u32; 2] = [1 << 14, 1 << 10];
/// Most bytes of each of two buffers: larger than caches, within the binding limits of drivers.
const BYTES: u64 = 128 << 20;

/// A kernel with its buffers.
type Ready = (wgpu::ComputePipeline, wgpu::BindGroup);

/// The peak kernels, ready to run.
#[derive(Debug)]
pub struct GpuPeak<'a> {
    gpu: &'a Gpu,
    multiply_add: Ready,
    copy: Ready,
    bytes: u64,
    groups: u32,
    dispatches: u32,
}

impl<'a> GpuPeak<'a> {
    /// Builds the kernels in a precision that the adapter has.
    pub fn new<R: Real>(gpu: &'a Gpu) -> Result<Self> {
        let bytes = BYTES.min(gpu.report.storage_buffer_bytes) / 4096 * 4096;
        let [source, target] = [(); 2].map(|()| gpu.storage("peak", bytes));
        let factors: Vec<R> = [0.999, 0.001].iter().flat_map(|&x| [R::from_f64(x); 4]).collect();
        gpu.queue.write_buffer(&source, 0, bytemuck::cast_slice(&factors));
        let shape = peak::shape(R::EPSILON <= f64::EPSILON);
        let ready = |program| -> Result<_> {
            let pipeline = gpu.pipeline(program, &shape)?;
            let group = gpu.bind(&pipeline, [(0, &source), (1, &target)]);
            Ok((pipeline, group))
        };
        let (multiply_add, copy) = (ready(&MULTIPLY_ADD)?, ready(&COPY)?);
        gpu.check()?;
        let groups = GROUPS[usize::from(!gpu.report.is_hardware())];
        Ok(GpuPeak { gpu, multiply_add, copy, bytes, groups, dispatches: 1 })
    }

    /// Flop per second, measured once.
    pub fn flop_per_second(&mut self) -> Result<f64> {
        let flop = THREAD_FLOP * f64::from(WORKGROUP) * f64::from(self.groups);
        self.per_second(|peak| &peak.multiply_add, flop)
    }

    /// Bytes read and written per second, measured once.
    pub fn bytes_per_second(&mut self) -> Result<f64> {
        self.per_second(|peak| &peak.copy, 2.0 * self.bytes as f64)
    }

    /// Work per second: submits more dispatches until the start-up time does not matter.
    fn per_second(&mut self, of: fn(&Self) -> &Ready, of_dispatch: f64) -> Result<f64> {
        loop {
            let seconds = self.run(of(self), self.dispatches)?;
            if seconds > 0.02 || self.dispatches >= 1 << 12 {
                let dispatches = std::mem::replace(&mut self.dispatches, 1);
                return Ok(of_dispatch * f64::from(dispatches) / seconds);
            }
            self.dispatches *= 2;
        }
    }

    /// Wall-clock seconds from submission to completion.
    fn run(&self, (pipeline, group): &Ready, dispatches: u32) -> Result<f64> {
        let gpu = self.gpu;
        let mut encoder =
            gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
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
