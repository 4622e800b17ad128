//! Statistics of a set of samples, updated batch by batch.

use crate::Status;
use crate::outcome::group::{Group, GroupColumn, WIDTH};
use crate::outcome::modes::ModeCounts;
use crate::outcome::set::Samples;
use crate::outcome::sum::Sum;

/// The thresholds of rest and of accepted residuals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// The normal speed in m/s up to which a contact counts as at rest.
    pub rest: f64,
    /// The largest residual of an accepted sample, dimensionless.
    pub residual: f64,
}

/// Smallest and largest value and sum. Eight values are processed side by side for vector
/// instructions, in an order that does not depend on the vector width.
#[inline(always)]
fn extremes(values: &[f64]) -> (f64, f64, f64) {
    let (mut min, mut max, mut sum) = ([f64::INFINITY; 8], [f64::NEG_INFINITY; 8], [0.0; 8]);
    let (rows, rest) = values.as_chunks::<8>();
    for row in rows {
        for l in 0..8 {
            min[l] = if row[l] < min[l] { row[l] } else { min[l] };
            max[l] = if row[l] > max[l] { row[l] } else { max[l] };
            sum[l] += row[l];
        }
    }
    let mut all = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
    for l in 0..8 {
        all = (all.0.min(min[l]), all.1.max(max[l]), all.2 + sum[l]);
    }
    rest.iter().fold(all, |all, &x| (all.0.min(x), all.1.max(x), all.2 + x))
}

/// Smallest, largest and mean value of each of several quantities.
#[derive(Clone, Debug, PartialEq)]
pub struct Spread {
    count: u64,
    min: Vec<f64>,
    max: Vec<f64>,
    /// The sums of added values; exact sums of merged ones, which do not depend on their order.
    sum: Vec<f64>,
    merged: Vec<Sum>,
}

impl Spread {
    fn new(width: usize) -> Self {
        let filled = |x| vec![x; width];
        Spread {
            count: 0,
            min: filled(f64::INFINITY),
            max: filled(f64::NEG_INFINITY),
            sum: filled(0.0),
            merged: Vec::new(),
        }
    }

    /// The spreads of quantities from the smallest and largest value and the sum over `count`
    /// samples, each in its own unit.
    pub fn of(count: u64, extents: impl Iterator<Item = (f64, f64, Sum)>) -> Self {
        let mut spread = Spread::new(0);
        spread.count = count;
        for (min, max, sum) in extents {
            spread.min.push(min);
            spread.max.push(max);
            spread.sum.push(0.0);
            spread.merged.push(sum);
        }
        spread
    }

    /// Adds `count` values of each quantity.
    #[inline(always)]
    fn add<'a>(&mut self, columns: impl Iterator<Item = &'a GroupColumn>, count: usize) {
        self.count += count as u64;
        for (i, column) in columns.enumerate() {
            let (min, max, sum) = extremes(&column[..count]);
            self.min[i] = self.min[i].min(min);
            self.max[i] = self.max[i].max(max);
            self.sum[i] += sum;
        }
    }

    fn merge(&mut self, next: &Spread) {
        self.count += next.count;
        self.merged.resize(self.sum.len(), Sum::default());
        for i in 0..self.sum.len() {
            self.min[i] = self.min[i].min(next.min[i]);
            self.max[i] = self.max[i].max(next.max[i]);
            if let Some(sum) = next.merged.get(i) {
                self.merged[i].merge(sum);
            }
            self.merged[i].add(next.sum[i]);
        }
    }

    /// The sum of quantity `i`, exact except for the rounding within each added group.
    pub fn sum(&self, i: usize) -> Sum {
        let mut sum = self.merged.get(i).cloned().unwrap_or_default();
        sum.add(self.sum[i]);
        sum
    }

    /// Number of quantities.
    pub fn width(&self) -> usize {
        self.sum.len()
    }

    /// Smallest, largest and mean value of quantity `i`; `None` before the first sample.
    pub fn get(&self, i: usize) -> Option<(f64, f64, f64)> {
        (self.count > 0)
            .then(|| (self.min[i], self.max[i], self.sum(i).value() / self.count as f64))
    }
}

