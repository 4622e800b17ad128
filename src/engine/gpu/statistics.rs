//! Statistics of samples, reduced on the device: only they, and the numbers of flagged samples, are copied back.

use std::sync::mpsc::{Receiver, channel};

use rayon::prelude::*;

use super::layout::{ChunkUniform, problem_buffer};
use super::run::Kernel;
use super::source::{
    BINS, COUNT_BINS, COUNT_FLAGGED, COUNT_MODES, COUNT_MOST_STEPS, COUNT_STEPS, KernelKey, KernelKind,
    SHARE, WORKGROUP, mode_table,
};
use crate::engine::finish::{LONG_RUN, flag};
use crate::error::{Error, Result};
use crate::law::routh::{Bound, Ending};
use crate::outcome::modes::Mode;
use crate::problem::ContactProblem;
use crate::real::Real;
use crate::rng::Stream;
use crate::status::Status;

/// A quantity that is affine in the impulse `L` (N s): `constant + coefficients . L`.
#[derive(Clone, Debug)]
pub struct Form {
    /// Its value without an impulse.
    pub constant: f64,
    /// One coefficient per impulse.
    pub coefficients: Vec<f64>,
}

/// How often the values of a form fall into each of [`BINS`] equal bins; what lies outside counts in the outermost.
#[derive(Clone, Copy, Debug)]
pub struct Histogram {
    /// Which form.
    pub form: usize,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// What statistics are about.
#[derive(Clone, Debug)]
pub struct StatisticsSpec {
    /// Contact velocity `u+` (k), velocity `v+` (n), and what else was asked for.
    pub forms: Vec<Form>,
    /// A histogram of one of them.
    pub histogram: Option<Histogram>,
    tangents: usize,
    energy: f64,
}

impl StatisticsSpec {
    /// Contact velocity and velocity of `problem`.
    pub fn new(problem: &ContactProblem) -> Self {
        let rows = |constant: &[f64], matrix: &nalgebra::DMatrix<f64>| -> Vec<Form> {
            let row = |i: usize| matrix.row(i).iter().copied().collect();
            (0..constant.len()).map(|i| Form { constant: constant[i], coefficients: row(i) }).collect()
        };
        let mut forms = rows(problem.contact_velocity().as_slice(), problem.delassus());
        forms.extend(rows(problem.velocity().as_slice(), problem.response()));
        StatisticsSpec {
            forms,
            histogram: None,
            tangents: problem.tangents_per_contact(),
            energy: problem.kinetic_energy(problem.velocity().as_slice()),
        }
    }

    /// Adds `direction . u+`, whose largest value is the support of the outcome set in this direction.
    #[must_use]
    pub fn direction(mut self, direction: &[f64]) -> Self {
        let sum = |term: &dyn Fn(&Form) -> f64| -> f64 {
            direction.iter().zip(&self.forms).map(|(d, form)| d * term(form)).sum()
        };
        let coefficients = (0..direction.len()).map(|j| sum(&|form| form.coefficients[j])).collect();
        let form = Form { constant: sum(&|form| form.constant), coefficients };
        self.forms.push(form);
        self
    }

    /// The rows of the forms over the dimensionless impulse (2m each); then lower end and bins per unit of the histogram.
    fn numbers<R: Real>(&self, bound: &Bound<R>) -> Vec<R> {
        let k = 2 * bound.step.contacts;
        let unit = |j: usize| bound.scaling.impulse / bound.scaling.sigma[j];
        let mut numbers: Vec<R> = Vec::new();
        for form in &self.forms {
            numbers
                .extend((0..k).map(|j| R::from_f64(form.coefficients.get(j).map_or(0.0, |c| c * unit(j)))));
        }
        let (low, per_unit) = self
            .histogram
            .map_or((0.0, 0.0), |h| (h.low - self.forms[h.form].constant, BINS as f64 / (h.high - h.low)));
        numbers.extend([R::from_f64(low), R::from_f64(per_unit)]);
        numbers
    }
}

/// Smallest value, largest value and sum of a quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// Smallest value; infinite before the first sample.
    pub min: f64,
    /// Largest value; minus infinity before the first sample.
    pub max: f64,
    /// Sum.
    pub sum: f64,
}

impl Extent {
    const NONE: Extent = Extent { min: f64::INFINITY, max: f64::NEG_INFINITY, sum: 0.0 };

