//! What there is to know of samples without the samples: extents, counts, and which were flagged.

use rayon::prelude::*;

use super::source::{BINS, mode_table};
use crate::engine::check::{LONG_RUN, flag};
use crate::engine::plan::Plan;
use crate::law::contact_space::ContactSpace;
use crate::law::{Ending, Process};
use crate::outcome::{Mode, Spread, Summary};
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
    pub(super) tangents: usize,
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
    fn numbers<R: Real>(&self, space: &ContactSpace<R>) -> Vec<R> {
        let k = 2 * space.step.contacts;
        let unit = |j: usize| space.scaling.impulse / space.scaling.sigma[j];
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
    pub(super) const NONE: Extent = Extent { min: f64::INFINITY, max: f64::NEG_INFINITY, sum: 0.0 };

    pub(super) fn add(&mut self, next: Extent) {
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
pub(super) struct Rules<'a, R> {
    space: &'a ContactSpace<R>,
    pub(super) spec: &'a StatisticsSpec,
    pub(super) numbers: Vec<R>,
    /// The residual above which a sample is flagged.
    pub(super) residual: f64,
    /// The steps from which on it is.
    pub(super) long_run: u32,
}

impl<'a, R: Real> Rules<'a, R> {
    pub(super) fn new(space: &'a ContactSpace<R>, spec: &'a StatisticsSpec) -> Self {
        let long_run = if R::EPSILON > f64::EPSILON { LONG_RUN } else { u32::MAX };
        let residual = flag::<R>(space.step.contacts, space.step.axes);
        Rules { space, spec, numbers: spec.numbers(space), residual, long_run }
    }

    /// Adds a sample with dimensionless impulse `l` (2m), or lists it; a repaired one is never listed.
    fn add(&self, to: &mut DeviceStatistics, sample: u64, ending: Ending<R>, l: &[R], repaired: bool) {
        let (m, k) = (self.space.step.contacts, l.len());
        let mut u_plus = vec![R::ZERO; k];
        self.space.step.advance(&self.space.start, l, &mut u_plus);
        let energy = (0..k).fold(R::ZERO, |sum, j| sum + l[j] * (self.space.start[j] + u_plus[j]));
        let over = (0..m).all(|j| u_plus[j] >= self.space.rest[j]);
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
        let (m, sigma) = (self.space.step.contacts, &self.space.step.sigma);
        (0..m).fold(0, |modes, j| {
            let rest = -self.space.rest[j];
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
    pub(super) fn take(&self, to: &mut DeviceStatistics, f: usize, extent: Extent, count: u64) {
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

    pub(super) fn none(&self) -> DeviceStatistics {
        let table = mode_table(self.space.step.contacts);
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
        bound: &Process<R>,
        spec: &StatisticsSpec,
        first: u64,
        endings: &[Ending<R>],
        impulses: &[R],
    ) -> Self {
        let rules = Rules::new(bound.space(), spec);
        let mut statistics = rules.none();
        statistics.samples = endings.len() as u64;
        let rows = impulses.chunks(2 * bound.space().step.contacts);
        for ((sample, &ending), l) in (first..).zip(endings).zip(rows) {
            rules.add(&mut statistics, sample, ending, l, false);
        }
        statistics
    }

    /// Solves the flagged samples of `bound` again in f64 and adds them; returns how many. What counts as rest stays
    /// what it is to `bound`.
    pub fn repair<R: Real>(
        &mut self,
        bound: &Process<R>,
        reference: &Process<f64>,
        spec: &StatisticsSpec,
        plan: &Plan,
    ) -> u64 {
        let rest = bound.space().rest.iter().map(|rest| rest.to_f64()).collect();
        let counted = ContactSpace { rest, ..reference.space().clone() };
        let rules = Rules::new(&counted, spec);
        let prepare = || {
            let mut work = reference.workspace();
            work.stop().clone_from(&plan.stop);
            work
        };
        let flagged = std::mem::take(&mut self.flagged);
        let count = flagged.len() as u64;
        let solved: Vec<_> = flagged
            .into_par_iter()
            .map_init(prepare, |work, sample| {
                let ending = reference.sample(&Stream::new(plan.seed, sample), work);
                (sample, ending, work.total().to_vec())
            })
            .collect();
        for (sample, ending, l) in solved {
            rules.add(self, sample, ending, &l, true);
        }
        count
    }

    /// The same as a summary, of forms that are contact velocity and velocity in this order; `empty` is one without
    /// samples, and `repaired` the number of those that were.
    pub fn summary(&self, mut empty: Summary, repaired: u64) -> Summary {
        let spread = |extents: &[Extent]| {
            Spread::of(self.accepted, extents.iter().map(|extent| (extent.min, extent.max, extent.sum)))
        };
        let m = empty.normal_velocity.width();
        let k = m + empty.tangent_velocity.width();
        let n = empty.velocity.width();
        empty.samples = self.samples;
        empty.accepted = self.accepted;
        empty.repaired = repaired;
        empty.status = self.status;
        empty.steps_sum = self.steps_sum;
        empty.steps_max = self.steps_max;
        empty.residual_max = self.residual.max.max(0.0);
        empty.normal_velocity = spread(&self.forms[..m]);
        empty.tangent_velocity = spread(&self.forms[m..k]);
        empty.velocity = spread(&self.forms[k..k + n]);
        // A change of energy is computed, so rounding may leave a little less than none.
        empty.kinetic_energy = spread(&[Extent { min: self.energy.min.max(0.0), ..self.energy }]);
        for (key, &count) in (0..).zip(&self.modes).filter(|(_, count)| **count > 0) {
            empty.modes.count(vec![key], count);
        }
        empty
    }
}
