//! Baseline predictions for forecasts of measured impacts, fitted to other tosses.

use std::collections::BTreeSet;

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use super::bootstrap::tosses;
use super::features::features;
use super::frame::Frame;
use super::normal::Normal;
use super::regression::{Errors, Example, Kind, Regression};
use super::scoring::Prediction;
use super::simultaneous::{Impacts, Simultaneous};
use super::{Forecast, student};
use carom_core::error::{Error, Result};
use carom_core::event::Event;

/// Events to predict, training events, and their features.
pub struct Known<'a> {
    events: Vec<&'a Event>,
    frames: Vec<Frame>,
    tosses: Vec<usize>,
    splits: Vec<Split>,
    predicted: usize,
}

/// Training events and test events of one fold.
struct Split {
    learned: Vec<usize>,
    predicted: Vec<usize>,
}

/// Prediction of an event, if any.
type Predict<'p> = Box<dyn Fn(usize) -> Option<Prediction> + Sync + 'p>;

/// Number of folds of tosses.
pub const FOLDS: usize = 5;
/// Grid of coefficients of friction.
const FRICTION: [f64; 9] = [0.08, 0.11, 0.14, 0.17, 0.2, 0.24, 0.3, 0.4, 0.6];
/// Grid of coefficients of restitution.
const RESTITUTION: [f64; 10] = [0.0, 0.1, 0.2, 0.25, 0.3, 0.35, 0.42, 0.5, 0.6, 0.75];

impl<'a> Known<'a> {
    /// Each fold of `events` is predicted from the other folds; fold k has the tosses k, k +
    /// [`FOLDS`], ... With `training`, all events are predicted from it.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite, with the number of the event.
    pub fn new(events: &'a [Event], training: Option<&'a [Event]>) -> Result<Known<'a>> {
        let (predicted, mut of) = (events.len(), tosses(events));
        let all: Vec<&Event> = events.iter().chain(training.unwrap_or_default()).collect();
        let splits = match training {
            None => folds(&of),
            Some(training) => {
                let next = of.iter().max().map_or(0, |last| last + 1);
                of.extend(tosses(training).into_iter().map(|toss| next + toss));
                let learned = (predicted..all.len()).collect();
                vec![Split { learned, predicted: (0..predicted).collect() }]
            }
        };
        let frame = |event: &&Event| Frame::of(&event.problem).map_err(|e| event.locate(e));
        let frames = all.par_iter().map(frame).collect::<Result<_>>()?;
        Ok(Known { events: all, frames, tosses: of, splits, predicted })
    }

    /// Simultaneous law with fitted friction and restitution, plus a normal error. The fit
    /// minimises the mean distance between outcome and measurement. Contact problems are taken from
    /// `impacts` (test events, then training events); if empty, from the events.
    ///
    /// # Errors
    /// Events without training data.
    pub fn simultaneous(&self, impacts: &[Impacts]) -> Result<Vec<Prediction>> {
        let with =
            |&friction: &f64| RESTITUTION.map(|restitution| Simultaneous { friction, restitution });
        let laws: Vec<Simultaneous> = FRICTION.iter().flat_map(with).collect();
        // Measurement minus outcome, by event, then by law.
        let residuals = |i: usize| {
            let outcome = |law: &Simultaneous| match impacts.get(i) {
                Some(impacts) => law.of_impacts(impacts),
                None => law.of_event(self.events[i]),
            };
            let of = |law| self.residual(i, &self.frames[i].point(&outcome(law)));
            laws.iter().map(of).collect::<Vec<_>>()
        };
        let residuals: &Vec<Vec<DVector<f64>>> =
            &(0..self.events.len()).into_par_iter().map(residuals).collect();
        self.learn(|split| {
            let loss = |law: usize| -> f64 {
                split.learned.iter().map(|&i| residuals[i][law].norm()).sum()
            };
            let losses: Vec<f64> = (0..laws.len()).map(loss).collect();
            let least = (0..laws.len()).min_by(|a, b| losses[*a].total_cmp(&losses[*b]));
            let law = least.unwrap_or(0);
            let learned = split.learned.iter().map(|&i| (self.kind(i), residuals[i][law].clone()));
            let errors = Errors::fit(&learned.collect::<Vec<_>>());
            Ok(Box::new(move |i| {
                let outcome = self.measured(i) - self.frames[i].difference(&residuals[i][law]);
                self.normal(i, outcome, &errors)
            }))
        })
    }

    /// Regression of the jump `v+ - v-` on features of the impact, with a normal error.
    ///
    /// # Errors
    /// Events without training data.
    pub fn regression(&self) -> Result<Vec<Prediction>> {
        let before = |i: usize| self.frames[i].point(self.events[i].problem.velocity().as_slice());
        let example = |i: usize| Example {
            kind: self.kind(i),
            features: features(self.events[i], &self.frames[i]),
            target: self.residual(i, &before(i)),
            toss: self.tosses[i],
        };
        let examples: &Vec<Example> =
            &(0..self.events.len()).into_par_iter().map(example).collect();
        self.learn(|split| {
            let learned: Vec<_> = split.learned.iter().map(|&i| examples[i].clone()).collect();
            let (regression, left_out) = Regression::fit(&learned)?;
            let kinds = learned.iter().map(|example| example.kind);
            let errors = Errors::fit(&kinds.zip(left_out).collect::<Vec<_>>());
            Ok(Box::new(move |i| {
                let jump = regression.predict(examples[i].kind, &examples[i].features)?;
                self.normal(i, before(i) + self.frames[i].difference(&jump), &errors)
            }))
        })
    }

    fn learn<'p>(
        &self,
        fit: impl Fn(&Split) -> Result<Predict<'p>> + Sync,
    ) -> Result<Vec<Prediction>> {
        let of_split = |split: &Split| {
            let what = "no other toss has an impact of this kind to learn from";
            let nothing = || Error::input(what).at("events");
            if split.learned.is_empty() {
                return Err(nothing());
            }
            let predict = fit(split)?;
            let each = split.predicted.par_iter();
            each.map(|&i| Ok((i, predict(i).ok_or_else(nothing)?))).collect::<Result<Vec<_>>>()
        };
        let mut predictions =
            self.splits.par_iter().map(of_split).collect::<Result<Vec<_>>>()?.concat();
        predictions.sort_unstable_by_key(|(i, _)| *i);
        debug_assert!(predictions.len() == self.predicted);
        Ok(predictions.into_iter().map(|(_, prediction)| prediction).collect())
    }

    fn measured(&self, i: usize) -> DVector<f64> {
        self.frames[i].point(&self.events[i].measured)
    }

    /// Measurement minus a point, along the axes of the frame.
    fn residual(&self, i: usize, point: &DVector<f64>) -> DVector<f64> {
        self.frames[i].components(&(self.measured(i) - point))
    }

    fn kind(&self, i: usize) -> Kind {
        kind(self.events[i])
    }

    fn normal(&self, i: usize, mean: DVector<f64>, errors: &Errors) -> Option<Prediction> {
        let axes = self.frames[i].axes();
        let covariance = axes * errors.covariance(self.kind(i))? * axes.transpose();
        let finite = mean.iter().all(|x| x.is_finite());
        Some(Prediction::Normal(Normal::new(mean, &covariance).filter(|_| finite)?))
    }
}

