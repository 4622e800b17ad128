//! Statistics of samples, added one by one or from the reductions of the kernel.

use super::kernels::statistics::{
    BINS, COUNT_BINS, COUNT_MODES, COUNT_MOST_STEPS, COUNT_STEPS, ChunkUniform, SAMPLES, STEP_BITS,
    STEP_DIGITS, mode_table,
};
use super::statistics::{DeviceStatistics, Extent, StatisticsSpec};
use carom_core::outcome::Mode;
use carom_core::outcome::verdict::{FlagLimits, is_accepted, is_flagged, settled_residual};
use carom_core::{ContactSpace, Real, Status};
use carom_law::{Ending, Process, ProcessKind};

/// Adds samples to statistics, in the precision of a kernel.
#[derive(Debug)]
pub struct Tally<'a, R> {
    space: &'a ContactSpace<R>,
    spec: &'a StatisticsSpec,
    /// The contents of the kernel's buffer `forms`.
    pub numbers: Vec<R>,
    limits: FlagLimits,
    /// The largest residual of an accepted sample.
    residual: f64,
    /// Energy before the impact, in the units of [`Tally::take`]; infinite if energy may grow. A
    /// gain of energy over this scale counts as a residual.
    gain: f64,
}

/// The results of the reduction of a chunk.
#[derive(Clone, Debug)]
pub struct Reduced<R> {
    /// Number of its first sample.
    pub first: u64,
    /// Number of samples.
    pub count: u32,
    /// The counters.
    pub counters: Vec<u32>,
    /// The flagged samples, counted from the first.
    pub flagged: Vec<u32>,
    /// Extents of all quantities, workgroup by workgroup.
    pub partials: Vec<R>,
}

impl<'a, R: Real> Tally<'a, R> {
    /// A tally for samples in a contact space. Samples are accepted up to `residual`; samples of
    /// the inclusion are flagged beyond it.
    pub fn new(
        space: &'a ContactSpace<R>,
        spec: &'a StatisticsSpec,
        residual: f64,
        kind: ProcessKind,
    ) -> Self {
        let limits = match kind {
            ProcessKind::Inclusion => FlagLimits { residual, long_run: u32::MAX },
            _ => FlagLimits::new::<R>(space.step.contacts, space.step.axes),
        };
        let unit = 0.5 * space.scaling.velocity * space.scaling.impulse;
        let gain = if spec.dissipates { spec.energy / unit } else { f64::INFINITY };
        Tally { space, spec, numbers: spec.numbers(space), limits, residual, gain }
    }

    /// The uniform for a chunk of `count` samples.
    pub fn uniform(&self, count: u32) -> ChunkUniform {
        ChunkUniform {
            count,
            forms: self.spec.forms.len() as u32,
            tangents: self.spec.tangents as u32,
            long_run: self.limits.long_run,
            histogram: self.spec.histogram.map_or(u32::MAX, |h| h.form as u32),
            residual: self.limits.residual as f32,
            gain: (self.limits.residual * self.gain).min(f64::from(f32::MAX)) as f32,
            padding: 0,
        }
    }

    /// Number of quantities: the forms, the energy and the residual.
    fn quantities(&self) -> usize {
        self.spec.forms.len() + 2
    }

    /// Number of counters, and of partial results for `count` samples.
    pub fn sizes(&self, count: u64) -> [usize; 2] {
        let groups = count.div_ceil(u64::from(SAMPLES)) as usize;
        [COUNT_MODES + mode_table(self.space.step.contacts), 3 * groups * self.quantities()]
    }

    /// Adds a chunk.
    pub fn add_chunk(&self, to: &mut DeviceStatistics, chunk: &Reduced<R>) {
        let Reduced { first, count, counters, flagged, partials } = chunk;
        let before = to.flagged.len();
        to.flagged.extend(flagged.iter().map(|&i| first + u64::from(i)));
        to.flagged[before..].sort_unstable();
        for (status, &count) in to.status.iter_mut().zip(counters) {
            *status += u64::from(count);
        }
        let accepted = u64::from(counters[Status::Terminated as usize]);
        to.accepted += accepted;
        for (digit, &sum) in counters[COUNT_STEPS..][..STEP_DIGITS].iter().enumerate() {
            to.steps_sum += u64::from(sum) << (digit * STEP_BITS);
        }
        to.steps_max = to.steps_max.max(counters[COUNT_MOST_STEPS]);
        for (bin, &count) in to.bins.iter_mut().zip(&counters[COUNT_BINS..]) {
            *bin += u64::from(count);
        }
        for (mode, &count) in to.modes.iter_mut().zip(&counters[COUNT_MODES..]) {
            *mode += u64::from(count);
        }
        let groups = count.div_ceil(SAMPLES) as usize;
        for f in 0..self.quantities() {
            let mut all = Extent::NONE;
            for group in 0..groups {
                let of = &partials[3 * (group * self.quantities() + f)..][..3];
                all.add(Extent { min: of[0].to_f64(), max: of[1].to_f64(), sum: of[2].to_f64() });
            }
            self.take(to, f, all, accepted);
        }
    }

