//! Statistics of samples from the reduction on a device: extents, counts, and numbers of flagged
//! samples.

use super::kernels::statistics::BINS;
use carom_core::outcome::{Spread, Summary};
use carom_core::{ContactProblem, ContactSpace, Real, Status};

/// A quantity that is affine in the impulse `L` (N s): `constant + coefficients . L`.
#[derive(Clone, Debug)]
pub struct LinearForm {
    /// The value at impulse 0.
    pub constant: f64,
    /// The coefficients, one per impulse.
    pub coefficients: Vec<f64>,
}

/// A count of the values of a form in each of [`BINS`] equal bins; values outside count in the
/// outermost bins.
#[derive(Clone, Copy, Debug)]
pub struct Histogram {
    /// The index of the form.
    pub form: usize,
    /// Lower end of the first bin.
    pub low: f64,
    /// Upper end of the last bin.
    pub high: f64,
}

/// The requested quantities.
#[derive(Clone, Debug)]
pub struct StatisticsSpec {
    /// The forms: contact velocity `u+` (k), velocity `v+` (n), and requested ones.
    pub forms: Vec<LinearForm>,
    /// The histogram of one form.
    pub histogram: Option<Histogram>,
    pub(super) tangents: usize,
    pub(super) energy: f64,
    /// Whether this energy bounds all samples.
    pub(super) dissipates: bool,
}

impl StatisticsSpec {
    /// The statistics of contact velocity and velocity of `problem`.
    pub fn new(problem: &ContactProblem) -> Self {
        let rows = |constant: &[f64], matrix: &nalgebra::DMatrix<f64>| -> Vec<LinearForm> {
            let row = |i: usize| matrix.row(i).iter().copied().collect();
            (0..constant.len())
                .map(|i| LinearForm { constant: constant[i], coefficients: row(i) })
                .collect()
        };
        let mut forms = rows(problem.contact_velocity().as_slice(), problem.delassus());
        forms.extend(rows(problem.velocity().as_slice(), problem.response()));
        StatisticsSpec {
            forms,
            histogram: None,
            tangents: problem.tangents_per_contact(),
            energy: problem.kinetic_energy(problem.velocity().as_slice()),
            dissipates: problem.uncertainty().keeps_energy(),
        }
    }

    /// Adds `direction . u+`, whose largest value is the support of the outcome set in this
    /// direction.
    #[must_use]
    pub fn direction(mut self, direction: &[f64]) -> Self {
        let sum = |term: &dyn Fn(&LinearForm) -> f64| -> f64 {
            direction.iter().zip(&self.forms).map(|(d, form)| d * term(form)).sum()
        };
        let coefficients =
            (0..direction.len()).map(|j| sum(&|form| form.coefficients[j])).collect();
        let form = LinearForm { constant: sum(&|form| form.constant), coefficients };
        self.forms.push(form);
        self
    }

    /// Sets whether the energy before the impact bounds all samples.
    #[must_use]
    pub fn dissipating(self, dissipates: bool) -> Self {
        StatisticsSpec { dissipates, ..self }
    }

    /// The rows of the forms over the dimensionless impulse (K each); then lower end and bins per
    /// unit of the histogram.
    pub(super) fn numbers<R: Real>(&self, space: &ContactSpace<R>) -> Vec<R> {
        let k = space.step.width();
        let unit = |j: usize| space.scaling.impulse / space.scaling.sigma[j];
        let mut numbers: Vec<R> = Vec::new();
        for form in &self.forms {
            let entry = |j: usize| form.coefficients.get(j).map_or(0.0, |c| c * unit(j));
            numbers.extend((0..k).map(|j| R::from_f64(entry(j))));
        }
        let (low, per_unit) = self.histogram.map_or((0.0, 0.0), |h| {
            (h.low - self.forms[h.form].constant, BINS as f64 / (h.high - h.low))
        });
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
    /// The sum of all values.
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

/// Statistics of the accepted samples, and the numbers of the flagged ones, which are not included.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceStatistics {
    /// Number of samples, flagged ones included.
    pub samples: u64,
    /// Samples that are terminated and solved within the residual.
    pub accepted: u64,
    /// Number of samples by status, without flagged ones.
    pub status: [u64; Status::ALL.len()],
    /// Sum of the steps, flagged samples excluded.
    pub steps_sum: u64,
    /// The most steps of a sample, flagged ones excluded.
    pub steps_max: u32,
    /// The extents of the forms over the accepted samples.
    pub forms: Vec<Extent>,
    /// The kinetic energy of the accepted samples, J.
    pub energy: Extent,
    /// The residual of the accepted samples.
    pub residual: Extent,
    /// Number of accepted samples by contact modes, two bits per contact, see
    /// [`Mode`](carom_core::outcome::Mode); empty above five contacts.
    pub modes: Vec<u64>,
    /// The histogram of the accepted samples.
    pub bins: [u64; BINS],
    /// The numbers of the flagged samples.
    pub flagged: Vec<u64>,
}

impl DeviceStatistics {
    /// Adds the statistics of other samples.
    pub fn merge(&mut self, other: &DeviceStatistics) {
        self.samples += other.samples;
        self.accepted += other.accepted;
        self.steps_sum += other.steps_sum;
        self.steps_max = self.steps_max.max(other.steps_max);
        let counts = |to: &mut [u64], from: &[u64]| {
            to.iter_mut().zip(from).for_each(|(to, from)| *to += from)
        };
        counts(&mut self.status, &other.status);
        counts(&mut self.modes, &other.modes);
        counts(&mut self.bins, &other.bins);
        self.forms.iter_mut().zip(&other.forms).for_each(|(to, from)| to.add(*from));
        self.energy.add(other.energy);
        self.residual.add(other.residual);
        self.flagged.extend(&other.flagged);
    }

    /// A summary with these statistics, whose forms are contact velocity and velocity in this
    /// order. `empty` is the summary without samples, `repaired` the number of repaired samples.
    pub fn summary(&self, mut empty: Summary, repaired: u64) -> Summary {
        let spread = |extents: &[Extent]| {
            let of = |extent: &Extent| (extent.min, extent.max, [extent.sum].into_iter().collect());
            Spread::of(self.accepted, extents.iter().map(of))
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
        // The energy is a sum with rounding errors, which may be slightly negative.
        empty.kinetic_energy = spread(&[Extent { min: self.energy.min.max(0.0), ..self.energy }]);
        for (key, &count) in (0..).zip(&self.modes).filter(|(_, count)| **count > 0) {
            empty.modes.count(vec![key], count);
        }
        empty
    }
}