/// The statistics of a set of samples.
///
/// Sums are taken in the order in which samples are added; merging does not round them. So one
/// summary per batch of consecutive samples gives the same bits for any number of threads, and for
/// any partition and order of merging.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Number of samples.
    pub samples: u64,
    /// Samples that have terminated, are finite, and have a residual of at most
    /// [`Tolerance::residual`].
    pub accepted: u64,
    /// Samples recomputed in double precision.
    pub repaired: u64,
    /// Steps over all samples.
    pub steps_sum: u64,
    /// Largest number of steps in a sample.
    pub steps_max: u32,
    /// The largest residual of an accepted sample, dimensionless.
    pub residual_max: f64,
    /// Velocity `v+` (n) of the accepted samples, in the units of the coordinates.
    pub velocity: Spread,
    /// Normal contact velocity (m) of the accepted samples, m/s.
    pub normal_velocity: Spread,
    /// Tangential contact velocity (d m) of the accepted samples, m/s.
    pub tangent_velocity: Spread,
    /// Kinetic energy after the impact (1) of the accepted samples, J.
    pub kinetic_energy: Spread,
    /// Contact modes of the accepted samples; for forecasts, contact modes of the law's outcomes.
    pub modes: ModeCounts,
    /// The number of samples of each status.
    pub status: [u64; Status::ALL.len()],
    tolerance: Tolerance,
}

impl Summary {
    /// Empty statistics of a problem with n `coordinates` and m `contacts` with d `tangents` each.
    pub fn new(coordinates: usize, contacts: usize, tangents: usize, tolerance: Tolerance) -> Self {
        Summary {
            samples: 0,
            accepted: 0,
            repaired: 0,
            steps_sum: 0,
            steps_max: 0,
            residual_max: 0.0,
            velocity: Spread::new(coordinates),
            normal_velocity: Spread::new(contacts),
            tangent_velocity: Spread::new(tangents * contacts),
            kinetic_energy: Spread::new(1),
            modes: ModeCounts::new(contacts, tangents, tolerance.rest),
            status: [0; Status::ALL.len()],
            tolerance,
        }
    }

    /// Adds samples, in their order.
    pub fn add(&mut self, samples: &Samples) {
        let n = self.velocity.width();
        let mut group = Group::new(n, self.normal_velocity.width() + self.tangent_velocity.width());
        for at in (0..samples.len()).step_by(WIDTH) {
            samples.get(at, &mut group);
            self.add_group(&mut group);
        }
    }

    /// Adds a group of samples, and removes its samples that are not accepted.
    #[inline(always)]
    pub fn add_group(&mut self, group: &mut Group) {
        let m = self.normal_velocity.width();
        let count = group.len;
        self.samples += count as u64;
        for status in Status::ALL {
            let ended = group.status[..count].iter().filter(|s| **s == status).count();
            self.status[status as usize] += ended as u64;
        }
        self.repaired +=
            group.repaired[..count].iter().filter(|repaired| **repaired).count() as u64;
        self.steps_sum += group.steps[..count].iter().map(|&steps| u64::from(steps)).sum::<u64>();
        self.steps_max =
            group.steps[..count].iter().fold(self.steps_max, |most, &steps| most.max(steps));
        group.keep_accepted(self.tolerance.residual);
        let count = group.len;
        self.accepted += count as u64;
        self.residual_max = self.residual_max.max(extremes(&group.residual[..count]).1);
        self.velocity.add(group.velocity.iter(), count);
        self.normal_velocity.add(group.contact_velocity[..m].iter(), count);
        self.tangent_velocity.add(group.contact_velocity[m..].iter(), count);
        self.kinetic_energy.add([&group.kinetic_energy].into_iter(), count);
        let outcome =
            if group.outcome.is_empty() { &group.contact_velocity } else { &group.outcome };
        self.modes.add(outcome, count);
    }

    /// Adds the statistics of other samples of the same problem.
    pub fn merge(&mut self, next: &Summary) {
        self.samples += next.samples;
        self.accepted += next.accepted;
        self.repaired += next.repaired;
        self.steps_sum += next.steps_sum;
        self.steps_max = self.steps_max.max(next.steps_max);
        self.residual_max = self.residual_max.max(next.residual_max);
        self.velocity.merge(&next.velocity);
        self.normal_velocity.merge(&next.normal_velocity);
        self.tangent_velocity.merge(&next.tangent_velocity);
        self.kinetic_energy.merge(&next.kinetic_energy);
        self.modes.merge(&next.modes);
        for (sum, count) in self.status.iter_mut().zip(next.status) {
            *sum += count;
        }
    }