    /// Adds a sample with dimensionless impulse `l` (K), or lists it as flagged; a repaired sample
    /// is never listed.
    pub fn add(
        &self,
        to: &mut DeviceStatistics,
        sample: u64,
        ending: Ending<R>,
        l: &[R],
        repaired: bool,
    ) {
        let ContactSpace { step, start, rest, .. } = self.space;
        let (m, k) = (step.contacts, l.len());
        let Ending { status, steps, residual } = ending;
        let mut u_plus = vec![R::ZERO; k];
        step.advance(start, l, &mut u_plus);
        let energy = (0..k).fold(R::ZERO, |sum, j| sum + l[j] * (start[j] + u_plus[j]));
        let at_rest = (0..m).all(|j| u_plus[j] >= rest[j]);
        let (finite, mut residual) = (Real::is_finite(energy), residual.to_f64());
        let gained = energy.to_f64() / self.gain;
        if gained > self.limits.residual {
            residual = residual.max(gained);
        }
        if repaired {
            let approach = (0..m).map(|j| (u_plus[j] / rest[j]).to_f64()).fold(0.0, f64::max);
            residual = settled_residual(status, residual, approach, self.residual);
        } else if is_flagged(status, steps, residual, at_rest, finite, self.limits) {
            to.flagged.push(sample);
            return;
        }
        to.status[status as usize] += 1;
        to.steps_sum += u64::from(steps);
        to.steps_max = to.steps_max.max(steps);
        if !is_accepted(status, residual, finite, self.residual) {
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
        let one = |x: f64| Extent { min: x, max: x, sum: x };
        let forms = self.spec.forms.len();
        for f in 0..forms {
            self.take(to, f, one(form(f).to_f64()), 1);
        }
        self.take(to, forms, one(energy.to_f64()), 1);
        self.take(to, forms + 1, one(residual), 1);
    }

    /// The modes of the contacts after the impact, in two bits each.
    fn modes(&self, u_plus: &[R]) -> usize {
        let step = &self.space.step;
        (0..step.contacts).fold(0, |modes, j| {
            let rest = -self.space.rest[j];
            let t = step.contacts + step.axes * j;
            let tangent = &u_plus[t..][..self.spec.tangents];
            let rest_t = rest * step.sigma[j] / step.sigma[t];
            let mode = Mode::of(u_plus[j], tangent, [rest, rest_t]);
            modes | (mode as usize) << (2 * j)
        })
    }

    /// Adds quantity `f` of `count` samples in the units of the kernel: a form without its
    /// constant, twice the dimensionless change of energy, or the residual.
    fn take(&self, to: &mut DeviceStatistics, f: usize, extent: Extent, count: u64) {
        let (factor, constant) = match self.spec.forms.get(f) {
            Some(form) => (1.0, form.constant),
            None if f == self.spec.forms.len() => {
                (0.5 * self.space.scaling.velocity * self.space.scaling.impulse, self.spec.energy)
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

    /// Statistics without samples.
    pub fn none(&self) -> DeviceStatistics {
        let table = mode_table(self.space.step.contacts);
        DeviceStatistics {
            samples: 0,
            accepted: 0,
            status: [0; Status::ALL.len()],
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
    /// The statistics of samples copied back: `first ..`, one ending and one dimensionless impulse
    /// (K) each.
    pub fn of<R: Real>(
        process: &Process<R>,
        spec: &StatisticsSpec,
        first: u64,
        endings: &[Ending<R>],
        impulses: &[R],
    ) -> Self {
        let tally = Tally::new(process.space(), spec, process.most_residual::<R>(), process.kind());
        let mut statistics = tally.none();
        statistics.samples = endings.len() as u64;
        let rows = impulses.chunks(process.space().step.width());
        for ((sample, &ending), l) in (first..).zip(endings).zip(rows) {
            tally.add(&mut statistics, sample, ending, l, false);
        }
        statistics
    }
}
