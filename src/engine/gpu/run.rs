//! A kernel bound to a problem: upload once, then dispatch and read back, chunk by chunk.

use std::sync::mpsc;

use super::device::{Gpu, lock};
use super::layout::RunUniform;
use super::source::{KernelKey, KernelKind};
use crate::error::{Error, Result};
use crate::law::Ending;
use crate::real::Real;
use crate::status::Status;

/// Steps that fit beside the status in a word.
pub(super) const MAX_STEPS: u32 = (1 << 28) - 1;

/// What a dispatch leaves of each sample: how it ended, and its dimensionless impulse (K).
#[derive(Clone, Debug)]
pub struct Raw<R> {
    /// How each sample ended (N).
    pub endings: Vec<Ending<R>>,
    /// Total impulses (N,K).
    pub impulses: Vec<R>,
}

/// A sampling kernel, ready to run.
#[derive(Debug)]
pub struct Kernel<'a> {
    pub(super) gpu: &'a Gpu,
    pub(super) pipeline: wgpu::ComputePipeline,
    pub(super) uniform: RunUniform,
    pub(super) uniform_buffer: wgpu::Buffer,
    pub(super) problem: wgpu::Buffer,
    pub(super) bind_group: wgpu::BindGroup,
    /// Impulses, endings, samples under way: (on the device, for reading).
    pub(super) results: [(wgpu::Buffer, wgpu::Buffer); 3],
    /// Impulses K of a sample.
    pub(super) width: u64,
    /// Samples of a workgroup.
    pub(super) group: u32,
    pub(super) chunk: u64,
}

impl<'a> Kernel<'a> {
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
        let width = self.width * size_of::<R>() as u64;
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
            pass.dispatch_workgroups(count.div_ceil(self.group), 1, 1);
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
            // A shared dictionary is filled before it is read.
            compilation_options: wgpu::PipelineCompilationOptions {
                zero_initialize_workgroup_memory: key.kind != KernelKind::Shared,
                ..Default::default()
            },
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
    use crate::law::{Law, Routh};
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
        let bound = Law::default().prepare::<f32>(&problem)?;
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
        let law = Law::Routh(Routh { step: Some(1e-6), ..Routh::default() });
        let mut kernel = Kernel::new(&gpu, &law.prepare::<f32>(&problem)?, 0)?;
        let error = kernel.dispatch::<f32>(0, 8, || true).map(|_| ()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Interrupted);
        Ok(())
    }
}
