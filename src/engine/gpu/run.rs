//! A kernel bound to a problem: upload once, then dispatch and read back, chunk by chunk.

use std::time::Instant;

use super::device::Gpu;
use super::memory::gather;
use super::pace::Pace;
use carom_core::error::{Error, Result};
use carom_core::real::Real;
use carom_law::Process;
use carom_shaders::spec::{ENDINGS, IMPULSES, REMAINING, RUN};
use carom_shaders::uniform::RunUniform;
use carom_shaders::{KernelShape, Raw, SamplingKernel, Variant};

/// Data shared by all kernels for the same samples.
#[derive(Clone, Debug)]
pub(super) struct Common {
    pub(super) kernel: &'static SamplingKernel,
    pub(super) shape: KernelShape,
    /// Most samples of one dispatch.
    pub(super) chunk: u64,
    pub(super) uniform: RunUniform,
    pub(super) pipeline: wgpu::ComputePipeline,
    pub(super) problem: wgpu::Buffer,
    /// Data that all samples share, by binding.
    pub(super) constants: Vec<(u32, wgpu::Buffer)>,
    /// Bytes of each kernel's state of samples in progress, by binding.
    pub(super) kept: Vec<(u32, u64)>,
}

#[derive(Debug)]
struct Round {
    uniform: wgpu::Buffer,
    bind_group: wgpu::BindGroup,
}

/// Measures the device time of rounds.
#[derive(Debug)]
struct Clock {
    times: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    seconds: f64,
}

impl Clock {
    fn writes(&self) -> wgpu::ComputePassTimestampWrites<'_> {
        wgpu::ComputePassTimestampWrites {
            query_set: &self.times,
            beginning_of_pass_write_index: Some(0),
            end_of_pass_write_index: Some(1),
        }
    }
}

/// A sampling kernel, ready to run.
#[derive(Debug)]
pub struct Kernel<'a> {
    pub(super) gpu: &'a Gpu,
    pub(super) common: Common,
    /// The inputs of the first round of a dispatch, and of the later rounds.
    rounds: [Round; 2],
    /// Whether the next round is the first of a dispatch.
    fresh: bool,
    /// Sample range and budget of the next round.
    uniform: RunUniform,
    /// The budget of the next round.
    pub(super) pace: Pace,
    pub(super) impulses: wgpu::Buffer,
    pub(super) endings: wgpu::Buffer,
    /// Number of samples in progress.
    pub(super) remaining: wgpu::Buffer,
    /// Buffer for reading `remaining`.
    pub(super) read: wgpu::Buffer,
    clock: Option<Clock>,
}

impl<'a> Kernel<'a> {
    /// Creates the buffers that change during a run.
    pub(super) fn of(gpu: &'a Gpu, common: Common) -> Result<Self> {
        let kept: Vec<_> =
            common.kept.iter().map(|&(at, bytes)| (at, gpu.storage("kept", bytes))).collect();
        let state = common.chunk * (common.shape.rows() * common.shape.real_bytes()) as u64;
        let impulses = gpu.storage("impulses", 2 * state);
        let endings = gpu.storage("endings", common.chunk * 8);
        let remaining = gpu.storage("remaining", 4);
        let read = gpu.buffer("read", state + common.chunk * 8, wgpu::BufferUsages::MAP_READ);
        let rounds = ["first", "later"].map(|label| {
            let uniform =
                gpu.buffer(label, size_of::<RunUniform>() as u64, wgpu::BufferUsages::UNIFORM);
            let own = [(RUN, &uniform), (IMPULSES, &impulses), (ENDINGS, &endings)];
            let own = own.into_iter().chain([(REMAINING, &remaining)]);
            let others = common.constants.iter().chain(&kept).map(|(at, buffer)| (*at, buffer));
            let bind_group = gpu.bind(&common.pipeline, own.chain(others));
            Round { uniform, bind_group }
        });
        gpu.check()?;
        let clock = None;
        let uniform = common.uniform;
        Ok(Kernel {
            gpu,
            common,
            rounds,
            fresh: true,
            uniform,
            pace: Pace::new(uniform.budget),
            impulses,
            endings,
            remaining,
            read,
            clock,
        })
    }

