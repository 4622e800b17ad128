use super::device::Gpu;
use super::run::{Common, Kernel};
use carom_core::error::Result;
use carom_core::real::Real;
use carom_core::rng::sobol;
use carom_law::Process;
use carom_shaders::inputs::numbers_of;
use carom_shaders::spec::{DIRECTIONS, LIST, PLACES, PROBLEM};
use carom_shaders::{Binding, Inputs};

impl<'a> Kernel<'a> {
    /// Builds the kernel of a process, and uploads the data that all samples share.
    pub fn new<R: Real>(gpu: &'a Gpu, process: &Process<R>, seed: u64) -> Result<Self> {
        Self::with_inputs(gpu, &Inputs::new(process, seed, &gpu.report.limits())?)
    }

    /// The kernel for several processes of one shape, each with a seed, and `samples` samples of
    /// each: sample number i belongs to problem i / samples. Problems with equal tables share one.
    pub fn of_many<R: Real>(
        gpu: &'a Gpu,
        processes: &[&Process<R>],
        seeds: &[u64],
        samples: u32,
    ) -> Result<Self> {
        Self::with_inputs(gpu, &Inputs::of_many(processes, seeds, samples, &gpu.report.limits())?)
    }

    /// Uploads new velocities of the problems that [`Kernel::of_many`] was built for.
    pub fn set_velocities<R: Real>(&self, processes: &[&Process<R>]) {
        let numbers = numbers_of(processes, &self.common.shape);
        self.gpu.queue.write_buffer(&self.common.problem, 0, bytemuck::cast_slice(&numbers));
    }

    /// Sets the sample numbers, relative to the first, of a kernel that reads a list.
    pub(super) fn list(&self, samples: &[u32]) {
        if let Some((_, list)) = self.common.constants.iter().find(|(at, _)| *at == LIST) {
            self.gpu.queue.write_buffer(list, 0, bytemuck::cast_slice(samples));
        }
    }

    /// A second kernel for the same samples, which runs concurrently and shares the constants.
    pub(super) fn twin(&self) -> Result<Self> {
        Kernel::of(self.gpu, self.common.clone())
    }

    /// Builds a kernel and uploads its inputs.
    pub fn with_inputs<R: Real>(gpu: &'a Gpu, inputs: &Inputs<R>) -> Result<Self> {
        let Inputs { kernel, shape, chunk, uniform, numbers, places, tables, matrices, .. } =
            inputs;
        let pipeline = gpu.pipeline(&kernel.program, shape)?;
        let (constant, stored) = (wgpu::BufferUsages::UNIFORM, wgpu::BufferUsages::STORAGE);
        let usage = if shape.stored() { stored } else { constant };
        let problem = gpu.upload("problem", bytemuck::cast_slice(numbers), usage);
        let mut constants = vec![(PROBLEM, problem.clone())];
        if shape.many {
            constants.push((PLACES, gpu.upload("places", bytemuck::cast_slice(places), stored)));
        }
        if shape.listed {
            constants.push((LIST, gpu.buffer("list", 4 * chunk, stored)));
        }
        if kernel.draws {
            let directions = bytemuck::cast_slice(&sobol::DIRECTIONS);
            constants.push((DIRECTIONS, gpu.upload("directions", directions, constant)));
        }
        let stride = u64::from(uniform.stride);
        let mut kept = Vec::new();
        for (at, binding) in kernel.bindings {
            let mut upload = |label, contents: &[u8]| {
                constants.push((*at, gpu.upload(label, contents, stored)));
            };
            match binding {
                Binding::Spans => upload("spans", bytemuck::cast_slice(&tables.spans)),
                Binding::Maps => upload("maps", bytemuck::cast_slice(&tables.maps)),
                Binding::Forces => upload("forces", bytemuck::cast_slice(&tables.maps)),
                Binding::Matrices => upload("matrices", bytemuck::cast_slice(matrices)),
                Binding::Numbers(count) => {
                    kept.push((*at, stride * (count(shape) * shape.real_bytes()) as u64))
                }
                Binding::Words(count) => {
                    kept.push((*at, stride * (count(shape) * size_of::<u32>()) as u64))
                }
            }
        }
        let (shape, chunk, uniform) = (*shape, *chunk, *uniform);
        let common = Common { kernel, shape, chunk, uniform, pipeline, problem, constants, kept };
        Kernel::of(gpu, common)
    }
}
