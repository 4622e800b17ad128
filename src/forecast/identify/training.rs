use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::forecast::seed_of;
use super::score::{Distances, MeanDistance};
use super::{Model, dress};
use crate::forecast::Forecast;
use crate::judge::space;
use crate::reality::Event;
use carom_core::error::{Error, Result};

/// The score that identification makes small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Criterion {
    /// The mean energy score.
    #[default]
    Energy,
    /// The mean negative logarithm of the density.
    Log,
}

/// Training events; all models use the same random numbers.
#[derive(Debug)]
pub struct Training<'a> {
    events: &'a [Event],
    points: usize,
    seed: u64,
    pub criterion: Criterion,
    stop: Option<&'a AtomicBool>,
    pub until: Option<Instant>,
    /// Measured points in the kinetic metric, and directions of the dress.
    targets: Vec<(Vec<f64>, Option<dress::Directions>)>,
    means: BTreeMap<(usize, Option<u32>), MeanDistance>,
}

/// Range of the noise search, relative to the current noise.
const NOISE: f64 = 5.0;
/// Factor of the number of points in held-out scores: gains are small compared with the error of
/// few points.
pub(super) const MORE: usize = 4;
/// Minimum noise of the search.
const LEAST: f64 = 1e-5;
pub(super) const FREEDOMS: [u32; 5] = [3, 4, 6, 10, 20];
/// Number of steps of the noise search.
const SECTIONS: usize = 14;

impl<'a> Training<'a> {
    pub fn new(
        events: &'a [Event],
        points: usize,
        seed: u64,
        stop: Option<&'a AtomicBool>,
    ) -> Result<Self> {
        let target = |event: &Event| {
            let y = space(&event.problem)?.point(&event.measured).as_slice().to_vec();
            Ok((y, dress::frame(&event.problem)))
        };
        let targets = events.iter().map(target).collect::<Result<_>>()?;
        let sizes: BTreeSet<usize> =
            events.iter().map(|event| event.problem.coordinate_count()).collect();
        let laws = |n: usize| {
            let heavy = FREEDOMS.map(|freedom| (Some(freedom), MeanDistance::student(n, freedom)));
            let laws = heavy.into_iter().chain([(None, MeanDistance::new(n))]);
            laws.map(move |(freedom, mean)| ((n, freedom), mean))
        };
        let means = sizes.into_iter().flat_map(laws).collect();
        let criterion = Criterion::default();
        Ok(Training { events, points, seed, criterion, stop, until: None, targets, means })
    }

    pub fn is_over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Forecasts of some events by a model, without its dress.
    pub fn forecasts(&self, model: &Model, of: &[usize]) -> Result<Vec<Forecast>> {
        self.of_points(model, of, self.points)
    }

    fn of_points(&self, model: &Model, of: &[usize], points: usize) -> Result<Vec<Forecast>> {
        let forecast = |&i: &usize| {
            let event = &self.events[i];
            let seed = seed_of(event, self.seed);
            model.undressed(event, points, seed, self.stop)
        };
        of.par_iter().map(forecast).collect()
    }

    /// Distances of the points of dressed forecasts.
    fn distances(&self, model: &Model, of: &[usize], forecasts: &[Forecast]) -> Vec<Distances> {
        let distances = |(&i, forecast): (&usize, &Forecast)| {
            let (y, frame) = &self.targets[i];
            match model.dress.as_ref().zip(frame.as_ref()) {
                Some((dress, frame)) => {
                    let mut forecast = forecast.clone();
                    dress.apply_in(frame, &mut forecast, seed_of(&self.events[i], self.seed));
                    Distances::new(&forecast, y)
                }
                None => Distances::new(forecast, y),
            }
        };
        of.par_iter().zip(forecasts).map(distances).collect()
    }

    /// Held-out scores of some events, with the model's noise and [`MORE`] times as many points.
    pub fn scores(&self, model: &Model, of: &[usize]) -> Result<Vec<f64>> {
        let forecasts = self.of_points(model, of, MORE * self.points)?;
        let distances = self.distances(model, of, &forecasts);
        Ok(self.each(&distances, of, model.noise, model.freedom))
    }

    /// Scores of some events with the noise that minimises their mean.
    pub fn fitted(&self, model: &Model, of: &[usize], forecasts: &[Forecast]) -> Result<Scored> {
        if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(Error::interrupted());
        }
        let distances = self.distances(model, of, forecasts);
        let at = |noise: f64| {
            let each = self.each(&distances, of, noise, model.freedom);
            Scored { mean: each.iter().sum::<f64>() / of.len().max(1) as f64, noise, each }
        };
        Ok(golden(model.noise.max(LEAST), at))
    }

    fn each(&self, all: &[Distances], of: &[usize], noise: f64, freedom: Option<u32>) -> Vec<f64> {
        let score = |(&i, distances): (&usize, &Distances)| {
            let mean = &self.means[&(self.targets[i].0.len(), freedom)];
            match self.criterion {
                Criterion::Energy => distances.energy(mean, noise),
                Criterion::Log => distances.log(mean, noise),
            }
        };
        of.par_iter().zip(all).map(score).collect()
    }
}

#[derive(Clone, Debug)]
pub struct Scored {
    pub mean: f64,
    pub noise: f64,
    pub each: Vec<f64>,
}

/// Scores with the noise near `start` that minimises their mean, by golden section of its
/// logarithm.
fn golden(start: f64, of: impl Fn(f64) -> Scored) -> Scored {
    const PART: f64 = 0.618_033_988_749_895;
    let (mut low, mut high) = ((start / NOISE).ln(), (start * NOISE).ln());
    let at = |x: f64| (x, of(x.exp()));
    let mut left = at(high - PART * (high - low));
    let mut right = at(low + PART * (high - low));
    for _ in 0..SECTIONS {
        if left.1.mean <= right.1.mean {
            (high, right) = (right.0, left);
            left = at(high - PART * (high - low));
        } else {
            (low, left) = (left.0, right);
            right = at(low + PART * (high - low));
        }
    }
    if left.1.mean <= right.1.mean { left.1 } else { right.1 }
}