    /// Measures the device time of rounds from now on, where the device can.
    pub fn measure(&mut self) {
        let gpu = self.gpu;
        let resolved = wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC;
        self.clock =
            gpu.device.features().contains(wgpu::Features::TIMESTAMP_QUERY).then(|| Clock {
                times: gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                    label: Some("times"),
                    ty: wgpu::QueryType::Timestamp,
                    count: 2,
                }),
                resolved: gpu.buffer("times", 16, resolved),
                seconds: 0.0,
            });
    }

    /// Seconds of device time since the last call, by the device's clock; `None` where it has none.
    pub fn seconds(&mut self) -> Option<f64> {
        self.clock.as_mut().map(|clock| std::mem::take(&mut clock.seconds))
    }

    pub(super) fn row_bytes(&self) -> u64 {
        (self.common.shape.rows() * self.common.shape.real_bytes()) as u64
    }

    /// Most samples of one [`Kernel::dispatch`].
    pub fn chunk(&self) -> u64 {
        self.common.chunk
    }

    /// Computes samples `first ..`, up to [`Kernel::chunk`], and leaves them on the device.
    pub fn compute(&mut self, first: u64, count: u64, stopped: impl Fn() -> bool) -> Result<()> {
        self.begin(first, count as u32);
        loop {
            let start = Instant::now();
            let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
            self.round(&mut encoder);
            let bytes = gather(&mut encoder, &[(&self.remaining, 4)], &self.read);
            let after = self.gpu.queue.submit([encoder.finish()]);
            let left = self.gpu.receive(self.gpu.request(&self.read, bytes, after))?;
            self.pace.took(start.elapsed().as_secs_f64(), left != [0; 4]);
            self.tick()?;
            if left == [0; 4] {
                return Ok(());
            }
            if stopped() {
                return Err(Error::interrupted());
            }
        }
    }

    /// Computes samples as [`Kernel::compute`] does, and reads them.
    pub fn dispatch<R: Real>(
        &mut self,
        first: u64,
        count: u64,
        stopped: impl Fn() -> bool,
    ) -> Result<Raw<R>> {
        self.compute(first, count, stopped)?;
        let width = (self.common.shape.rows() * size_of::<R>()) as u64;
        let wanted = [(&self.endings, count * 8), (&self.impulses, count * width)];
        let bytes = self.gpu.copy_back(&wanted, &self.read)?;
        let (endings, impulses) = bytes.split_at(count as usize * 8);
        Ok(Raw::read(endings, impulses))
    }

    /// Computes samples `first .. first + count`, in one or more dispatches, see
    /// [`Kernel::dispatch`].
    pub fn dispatch_all<R: Real>(
        &mut self,
        first: u64,
        count: u64,
        stopped: impl Fn() -> bool,
    ) -> Result<Raw<R>> {
        let mut all = Raw { endings: Vec::new(), impulses: Vec::new() };
        for (next, count) in self.parts(first, count) {
            let part = self.dispatch(next, count, &stopped)?;
            all.endings.extend(part.endings);
            all.impulses.extend(part.impulses);
        }
        Ok(all)
    }

    /// Computes samples `first .. first + count`, in one or more dispatches, without reading them.
    pub fn compute_all(&mut self, first: u64, count: u64, stop: impl Fn() -> bool) -> Result<()> {
        self.parts(first, count).try_for_each(|(next, count)| self.compute(next, count, &stop))
    }

    /// The dispatches of samples `first .. first + count`: the first of each, and their number.
    pub(super) fn parts(&self, first: u64, count: u64) -> impl Iterator<Item = (u64, u64)> + use<> {
        let (chunk, end) = (self.chunk(), first + count);
        (first..end).step_by(chunk as usize).map(move |next| (next, chunk.min(end - next)))
    }

    /// Starts a dispatch: the next round begins with samples `first .. first + count`.
    pub(super) fn begin(&mut self, first: u64, count: u32) {
        let Common { kernel, uniform, kept, .. } = &self.common;
        let limits = self.gpu.report.limits();
        let Variant { share, refills, .. } = self.gpu.variant;
        let share = if !kept.is_empty() && !refills { 1 } else { share };
        let threads = kernel.at_a_time(count, share, limits.fewest_threads(), uniform.threads);
        let first = [first as u32, (first >> 32) as u32];
        self.uniform = RunUniform { first, count, threads, ..*uniform };
        self.fresh = true;
    }

    /// Encodes one round: every thread advances its samples by the budget.
    pub(super) fn round(&mut self, encoder: &mut wgpu::CommandEncoder) {
        let fresh = std::mem::take(&mut self.fresh);
        let round = &self.rounds[usize::from(!fresh)];
        let uniform = RunUniform { fresh: fresh.into(), budget: self.pace.budget, ..self.uniform };
        self.gpu.queue.write_buffer(&round.uniform, 0, bytemuck::bytes_of(&uniform));
        encoder.clear_buffer(&self.remaining, 0, None);
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: None,
                timestamp_writes: self.clock.as_ref().map(Clock::writes),
            });
            pass.set_pipeline(&self.common.pipeline);
            pass.set_bind_group(0, &round.bind_group, &[]);
            let [columns, rows] = self.common.kernel.groups(self.uniform.threads);
            pass.dispatch_workgroups(columns, rows, 1);
        }
        if let Some(clock) = &self.clock {
            encoder.resolve_query_set(&clock.times, 0..2, &clock.resolved, 0);
        }
    }

    /// Adds the time of the last round.
    fn tick(&mut self) -> Result<()> {
        if let Some(mut clock) = self.clock.take() {
            let bytes = self.gpu.copy_back(&[(&clock.resolved, 16)], &self.read)?;
            let times: Vec<u64> = bytemuck::pod_collect_to_vec(&bytes);
            let ticks = times[1].saturating_sub(times[0]) as f64;
            clock.seconds += 1e-9 * ticks * f64::from(self.gpu.queue.get_timestamp_period());
            self.clock = Some(clock);
        }
        Ok(())
    }
}

/// Refuses a process for which there is no GPU kernel.
pub fn require_kernel<R: Real>(process: &Process<R>) -> Result<()> {
    let contacts = process.space().step.contacts;
    let uncertain = [process.draws_numbers(), process.inertia().is_some()];
    let Some(why) = process.kind().on_the_cpu(contacts, uncertain) else { return Ok(()) };
    Err(Error::device(format!("{why} only")).option("device").hint("run with --device cpu"))
}
