//! The number of samples after which few of a sampler's samples lie far from all earlier ones.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::metric;
use carom_core::error::{Error, ErrorKind, Result};
use carom_core::outcome::binomial::{trials, upper_limit};
use carom_core::problem::ContactProblem;
use carom_core::rng::{Purpose, Stream, stream};
use carom_engine::{Engine, Plan};

/// The condition under which samples cover what the sampler draws.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Covering {
    /// Largest distance of a covered sample from an earlier one, in the kinetic metric over
    /// `|v-|_M`.
    pub radius: f64,
    /// The confidence of the statement.
    pub confidence: f64,
    /// The part of the sampler's mass that may be uncovered.
    pub mass: f64,
}

/// The result of a certification.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(extend("additionalProperties" = false))]
pub struct Cover {
    /// The condition that was asked for.
    pub asked: Covering,
    /// Samples that were drawn.
    #[serde(skip)]
    pub samples: u64,
    /// The last look: number of fresh samples, and number of these that were not covered.
    pub fresh: u64,
    /// See `fresh`.
    pub uncovered: u64,
    /// With the confidence asked for, at most this part of the sampler's mass is not covered by the
    /// samples before the last look.
    #[schemars(range(min = 0, max = 1))]
    pub mass: f64,
    /// Number of looks.
    pub looks: u32,
    /// Number of samples whose balls cover all covered samples: no two of them cover each other.
    pub balls: usize,
}

impl Cover {
    /// Whether the uncovered mass is as small as asked.
    pub fn is_certified(&self) -> bool {
        self.mass <= self.asked.mass
    }
}

/// Draws samples of `plan`, at most `plan.samples`, until the sampler's mass farther than `radius`
/// from all of them is small.
///
/// The samples so far are frozen, and fresh ones are drawn: the number that suffices if none of
/// them lies outside, and at least as many as the frozen ones. If `k` of `n` lie outside, the
/// uncovered mass is at most the upper limit of Clopper and Pearson at confidence `1 - b_j`. Look j
/// has `b_j = b / (j (j + 1))`, which add up to `b`, so all looks are right together with
/// confidence `1 - b`. Then the fresh samples count as well, and so on. Samples that are not
/// accepted are never covered. `tell` is called with the number of samples of each part.
///
/// The bound is one on the *sampler's* mass: outcomes that it hardly draws may be far away.
///
/// # Errors
/// See [`Engine::sample`]; numbers outside their ranges.
pub fn cover(
    engine: &Engine,
    problem: &ContactProblem,
    plan: &Plan,
    asked: Covering,
    mut tell: impl FnMut(u64),
) -> Result<Cover> {
    let Covering { radius, confidence, mass } = asked;
    for (name, value, most) in
        [("until_radius", radius, f64::MAX), ("confidence", confidence, 1.0), ("mass", mass, 1.0)]
    {
        if !(value > 0.0 && value < most) {
            let range = if most == 1.0 { "between 0 and 1" } else { "above 0" };
            let what = format!("expected a number {range}, found {value}");
            return Err(Error::usage(what).option(name));
        }
    }
    let metric = metric(problem)?;
    let one = engine.summarize(problem, &Plan { samples: 1, ..plan.clone() }, |_| {})?;
    let residual = one.summary.tolerance().residual;
    let mut looking = Looking::new(asked, problem.coordinate_count());
    let run = engine.sample(problem, plan, |samples| {
        tell(samples.len() as u64);
        let accepted = samples.accepted(residual);
        for i in 0..samples.len() {
            let taken = accepted.binary_search(&i).ok();
            let point = taken.map(|_| metric.point(samples.row(&samples.velocity, i)));
            looking.add(point.as_ref().map(|point| point.as_slice()));
            if looking.found.is_certified() {
                break;
            }
        }
        // A certified cover ends the run.
        if looking.found.is_certified() { Err(Error::interrupted()) } else { Ok(()) }
    });
    match run {
        Err(error) if error.kind != ErrorKind::Interrupted || plan.stopped() => Err(error),
        _ => Ok(looking.found),
    }
}

