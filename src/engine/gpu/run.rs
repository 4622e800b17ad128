//! A kernel bound to a problem: upload once, then dispatch and read back, chunk by chunk.

use super::device::Gpu;
use crate::error::{Error, Result};
use crate::real::Real;
use crate::shading::spec::{ENDINGS, IMPULSES, REMAINING, RUN, VELOCITIES};
use crate::shading::uniform::RunUniform;
use crate::shading::{Raw, SamplingKernel, Shape};

/// What kernels for the same samples have in common.
#[derive(Clone, Debug)]
pub(super) struct Common {
    pub(super) kernel: &'static SamplingKernel,
    pub(super) shape: Shape,
    /// Most samples of one dispatch.
    pub(super) chunk: u64,
    pub(super) uniform: RunUniform,
    pub(super) pipeline: wgpu::ComputePipeline,
    /// The problem's numbers.
    pub(super) problem: wgpu::Buffer,
    /// What is the same for all samples, by binding.
    pub(super) constants: Vec<(u32, wgpu::Buffer)>,
    /// Bytes of what each kernel keeps of samples under way, by binding.
    pub(super) kept: Vec<(u32, u64)>,
}

/// Measures how long the device computes.
#[derive(Debug)]
struct Clock {
    times: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    /// Seconds of all rounds so far.
    seconds: f64,
}

/// A sampling kernel, ready to run.
#[derive(Debug)]
pub struct Kernel<'a> {
    pub(super) gpu: &'a Gpu,
    pub(super) common: Common,
    /// That of the next dispatch.
    uniform: RunUniform,
    uniform_buffer: wgpu::Buffer,
    bind_group: wgpu::BindGroup,
    pub(super) impulses: wgpu::Buffer,
    pub(super) endings: wgpu::Buffer,
    /// Samples under way.
    pub(super) remaining: wgpu::Buffer,
    /// For reading one of these.
    read: wgpu::Buffer,
    clock: Option<Clock>,
}

impl<'a> Kernel<'a> {
    /// Makes the buffers that change.
    pub(super) fn of(gpu: &'a Gpu, common: Common) -> Result<Self> {
        let uniform_buffer = gpu.buffer("run", size_of::<RunUniform>() as u64, wgpu::BufferUsages::UNIFORM);
        let kept: Vec<_> = common.kept.iter().map(|&(at, bytes)| (at, gpu.storage("kept", bytes))).collect();
        let state = common.chunk * (common.shape.rows() * common.shape.real_bytes()) as u64;
        let velocities = gpu.storage("velocities", state);
        let impulses = gpu.storage("impulses", state);
        let endings = gpu.storage("endings", common.chunk * 8);
        let remaining = gpu.storage("remaining", 4);
        let read = gpu.buffer("read", state.max(common.chunk * 8), wgpu::BufferUsages::MAP_READ);
        let own = [
            (RUN, &uniform_buffer),
            (VELOCITIES, &velocities),
            (IMPULSES, &impulses),
            (ENDINGS, &endings),
            (REMAINING, &remaining),
        ];
        let others = common.constants.iter().chain(&kept).map(|(at, buffer)| (*at, buffer));
        let bind_group = gpu.bind(&common.pipeline, own.into_iter().chain(others));
        gpu.check()?;
        let uniform = common.uniform;
        let clock = None;
        Ok(Kernel {
            gpu,
            common,
            uniform,
            uniform_buffer,
            bind_group,
            impulses,
            endings,
            remaining,
            read,
            clock,
        })
    }

    /// Measures from now on how long the device computes, where it can.
    pub fn measure(&mut self) {
        let gpu = self.gpu;
        self.clock = gpu.device.features().contains(wgpu::Features::TIMESTAMP_QUERY).then(|| Clock {
            times: gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("times"),
                ty: wgpu::QueryType::Timestamp,
                count: 2,
            }),
            resolved: gpu.buffer(
                "times",
                16,
                wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
            ),
            seconds: 0.0,
        });
    }

    /// The seconds for which the device has computed since this was last asked, by its own clock; `None` where it has none.
    pub fn seconds(&mut self) -> Option<f64> {
        self.clock.as_mut().map(|clock| std::mem::take(&mut clock.seconds))
    }

    /// Most samples of one [`Kernel::dispatch`].
    pub fn chunk(&self) -> u64 {
        self.common.chunk
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
            self.tick()?;
            if self.copy_back(&self.remaining, 4)? == [0; 4] {
                break;
            }
            if stopped() {
                return Err(Error::interrupted());
            }
        }
        let width = (self.common.shape.rows() * size_of::<R>()) as u64;
        let impulses = self.copy_back(&self.impulses, count * width)?;
        let endings = self.copy_back(&self.endings, count * 8)?;
        Ok(Raw::read(&endings, &impulses))
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
        let mut all = self.dispatch(first, count.min(self.chunk()), &stopped)?;
        while (all.endings.len() as u64) < count {
            let done = all.endings.len() as u64;
            let next = self.dispatch(first + done, (count - done).min(self.chunk()), &stopped)?;
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
        encoder.clear_buffer(&self.remaining, 0, None);
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: None,
                timestamp_writes: self.clock.as_ref().map(|clock| wgpu::ComputePassTimestampWrites {
                    query_set: &clock.times,
                    beginning_of_pass_write_index: Some(0),
                    end_of_pass_write_index: Some(1),
                }),
            });
            pass.set_pipeline(&self.common.pipeline);
            pass.set_bind_group(0, &self.bind_group, &[]);
            let [columns, rows] = self.common.kernel.groups(count);
            pass.dispatch_workgroups(columns, rows, 1);
        }
        if let Some(clock) = &self.clock {
            encoder.resolve_query_set(&clock.times, 0..2, &clock.resolved, 0);
        }
        gpu.queue.submit([encoder.finish()]);
        self.uniform.fresh = 0;
    }

    /// Adds the time of the last round.
    fn tick(&mut self) -> Result<()> {
        if let Some(mut clock) = self.clock.take() {
            let times: Vec<u64> = bytemuck::pod_collect_to_vec(&self.copy_back(&clock.resolved, 16)?);
            let ticks = times[1].saturating_sub(times[0]) as f64;
            clock.seconds += 1e-9 * ticks * f64::from(self.gpu.queue.get_timestamp_period());
            self.clock = Some(clock);
        }
        Ok(())
    }

    /// The first `bytes` of a buffer, once the device has come to it.
    pub(super) fn copy_back(&self, from: &wgpu::Buffer, bytes: u64) -> Result<Vec<u8>> {
        self.gpu.copy_back(from, &self.read, bytes)
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
