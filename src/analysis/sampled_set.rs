//! Sampled outcome set and its queries.

use std::collections::BTreeMap;

use crate::bounds::Cost;
use crate::metric;
use carom_core::error::Result;
use carom_core::outcome::clusters::clusters;
use carom_core::outcome::principal;
use carom_core::outcome::representatives::{Representatives, distinct, representatives, square};
use carom_core::outcome::{Mode, PointSet, Samples, hull};
use carom_core::problem::ContactProblem;
use carom_core::real::Real;

/// Accepted samples of a problem, identified by their sample numbers. Distances are in the kinetic
/// metric `|v|_M = sqrt(v' M v)`, in units of `|v-|_M`.
#[derive(Clone, Debug)]
pub struct SampledSet {
    problem: ContactProblem,
    metric: PointSet,
    numbers: Vec<u64>,
    velocities: Vec<f64>,
    drawn: u64,
    rest: f64,
    /// Contact velocities (N,k) of samples with individual poses, else empty.
    contact_velocities: Vec<f64>,
}

/// Relative size below which entries of a direction are rounding.
const ROUNDED: f64 = 1e-12;

/// Sample with the value of a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer<'a> {
    /// Value of the query.
    pub value: f64,
    /// Sample number.
    pub sample: u64,
    /// Velocity of the sample (n).
    pub velocity: &'a [f64],
}

/// Distance of a velocity from a set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance<'a> {
    /// Nearest sample, and its distance.
    pub nearest: Answer<'a>,
    /// Distance from the convex hull of all samples; 0 (to 1e-12) inside.
    pub hull: f64,
}

/// Combination of contact modes in the samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Met {
    /// Mode of each contact (m).
    pub modes: Vec<Mode>,
    /// Number of samples with these modes.
    pub count: u64,
    /// First sample with these modes.
    pub sample: u64,
}

/// Cluster: samples connected by chains of short links.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster<'a> {
    /// Number of samples in the cluster.
    pub count: u64,
    /// Sample nearest to the mean of the cluster, and its distance from the mean.
    pub middle: Answer<'a>,
    /// Minimum and maximum of each coordinate (n each).
    pub extents: [Vec<f64>; 2],
}

/// Direction `c` of velocities, and the range of `c.v+`.
#[derive(Clone, Debug, PartialEq)]
pub struct Invariant {
    /// `c` (n), scaled to a largest entry of 1 or -1.
    pub direction: Vec<f64>,
    /// Minimum and maximum of `c.v+`.
    pub extent: [f64; 2],
    /// Extent of the samples along the direction, in units of `|v-|_M`.
    pub spread: f64,
}