struct Looking {
    found: Cover,
    balls: Balls,
    /// Fresh points that the frozen balls do not cover.
    outside: Vec<Vec<f64>>,
    /// Fresh samples of this look: uncovered ones, and the total to draw.
    fresh: [u64; 2],
    wanted: u64,
}

impl Looking {
    fn new(asked: Covering, n: usize) -> Self {
        let found =
            Cover { asked, samples: 0, fresh: 0, uncovered: 0, mass: 1.0, looks: 0, balls: 0 };
        let balls = Balls::new(asked.radius, n);
        let mut looking = Looking { found, balls, outside: Vec::new(), fresh: [0; 2], wanted: 0 };
        looking.wanted = looking.least();
        looking
    }

    /// Error probability available to the next look.
    fn doubt(&self) -> f64 {
        let j = f64::from(self.found.looks) + 1.0;
        (1.0 - self.found.asked.confidence) / (j * (j + 1.0))
    }

    /// Minimum number of fresh samples with which the next look can succeed.
    fn least(&self) -> u64 {
        trials(self.found.asked.mass, self.doubt())
    }

    /// Adds a sample; `None` for one that was not accepted.
    fn add(&mut self, point: Option<&[f64]>) {
        self.found.samples += 1;
        self.fresh[0] += 1;
        if !point.is_some_and(|point| self.balls.cover(point)) {
            self.fresh[1] += 1;
            self.outside.extend(point.map(<[f64]>::to_vec));
        }
        if self.fresh[0] < self.wanted {
            return;
        }
        let [fresh, uncovered] = self.fresh;
        self.found.mass = upper_limit(uncovered, fresh, self.doubt());
        self.found.looks += 1;
        (self.found.fresh, self.found.uncovered) = (fresh, uncovered);
        if self.found.is_certified() {
            return;
        }
        self.outside.drain(..).for_each(|point| self.balls.add(point));
        self.found.balls = self.balls.count;
        self.fresh = [0; 2];
        self.wanted = self.least().max(self.found.samples);
    }
}

/// Balls of one radius, hashed by the grid squares of two projections of their centres.
struct Balls {
    radius: f64,
    /// Two unit vectors: projections do not increase distances.
    axes: [Vec<f64>; 2],
    squares: HashMap<[i64; 2], Vec<Vec<f64>>>,
    count: usize,
}

impl Balls {
    fn new(radius: f64, n: usize) -> Self {
        let axis = |k: u64| {
            let draw = |i: usize| {
                f64::from(stream::unit(Stream::new(0, k).draw(0, Purpose::User, i as u32))) - 0.5
            };
            let x: Vec<f64> = (0..n).map(draw).collect();
            let size = x.iter().map(|x| x * x).sum::<f64>().sqrt();
            x.iter().map(|x| x / size).collect()
        };
        Balls { radius, axes: [axis(0), axis(1)], squares: HashMap::new(), count: 0 }
    }

    fn square(&self, point: &[f64]) -> [i64; 2] {
        let along = |axis: &Vec<f64>| axis.iter().zip(point).map(|(a, x)| a * x).sum::<f64>();
        self.axes.each_ref().map(|axis| (along(axis) / self.radius).floor() as i64)
    }

    fn cover(&self, point: &[f64]) -> bool {
        let [x, y] = self.square(point);
        let near = |centre: &Vec<f64>| {
            centre.iter().zip(point).map(|(a, b)| (a - b) * (a - b)).sum::<f64>()
                <= self.radius * self.radius
        };
        let around = (-1..=1)
            .flat_map(|i| (-1..=1).map(move |j| [x.saturating_add(i), y.saturating_add(j)]));
        around.filter_map(|square| self.squares.get(&square)).flatten().any(near)
    }

    /// Adds a ball, unless another one covers its centre.
    fn add(&mut self, point: Vec<f64>) {
        if !self.cover(&point) {
            self.squares.entry(self.square(&point)).or_default().push(point);
            self.count += 1;
        }
    }
}