/// Kind of an event.
pub fn kind(event: &Event) -> Kind {
    (event.problem.coordinate_count(), event.problem.contact_count())
}

/// Normal distribution with the mean and covariance of a forecast, whose noise is at least
/// `measured`; `None` without points, or if the covariance is singular.
pub fn moments(forecast: &Forecast, measured: f64) -> Option<Normal> {
    let (n, count) = (forecast.n, forecast.len());
    if count == 0 {
        return None;
    }
    let points = DMatrix::from_row_slice(count, n, &forecast.points);
    let mean = points.row_mean().transpose();
    let noise = forecast.noise.max(measured).max(LEAST);
    let variance = noise * noise * student::variance(forecast.freedom);
    let mut covariance = DMatrix::identity(n, n) * variance;
    for row in points.row_iter() {
        let apart = row.transpose() - &mean;
        covariance.ger(1.0 / count as f64, &apart, &apart, 1.0);
    }
    Normal::new(mean, &covariance)
}

/// Standard deviation substituted in directions without spread.
const LEAST: f64 = 1e-6;

/// At most [`FOLDS`] splits by toss.
fn folds(tosses: &[usize]) -> Vec<Split> {
    let count = tosses.iter().collect::<BTreeSet<_>>().len().min(FOLDS);
    let fold = |k: usize| {
        let (predicted, learned) = (0..tosses.len()).partition(|&i: &usize| tosses[i] % count == k);
        Split { learned, predicted }
    };
    (0..count).map(fold).collect()
}
