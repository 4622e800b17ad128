//! The kernel that moves copies of a motion, ready to run.

use super::device::Gpu;
use carom_core::error::{Error, Result};
use carom_core::real::Real;
use carom_shaders::header::WORKGROUP;
use carom_shaders::kernels::copies::{COPIES, COPY_NUMBERS, MarchUniform};
use carom_shaders::kernels::peak::shape;

/// The kernel for a body, ready to run.
#[derive(Debug)]
pub struct March<'a> {
    gpu: &'a Gpu,
    uniform: MarchUniform,
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    buffers: [wgpu::Buffer; 4],
    read: wgpu::Buffer,
    most: u64,
}

impl<'a> March<'a> {
    /// Builds the kernel for the numbers of a body and its parts.
    ///
    /// # Errors
    /// f64 on an adapter without it; a device that reports trouble.
    pub fn new<R: Real>(
        gpu: &'a Gpu,
        numbers: &[R],
        kinds: &[[u32; 4]],
        uniform: MarchUniform,
    ) -> Result<Self> {
        let double = R::EPSILON <= f64::EPSILON;
        let limits = gpu.report.limits();
        if double && !limits.f64 {
            return Err(Error::device(format!("{} has no f64 in shaders", limits.name))
                .option("precision")
                .hint("run with --precision f32, or with --device cpu"));
        }
        let copy = (COPY_NUMBERS * size_of::<R>()) as u64;
        let most = limits.chunk().min(limits.storage_buffer_bytes / copy);
        let pipeline = gpu.pipeline(&COPIES, &shape(double))?;
        let stored = wgpu::BufferUsages::STORAGE;
        let body = gpu.upload("body", bytemuck::cast_slice(numbers), stored);
        let kinds = gpu.upload("parts", bytemuck::cast_slice(kinds), stored);
        let buffers = [
            gpu.buffer("march", size_of::<MarchUniform>() as u64, wgpu::BufferUsages::UNIFORM),
            gpu.storage("states", most * copy),
            gpu.storage("words", most * 16),
            gpu.storage("remaining", 4),
        ];
        let [march, states, words, remaining] = &buffers;
        let all = [(0, march), (1, &body), (2, &kinds), (3, states), (4, words), (5, remaining)];
        let group = gpu.bind(&pipeline, all);
        let read = gpu.buffer("read", most * copy, wgpu::BufferUsages::MAP_READ);
        gpu.check()?;
        Ok(March { gpu, uniform, pipeline, group, buffers, read, most })
    }

    /// Most copies of one [`March::run`].
    pub fn most(&self) -> u64 {
        self.most
    }

    /// Moves copies, given and returned in the kernel's layout, until each has taken its steps or
    /// is left to the CPU, or until `stopped` returns true.
    ///
    /// # Errors
    /// A device that was lost or ran out of memory.
    pub fn run<R: Real>(
        &self,
        numbers: &[R],
        words: &[[u32; 4]],
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<(Vec<R>, Vec<[u32; 4]>)> {
        let gpu = self.gpu;
        let [march, states, records, remaining] = &self.buffers;
        let uniform = MarchUniform { count: words.len() as u32, ..self.uniform };
        gpu.queue.write_buffer(march, 0, bytemuck::bytes_of(&uniform));
        gpu.queue.write_buffer(states, 0, bytemuck::cast_slice(numbers));
        gpu.queue.write_buffer(records, 0, bytemuck::cast_slice(words));
        loop {
            let mut encoder =
                gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            encoder.clear_buffer(remaining, 0, None);
            {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                pass.set_pipeline(&self.pipeline);
                pass.set_bind_group(0, &self.group, &[]);
                pass.dispatch_workgroups(uniform.count.div_ceil(WORKGROUP), 1, 1);
            }
            gpu.queue.submit([encoder.finish()]);
            if gpu.copy_back(&[(remaining, 4)], &self.read)? == [0; 4] || stopped() {
                break;
            }
        }
        let numbers = gpu.copy_back(&[(states, size_of_val(numbers) as u64)], &self.read)?;
        let words = gpu.copy_back(&[(records, size_of_val(words) as u64)], &self.read)?;
        Ok((bytemuck::pod_collect_to_vec(&numbers), bytemuck::pod_collect_to_vec(&words)))
    }
}