    fn add(&mut self, next: Extent) {
        self.min = self.min.min(next.min);
        self.max = self.max.max(next.max);
        self.sum += next.sum;
    }
}

/// Statistics of the accepted samples, and which samples were flagged instead.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceStatistics {
    /// Number of samples, flagged ones included.
    pub samples: u64,
    /// Samples that are terminated and solved within the residual.
    pub accepted: u64,
    /// Samples by how they ended, without flagged ones.
    pub status: [u64; Status::ALL.len()],
    /// Steps, without those of flagged samples.
    pub steps_sum: u64,
    /// The most steps of a sample that is not flagged.
    pub steps_max: u32,
    /// The forms of the accepted samples.
    pub forms: Vec<Extent>,
    /// The kinetic energy of the accepted samples, J.
    pub energy: Extent,
    /// The residual of the accepted samples.
    pub residual: Extent,
    /// Accepted samples by contact modes, two bits per contact, see [`Mode`]; empty above five contacts.
    pub modes: Vec<u64>,
    /// The histogram of the accepted samples.
    pub bins: [u64; BINS],
    /// The numbers of the flagged samples.
    pub flagged: Vec<u64>,
}

/// The rules by which samples enter statistics, in the precision of a kernel.
#[derive(Debug)]
struct Rules<'a, R> {
    bound: &'a Bound<R>,
    spec: &'a StatisticsSpec,
    numbers: Vec<R>,
    /// The residual above which a sample is flagged.
    residual: f64,
    /// The steps from which on it is.
    long_run: u32,
}

impl<'a, R: Real> Rules<'a, R> {
    fn new(bound: &'a Bound<R>, spec: &'a StatisticsSpec) -> Self {
        let long_run = if R::EPSILON > f64::EPSILON { LONG_RUN } else { u32::MAX };
        let residual = flag::<R>(bound.step.contacts);
        Rules { bound, spec, numbers: spec.numbers(bound), residual, long_run }
    }

    /// Adds a sample with dimensionless impulse `l` (2m), or lists it; a repaired one is never listed.
    fn add(&self, to: &mut DeviceStatistics, sample: u64, ending: Ending<R>, l: &[R], repaired: bool) {
        let (m, k) = (self.bound.step.contacts, l.len());
        let mut u_plus = vec![R::ZERO; k];
        self.bound.step.advance(&self.bound.start, l, &mut u_plus);
        let energy = (0..k).fold(R::ZERO, |sum, j| sum + l[j] * (self.bound.start[j] + u_plus[j]));
        let over = (0..m).all(|j| u_plus[j] >= self.bound.rest[j]);
        let sound = ending.residual.to_f64() <= self.residual
            && ending.steps < self.long_run
            && Real::is_finite(energy)
            && (ending.status != Status::Terminated || over)
            && matches!(ending.status, Status::Terminated | Status::StepLimit);
        if !sound && !repaired {
            to.flagged.push(sample);
            return;
        }
        to.status[ending.status as usize] += 1;
        to.steps_sum += u64::from(ending.steps);
        to.steps_max = to.steps_max.max(ending.steps);
        if !sound || ending.status != Status::Terminated {
            return;
        }
        to.accepted += 1;
        if let Some(count) = to.modes.get_mut(self.modes(&u_plus)) {
            *count += 1;
        }
        let form = |f: usize| (0..k).fold(R::ZERO, |sum, j| sum + self.numbers[f * k + j] * l[j]);
        if let Some(histogram) = self.spec.histogram {
            let at = self.spec.forms.len() * k;
            let place = (form(histogram.form) - self.numbers[at]) * self.numbers[at + 1];
            to.bins[place.clamp(R::ZERO, R::from_f64((BINS - 1) as f64)).to_f64() as usize] += 1;
        }
        let one = |x: R| Extent { min: x.to_f64(), max: x.to_f64(), sum: x.to_f64() };
        for f in 0..self.spec.forms.len() {
            self.take(to, f, one(form(f)), 1);
        }
        self.take(to, self.spec.forms.len(), one(energy), 1);
        self.take(to, self.spec.forms.len() + 1, one(ending.residual), 1);
    }

