//! What samples with a seed of their own show about the steps of a problem.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::RangeInclusive;

use super::process::Steps;
use crate::Solution;
use carom_core::lcp::modes::{Normal, Tangent, solve_modes};
use carom_core::lcp::{ModeMap, StepMode};
use carom_core::{ExplicitMap, Real, StepProblem, Stream};

/// Numbers of contacts of the planar problems whose steps a [`Cache`] may solve: with fewer
/// contacts there is a table of all combinations of modes, and the CPU's vector kernel is compiled
/// for no more.
pub const CACHED: RangeInclusive<usize> = 4..=6;

/// Number of samples on which a cache is trained.
const TRAINING: u64 = 1024;

/// Number of samples that determine the order in which conditions are evaluated.
const ORDERING: u64 = 128;

/// Training ends early after this many steps per sample.
pub const ENOUGH: u64 = 8;

/// The stream of training sample `i`. Its seed is fixed, so that training does not depend on the
/// samples of the run.
pub fn training(i: u64) -> Stream<'static> {
    Stream::new(u64::MAX, i)
}

/// The combinations of modes that occur in a thousand samples, most frequent first.
///
/// A cache solves a step if the combinations in it give exactly one distinct solution. Otherwise
/// the law's own solver does.
#[derive(Clone, Debug)]
pub struct Cache {
    /// The affine maps of these combinations.
    pub explicit: ExplicitMap,
    /// The share of training steps in which Lemke's method found another solution with a second
    /// covering vector.
    pub several: f64,
}

impl Cache {
    /// The share of training steps with several solutions, in words.
    pub fn why(&self) -> String {
        let percent = 1e2 * self.several;
        format!(
            "two paths of Lemke's method find different solutions in {percent:.2} % of the steps"
        )
    }

    /// Whether the cache is used where none was asked for: where a step has several solutions, a
    /// cache may know only one of them, and every device must choose the same.
    pub fn knows_all(&self) -> bool {
        self.several == 0.0
    }
}

impl Steps<f64> {
    /// Whether the steps may have a [`Cache`]: planar ones with a suitable number of contacts, in
    /// which a random solution is taken where there are several.
    pub fn may_be_cached(&self) -> bool {
        let step = &self.space.step;
        step.axes == 1 && CACHED.contains(&step.contacts) && self.solution == Solution::Random
    }

    /// The cache of the steps.
    pub fn cache(&self) -> Cache {
        let step = &self.space.step;
        let mut work = self.workspace();
        let mut again = self.workspace();
        let mut u = vec![0.0; 2 * step.contacts];
        let mut counts: HashMap<Vec<StepMode>, (usize, usize)> = HashMap::new();
        let mut count = |modes: Vec<StepMode>| {
            let order = counts.len();
            counts.entry(modes).or_insert((0, order)).0 += 1;
        };
        let (mut steps, mut several) = (0u64, 0u64);
        for i in 0..TRAINING {
            if steps > ENOUGH * TRAINING {
                break;
            }
            again.budget.begin();
            self.sample_observed(&training(i), &mut work, |number, x, l| {
                count(modes_at(step, x, l));
                // A second random covering vector may find another solution of the step.
                let other = Stream::new(u64::MAX - 1, i);
                if let Some((l_other, u_other, _)) = self.solve_at(&other, number, x, &mut again) {
                    count(modes_at(step, x, l_other));
                    step.advance(&x[..u.len()], l, &mut u);
                    let apart =
                        |i: usize| ((u[i] - u_other[i]) * step.sigma[i]).abs() > f64::DISTINCT;
                    several += u64::from((0..u.len()).any(apart));
                }
                steps += 1;
            });
        }
        let mut frequent: Vec<(Vec<StepMode>, (usize, usize))> = counts.into_iter().collect();
        frequent.sort_by_key(|(_, (count, order))| (Reverse(*count), *order));
        let regions: Vec<ModeMap> =
            frequent.iter().filter_map(|(modes, _)| solve_modes(step, modes)).collect();
        let share = several as f64 / steps.max(1) as f64;
        Cache { explicit: ExplicitMap::of(step, regions), several: share }
    }

    /// The explicit map with the conditions of each region in the order in which they exclude most
    /// steps.
    pub fn ordered(&self, mut explicit: ExplicitMap) -> ExplicitMap {
        let mut points: Vec<Vec<f64>> = Vec::new();
        let mut work = self.workspace();
        for i in 0..ORDERING {
            if points.len() as u64 > ENOUGH * ORDERING {
                break;
            }
            self.sample_observed(&training(i), &mut work, |_, x, _| points.push(x.to_vec()));
        }
        for region in &mut explicit.regions {
            let mut left: Vec<(Vec<f64>, Vec<bool>)> = Vec::new();
            for row in region.conditions.row_iter() {
                let row: Vec<f64> = row.iter().copied().collect();
                let value = |x: &Vec<f64>| row.iter().zip(x).map(|(a, b)| a * b).sum::<f64>();
                let fails = points.iter().map(|x| value(x) < 0.0).collect();
                left.push((row, fails));
            }
            let mut alive = vec![true; points.len()];
            for place in 0..left.len() {
                let ruled_out = |fails: &[bool]| {
                    fails.iter().zip(&alive).filter(|(fails, alive)| **fails && **alive).count()
                };
                let best = (place..left.len())
                    .max_by_key(|&r| (ruled_out(&left[r].1), Reverse(r)))
                    .unwrap_or(place);
                left.swap(place, best);
                for (alive, fails) in alive.iter_mut().zip(&left[place].1) {
                    *alive &= !fails;
                }
                for (j, x) in left[place].0.iter().enumerate() {
                    region.conditions[(place, j)] = *x;
                }
            }
        }
        explicit
    }
}

/// The combination of modes of a solution `l` of the step at `x = (u, c)`.
fn modes_at(step: &StepProblem<f64>, x: &[f64], l: &[f64]) -> Vec<StepMode> {
    let m = step.contacts;
    let zero = 1e-9;
    let mut u = vec![0.0; 2 * m];
    step.advance(&x[..2 * m], l, &mut u);
    (0..m)
        .map(|i| {
            let (ln, lt, c, mu) = (l[i], l[m + i], x[2 * m + i], step.mu[i]);
            if c == 0.0 && u[i] < 0.0 {
                // With a bound of 0 the contact has no impulse; it keeps its direction of sliding.
                let slides = if u[m + i] > 0.0 { Tangent::Plus } else { Tangent::Minus };
                return (Normal::Full, if mu == 0.0 { Tangent::Free } else { slides });
            }
            if ln <= zero * c {
                return (Normal::Off, Tangent::Free);
            }
            let normal = if ln >= c - zero * c { Normal::Full } else { Normal::Ending };
            let tangent = match () {
                () if mu == 0.0 => Tangent::Free,
                () if lt <= -mu * ln * (1.0 - zero) => Tangent::Plus,
                () if lt >= mu * ln * (1.0 - zero) => Tangent::Minus,
                () => Tangent::Stick,
            };
            (normal, tangent)
        })
        .collect()
}