impl SampledSet {
    /// Empty set. Speeds up to `rest` in m/s count as rest.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub fn new<R: Real>(problem: &ContactProblem) -> Result<Self> {
        let metric = metric(problem)?;
        Ok(SampledSet {
            problem: problem.clone(),
            metric,
            numbers: Vec::new(),
            velocities: Vec::new(),
            drawn: 0,
            rest: problem.rest_velocity::<R>(),
            contact_velocities: Vec::new(),
        })
    }

    /// Adds the accepted samples: residual at most `residual`.
    pub fn add(&mut self, samples: &Samples, residual: f64) {
        self.drawn += samples.len() as u64;
        for i in samples.accepted(residual) {
            self.numbers.push(samples.first + i as u64);
            self.velocities.extend_from_slice(samples.row(&samples.velocity, i));
            if self.problem.uncertainty().poses() {
                let own = samples.row(&samples.contact_velocity, i);
                self.contact_velocities.extend_from_slice(own);
            }
        }
    }

    /// The problem.
    pub fn problem(&self) -> &ContactProblem {
        &self.problem
    }

    /// Number of accepted samples.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether the set has no samples.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Number of samples drawn, accepted or not.
    pub fn drawn(&self) -> u64 {
        self.drawn
    }

    /// Velocities (N,n), row by row.
    pub fn velocities(&self) -> &[f64] {
        &self.velocities
    }

    /// Sample numbers (N).
    pub fn numbers(&self) -> &[u64] {
        &self.numbers
    }

    /// Velocity (n) of the sample at an index.
    pub fn velocity(&self, at: usize) -> &[f64] {
        let n = self.problem.coordinate_count();
        &self.velocities[at * n..(at + 1) * n]
    }

    fn answer(&self, at: usize, value: f64) -> Answer<'_> {
        Answer { value, sample: self.numbers[at], velocity: self.velocity(at) }
    }

    /// Maximum of a function, and the first sample that attains it. `None` without samples.
    fn largest(&self, value: impl Fn(&[f64]) -> Result<f64>) -> Result<Option<Answer<'_>>> {
        let mut best: Option<(usize, f64)> = None;
        for at in 0..self.len() {
            let value = value(self.velocity(at))?;
            if best.is_none_or(|(_, most)| value > most) {
                best = Some((at, value));
            }
        }
        Ok(best.map(|(at, value)| self.answer(at, value)))
    }

    /// Maximum of `direction . v+`. `None` without samples.
    pub fn support(&self, direction: &[f64]) -> Option<Answer<'_>> {
        let reach = |v: &[f64]| Ok(direction.iter().zip(v).map(|(c, v)| c * v).sum());
        self.largest(reach).ok().flatten()
    }

    /// Maximum cost. `None` without samples.
    ///
    /// # Errors
    /// A sample whose cost is not finite.
    pub fn worst(&self, cost: &Cost) -> Result<Option<Answer<'_>>> {
        self.largest(|v| cost.of(v))
    }

    /// Distance of a velocity (n) from the set, if it has samples; a NaN entry matches any number.
    pub fn distance(&self, velocity: &[f64]) -> Option<Distance<'_>> {
        let (metric, given) = self.metric.where_given(velocity);
        let (y, set, n) = (metric.point(&given), metric.of(&self.velocities), velocity.len());
        let points = set.points();
        let square = |at: usize| {
            points[at * n..(at + 1) * n].iter().zip(&y).map(|(a, b)| (a - b) * (a - b)).sum::<f64>()
        };
        let nearest =
            (0..self.len()).map(|at| (at, square(at))).min_by(|a, b| a.1.total_cmp(&b.1))?;
        let columns: Vec<Vec<f64>> =
            (0..n).map(|d| points.iter().skip(d).step_by(n).copied().collect()).collect();
        Some(Distance {
            nearest: self.answer(nearest.0, nearest.1.sqrt()),
            hull: hull::distance(&columns, y.as_slice()),
        })
    }

    /// Minimum and maximum of each coordinate (n each).
    pub fn extents(&self) -> [Vec<f64>; 2] {
        extents(self.problem.coordinate_count(), (0..self.len()).map(|at| self.velocity(at)))
    }

    /// Mode of each contact (m) in the sample at an index.
    pub fn modes_of(&self, at: usize) -> Vec<Mode> {
        let (m, d) = (self.problem.contact_count(), self.problem.tangents_per_contact());
        let k = (1 + d) * m;
        let own = self.contact_velocities.get(at * k..(at + 1) * k).map(<[f64]>::to_vec);
        let u = own.unwrap_or_else(|| {
            let v = nalgebra::DVector::from_column_slice(self.velocity(at));
            (self.problem.jacobian() * v).as_slice().to_vec()
        });
        let (normal, tangent) = u.split_at(m);
        let of =
            |i: usize| Mode::of_sample(normal[i], &tangent[i * d..(i + 1) * d], [self.rest; 2]);
        (0..m).map(of).collect()
    }

    /// Combinations of contact modes in the samples, most frequent first.
    pub fn modes(&self) -> Vec<Met> {
        let mut met: BTreeMap<Vec<Mode>, (u64, u64)> = BTreeMap::new();
        for at in 0..self.len() {
            met.entry(self.modes_of(at)).or_insert((0, self.numbers[at])).0 += 1;
        }
        let mut met: Vec<Met> =
            met.into_iter().map(|(modes, (count, sample))| Met { modes, count, sample }).collect();
        met.sort_by_key(|met| std::cmp::Reverse(met.count));
        met
    }

    /// At most `count` samples that represent all samples by proximity; see [`representatives`].
    pub fn representatives(&self, count: usize) -> Representatives {
        let set = self.metric.of(&self.velocities);
        representatives(set.points(), self.problem.coordinate_count(), count)
    }

    /// [`SampledSet::representatives`] with a stop: fewer samples, once every sample is within
    /// `apart` of one, in units of `|v-|_M`.
    pub fn distinct(&self, count: usize, apart: f64) -> Representatives {
        let set = self.metric.of(&self.velocities);
        distinct(set.points(), self.problem.coordinate_count(), count, apart)
    }

    /// Clusters of samples connected by chains of links of at most `gap`, largest first.
    pub fn clusters(&self, gap: f64) -> Vec<Cluster<'_>> {
        let n = self.problem.coordinate_count();
        let set = self.metric.of(&self.velocities);
        let points = set.points();
        let of = clusters(points, n, gap);
        let number = of.iter().max().map_or(0, |last| last + 1);
        let mut members = vec![Vec::new(); number];
        of.iter().enumerate().for_each(|(at, cluster)| members[*cluster].push(at));
        let one = |members: &Vec<usize>| {
            let sum = |d: usize| members.iter().map(|at| points[at * n + d]).sum::<f64>();
            let mean: Vec<f64> = (0..n).map(|d| sum(d) / members.len() as f64).collect();
            let far = |at: &usize| (*at, square(&points[at * n..(at + 1) * n], &mean));
            let middle =
                members.iter().map(far).min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default();
            Cluster {
                count: members.len() as u64,
                middle: self.answer(middle.0, middle.1.sqrt()),
                extents: extents(n, members.iter().map(|at| self.velocity(*at))),
            }
        };
        members.iter().map(one).collect()
    }

    /// Principal axes of the set in the kinetic metric as directions of velocity, thinnest first.
    /// Along an axis with spread 0, `c.v+` does not depend on the order of impulses.
    pub fn invariants(&self) -> Vec<Invariant> {
        invariants(&self.metric.of(&self.velocities))
    }
}

/// Principal axes of a set, as directions of velocity.
pub fn invariants(set: &PointSet) -> Vec<Invariant> {
    let axis = |axis: &principal::PrincipalAxis| {
        let c = set.map().tr_mul(&nalgebra::DVector::from_column_slice(&axis.direction));
        // Scales the largest entry to 1.
        let scale = 1.0 / c[c.iamax()];
        let ends = axis.extent.map(|x| x * scale);
        let entry = |x: &f64| if (x * scale).abs() < ROUNDED { 0.0 } else { x * scale };
        Invariant {
            direction: c.iter().map(entry).collect(),
            extent: [ends[0].min(ends[1]), ends[0].max(ends[1])],
            spread: axis.spread(),
        }
    };
    principal::axes(set.points(), set.map().nrows()).iter().map(axis).collect()
}

/// Minimum and maximum of each entry over some vectors (n).
fn extents<'a>(n: usize, velocities: impl Iterator<Item = &'a [f64]>) -> [Vec<f64>; 2] {
    let mut extents = [vec![f64::INFINITY; n], vec![f64::NEG_INFINITY; n]];
    for v in velocities {
        for i in 0..n {
            extents[0][i] = extents[0][i].min(v[i]);
            extents[1][i] = extents[1][i].max(v[i]);
        }
    }
    extents
}