    fn modes(&self, u_plus: &[R]) -> usize {
        let (m, sigma) = (self.bound.step.contacts, &self.bound.step.sigma);
        (0..m).fold(0, |modes, j| {
            let rest = -self.bound.rest[j];
            let rest_t = rest * sigma[j] / sigma[m + j];
            let ut = u_plus[m + j];
            let mode = if u_plus[j] > rest {
                Mode::Lift
            } else if self.spec.tangents == 0 || ut > rest_t {
                Mode::Slide
            } else if ut < -rest_t {
                Mode::SlideBack
            } else {
                Mode::Stick
            };
            modes | (mode as usize) << (2 * j)
        })
    }

    /// Adds quantity `f` of `count` samples as the kernel computes it: a form without its constant, twice the change of
    /// energy, dimensionless, or the residual.
    fn take(&self, to: &mut DeviceStatistics, f: usize, extent: Extent, count: u64) {
        let (factor, constant) = match self.spec.forms.get(f) {
            Some(form) => (1.0, form.constant),
            None if f == self.spec.forms.len() => {
                (0.5 * self.bound.scaling.velocity * self.bound.scaling.impulse, self.spec.energy)
            }
            None => (1.0, 0.0),
        };
        if count == 0 {
            return;
        }
        let [min, max] = [extent.min, extent.max].map(|x| constant + factor * x);
        let extent = Extent { min, max, sum: constant * count as f64 + factor * extent.sum };
        match to.forms.get_mut(f) {
            Some(form) => form.add(extent),
            None if f == self.spec.forms.len() => to.energy.add(extent),
            None => to.residual.add(extent),
        }
    }

    fn none(&self) -> DeviceStatistics {
        let table = mode_table(self.bound.step.contacts);
        DeviceStatistics {
            samples: 0,
            accepted: 0,
            status: [0; 4],
            steps_sum: 0,
            steps_max: 0,
            forms: vec![Extent::NONE; self.spec.forms.len()],
            energy: Extent::NONE,
            residual: Extent::NONE,
            modes: vec![0; if table > 1 { table } else { 0 }],
            bins: [0; BINS],
            flagged: Vec::new(),
        }
    }
}

impl DeviceStatistics {
    /// Those of samples that were copied back: `first ..`, one ending and one dimensionless impulse (2m) each.
    pub fn of<R: Real>(
        bound: &Bound<R>,
        spec: &StatisticsSpec,
        first: u64,
        endings: &[Ending<R>],
        impulses: &[R],
    ) -> Self {
        let rules = Rules::new(bound, spec);
        let mut statistics = rules.none();
        statistics.samples = endings.len() as u64;
        let rows = impulses.chunks(2 * bound.step.contacts);
        for ((sample, &ending), l) in (first..).zip(endings).zip(rows) {
            rules.add(&mut statistics, sample, ending, l, false);
        }
        statistics
    }

    /// Solves the flagged samples again in f64 and adds them.
    pub fn repair(&mut self, reference: &Bound<f64>, spec: &StatisticsSpec, seed: u64) {
        let rules = Rules::new(reference, spec);
        let solved: Vec<_> = std::mem::take(&mut self.flagged)
            .into_par_iter()
            .map_init(
                || reference.workspace(),
                |work, sample| {
                    let ending = reference.sample(&Stream::new(seed, sample), work);
                    (sample, ending, work.total.clone())
                },
            )
            .collect();
        for (sample, ending, l) in solved {
            rules.add(self, sample, ending, &l, true);
        }
    }
}

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
    /// A reduction of what two kernels of one bound problem and one seed compute.
    ///
    /// # Errors
    /// A device that reports trouble.
    pub fn new(kernels: [Kernel<'a>; 2], bound: &'a Bound<R>, spec: &'a StatisticsSpec) -> Result<Self> {
        let gpu = kernels[0].gpu;
        let m = bound.step.contacts;
        let rules = Rules::new(bound, spec);
        let key = KernelKey { kind: KernelKind::Statistics, contacts: m, double: R::EPSILON <= f64::EPSILON };
        let pipeline = gpu.pipeline(key)?;
        let chunk = kernels[0].chunk();
        let groups = chunk.div_ceil(u64::from(WORKGROUP) * SHARE as u64);
        let bytes = [
            4 * (COUNT_MODES + mode_table(m)) as u64,
            (chunk / 8 * 4).max(4),
            groups * 3 * (spec.forms.len() as u64 + 2) * size_of::<R>() as u64,
        ];
        let mut numbers = problem_buffer(bound);
        numbers.resize(numbers.len().next_multiple_of(4), R::ZERO);
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