    /// Number of samples that ended with `status`.
    pub fn count(&self, status: Status) -> u64 {
        self.status[status as usize]
    }

    /// Number of samples in which the impact is over.
    pub fn terminated(&self) -> u64 {
        self.count(Status::Terminated)
    }

    /// Share of the terminated samples that are not accepted, in [0, 1]; 0 where none terminated.
    pub fn rejected_share(&self) -> f64 {
        let terminated = self.terminated();
        if terminated == 0 { 0.0 } else { (terminated - self.accepted) as f64 / terminated as f64 }
    }

    /// Mean number of steps per sample; `None` before the first sample.
    pub fn steps_mean(&self) -> Option<f64> {
        (self.samples > 0).then(|| self.steps_sum as f64 / self.samples as f64)
    }

    /// The thresholds of rest and of accepted residuals.
    pub fn tolerance(&self) -> Tolerance {
        self.tolerance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Samples {
        let ends = [
            (Status::Terminated, 1e-9, 1.0),
            (Status::Terminated, 0.5, 100.0),
            (Status::StepLimit, 0.0, 100.0),
            (Status::Terminated, 0.0, f64::NAN),
            (Status::Terminated, 1e-8, 3.0),
            (Status::Unsolved, f64::NAN, 100.0),
        ];
        Samples {
            first: 7,
            velocity: ends.iter().flat_map(|e| [e.2, -e.2]).collect(),
            contact_velocity: ends.iter().flat_map(|e| [0.0, e.2]).collect(),
            impulse: vec![1.0; 12],
            kinetic_energy: vec![2.0; 6],
            steps: vec![1, 2, 1000, 3, 4, 5],
            status: ends.iter().map(|e| e.0).collect(),
            residual: ends.iter().map(|e| e.1).collect(),
            repaired: vec![false, true, false, false, true, false],
        }
    }

    #[test]
    fn only_checked_samples_are_accepted() {
        let mut summary = Summary::new(2, 1, 1, Tolerance { rest: 1e-7, residual: 1e-6 });
        assert_eq!(summary.velocity.get(0), None);
        summary.add(&samples());
        assert_eq!((summary.samples, summary.terminated()), (6, 4));
        assert_eq!((summary.accepted, summary.repaired), (2, 2));
        assert_eq!((summary.count(Status::StepLimit), summary.count(Status::Unsolved)), (1, 1));
        assert_eq!((summary.steps_sum, summary.steps_max), (1015, 1000));
        assert_eq!(summary.residual_max, 1e-8);
        assert_eq!(summary.rejected_share(), 0.5);
        assert_eq!(summary.velocity.get(0), Some((1.0, 3.0, 2.0)));
        assert_eq!(summary.velocity.get(1), Some((-3.0, -1.0, -2.0)));
        assert_eq!(summary.normal_velocity.get(0), Some((0.0, 0.0, 0.0)));
        assert_eq!(summary.tangent_velocity.get(0), Some((1.0, 3.0, 2.0)));
        assert_eq!(summary.kinetic_energy.get(0), Some((2.0, 2.0, 2.0)));
        assert_eq!(summary.modes.by_frequency(), [(vec![crate::outcome::Mode::Slide], 2)]);
    }

    #[test]
    fn a_residual_that_is_not_finite_is_not_accepted() {
        let mut summary = Summary::new(2, 1, 1, Tolerance { rest: 1e-7, residual: 1e-6 });
        let mut broken = samples();
        broken.residual[0] = f64::NAN;
        summary.add(&broken);
        assert_eq!((summary.residual_max, summary.accepted), (1e-8, 1));
    }

    #[test]
    fn merging_is_adding() {
        let tolerance = Tolerance { rest: 1e-7, residual: 1e-6 };
        let [mut twice, mut a, mut b] = [(); 3].map(|()| Summary::new(2, 1, 1, tolerance));
        a.add(&samples());
        b.add(&samples());
        a.merge(&b);
        twice.add(&samples());
        twice.add(&samples());
        assert_eq!((a.samples, a.accepted), (twice.samples, twice.accepted));
        assert_eq!(a.status, twice.status);
        assert_eq!((a.steps_sum, &a.modes), (twice.steps_sum, &twice.modes));
        for i in 0..2 {
            assert_eq!(a.velocity.get(i), twice.velocity.get(i));
        }
    }
}
