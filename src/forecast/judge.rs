//! Scores of forecasts of measured impacts, compared with baselines: laws that select one outcome,
//! distributions of the same size, and models fitted to other tosses.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::baselines::{Known, moments};
use super::bootstrap::tosses;
use super::normal::Normal;
use super::scoring::{Odds, Prediction, of_event};
use super::simultaneous::Impacts;
use super::{Forecast, selected};
use carom_core::error::{Error, Result};
use carom_core::event::Event;
use carom_core::outcome::{Cloud, PointSet, Score, Size, ball};
use carom_core::problem::ContactProblem;
use carom_law::{AnitescuPotra, Sequential};

/// Settings of the evaluation of forecasts, and training data of the baselines.
#[derive(Clone, Debug, Default)]
pub struct Judge<'a> {
    /// Training events of the baselines; `None`: the other folds of the events.
    pub training: Option<&'a [Event]>,
    /// Contact problems of the fitted simultaneous law, of the events and then of the training
    /// events; empty: the problems in the events.
    pub impacts: Vec<Impacts>,
    /// Seed of draws, errors and resamples.
    pub seed: u64,
    /// Number of points of the `ball` baseline.
    pub points: u64,
    /// Whether forecasts are made sequentially.
    pub in_turn: bool,
    /// Stop flag.
    pub stop: Option<&'a AtomicBool>,
}

/// Scores of forecasts and of their baselines.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Number of contacts of each event.
    pub contacts: Vec<usize>,
    /// Toss number of each event, from 0.
    pub tosses: Vec<usize>,
    /// Scores of the forecasts' points, event by event.
    pub set: Vec<Score>,
    /// Probabilistic scores of the measurements, event by event.
    pub odds: Vec<Odds>,
    /// Baseline predictions.
    pub baselines: Vec<Baseline>,
}

/// Number of events with samples in memory at a time.
const BATCH: usize = 64;
/// Number of draws that represent a normal distribution in scores of points.
const NORMAL_POINTS: usize = 1024;
/// Names and descriptions of the baselines.
const BASELINES: [[&str; 2]; 6] = [
    [AnitescuPotra::NAME, "all contacts at once, inelastic: its outcomes"],
    [Sequential::NAME, "single impacts, in every order"],
    ["ball", "around the set's mean, with its rms radius"],
    ["normal", "with the set's mean and covariance"],
    ["simultaneous", "all contacts at once, Poisson's restitution, fitted to other tosses"],
    ["regression", "without mechanics, fitted to other tosses"],
];

/// Score of points, and probabilistic scores of the distribution.
type Scored = (Score, Odds);

/// Baseline prediction.
#[derive(Clone, Debug)]
pub struct Baseline {
    /// Name of the baseline in tables.
    pub name: &'static str,
    /// Description of the baseline.
    pub what: &'static str,
    /// Scores of the points, event by event, or the reason for their absence. Points are outcomes
    /// without errors; for a fitted law and the regression, the expectation.
    pub scores: Result<Vec<Score>>,
    /// Probabilistic scores, event by event; empty without scores.
    pub odds: Vec<Odds>,
}

impl Judge<'_> {
    /// Scores `forecast` of every event, with these baselines:
    ///
    /// - `anitescu-potra`: the simultaneous inelastic impact, all its outcomes;
    /// - `sequential`: single impacts until rest, in every order of up to four contacts, repeated
    ///   (above four contacts, in the cyclic orders);
    /// - `ball`: points uniform in a ball around the forecast's mean, with its rms radius;
    /// - `normal`: the normal distribution with the forecast's mean and covariance;
    /// - `simultaneous`: [`Known::simultaneous`];
    /// - `regression`: [`Known::regression`].
    ///
    /// Errors are drawn by the event's number, equally for all predictions, and all resamples are
    /// equal. Calls `tell` after every event.
    ///
    /// # Errors
    /// Errors of `forecast`, with the number of the event. A baseline that does not apply to an
    /// event is no error: see [`Baseline::scores`].
    pub fn judge(
        &self,
        events: &[Event],
        forecast: impl Fn(&Event) -> Result<Forecast> + Sync,
        tell: impl Fn() + Sync,
    ) -> Result<Judged> {
        let mut balls: BTreeMap<usize, (Cloud, Size)> = BTreeMap::new();
        for event in events {
            let n = event.problem.coordinate_count();
            balls.entry(n).or_insert_with(|| ball::uniform(n, self.points, self.seed));
        }
        let mut scores: [Vec<Result<Scored>>; 5] = Default::default();
        let of = |event: &Event| forecast(event).map_err(|error| event.locate(error));
        for (k, batch) in events.chunks(BATCH).enumerate() {
            let forecasts: Vec<Forecast> = match self.in_turn {
                true => batch.iter().map(of).collect::<Result<_>>()?,
                false => batch.par_iter().map(of).collect::<Result<_>>()?,
            };
            let score = |(i, (event, forecast)): (usize, (&Event, Forecast))| {
                if self.stopped() {
                    return std::array::from_fn(|_| Err(Error::interrupted()));
                }
                let scored = self.against((event, k * BATCH + i), forecast, &balls);
                tell();
                scored.map(|score| score.map_err(|error| event.locate(error)))
            };
            let all = batch.par_iter().zip(forecasts).enumerate();
            let scored: Vec<[Result<Scored>; 5]> = all.map(score).collect();
            if self.stopped() {
                return Err(Error::interrupted());
            }
            for scored in scored {
                scores.iter_mut().zip(scored).for_each(|(scores, score)| scores.push(score));
            }
        }
        let [set, others @ ..] =
            scores.map(|scores| scores.into_iter().collect::<Result<Vec<Scored>>>());
        let (set, odds) = set?.into_iter().unzip();
        let learned = self.learned(events);
        let baseline = |([name, what], scored): ([&'static str; 2], Result<Vec<Scored>>)| {
            let scored = scored.map(|scored| scored.into_iter().unzip());
            let (scores, odds) =
                scored.map_or_else(|e| (Err(e), Vec::new()), |(scores, odds)| (Ok(scores), odds));
            Baseline { name, what, scores, odds }
        };
        let baselines = BASELINES.into_iter().zip(others.into_iter().chain(learned));
        Ok(Judged {
            contacts: events.iter().map(|event| event.problem.contact_count()).collect(),
            tosses: tosses(events),
            set,
            odds,
            baselines: baselines.map(baseline).collect(),
        })
    }

    fn stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// Scores of a forecast, and of the baselines without training.
    fn against(
        &self,
        (event, number): (&Event, usize),
        forecast: Forecast,
        balls: &BTreeMap<usize, (Cloud, Size)>,
    ) -> [Result<Scored>; 5] {
        let (n, seed) = (event.measured.len(), of_event(self.seed, number));
        let measured = event.deviation();
        let space = match space(&event.problem) {
            Ok(space) => space,
            Err(error) => return std::array::from_fn(|_| Err(error.clone())),
        };
        let y = space.point(&event.measured);
        let y = y.as_slice();
        let set = Cloud::new(n, &forecast.points);
        let size = set.size();
        let (ball, of_ball) = &balls[&n];
        let around = if set.is_empty() { set.clone() } else { ball.moved(size.rms, &set.mean()) };
        let [diameter, spread] = [of_ball.diameter, of_ball.spread].map(|of| size.rms * of);
        let of_ball =
            if set.is_empty() { Size::default() } else { Size { rms: size.rms, diameter, spread } };
        // A law's outcomes are exhaustive: pairs of an outcome with itself count.
        let mixture = |points: Vec<f64>, block: usize| {
            let mixture = Forecast { points, block, ..forecast.clone() };
            Prediction::Mixture(mixture).odds(y, measured, seed)
        };
        let finite = |outcomes: Result<Vec<f64>>| {
            let points = space.of(&outcomes?).points().to_vec();
            let cloud = Cloud::new(n, &points);
            Ok((cloud.score(y, cloud.size()), mixture(points, 0)))
        };
        let around_odds = mixture(around.rows(), 1);
        let of_normal = |normal: Normal| {
            let points = Cloud::new(n, &normal.draws(NORMAL_POINTS, seed));
            let score = points.score(y, points.size());
            (score, Prediction::Normal(normal).odds(y, measured, seed))
        };
        let normal = moments(&forecast, measured).map(of_normal);
        let simultaneous = finite(selected::simultaneous(&event.problem));
        let sequential = finite(selected::sequential(&event.problem));
        let score = set.score(y, size);
        [
            Ok((score, Prediction::Mixture(forecast).odds(y, measured, seed))),
            simultaneous,
            sequential,
            Ok((around.score(y, of_ball), around_odds)),
            normal.ok_or_else(|| Error::input("there is no accepted sample")),
        ]
    }

    /// Scores of the fitted law and of the regression, with their means as points.
    fn learned(&self, events: &[Event]) -> [Result<Vec<Scored>>; 2] {
        let predictions = match Known::new(events, self.training) {
            Ok(known) => [known.simultaneous(&self.impacts), known.regression()],
            Err(error) => [Err(error.clone()), Err(error)],
        };
        let of = |(number, (event, prediction)): (usize, (&Event, Prediction))| {
            let y = space(&event.problem)?.point(&event.measured);
            let mean = match &prediction {
                Prediction::Normal(normal) => normal.mean.as_slice(),
                Prediction::Mixture(forecast) => &forecast.points,
            };
            let cloud = Cloud::new(y.len(), mean);
            let seed = of_event(self.seed, number);
            let odds = prediction.odds(y.as_slice(), event.deviation(), seed);
            Ok((cloud.score(y.as_slice(), cloud.size()), odds))
        };
        predictions.map(|all| events.par_iter().zip(all?).enumerate().map(of).collect())
    }
}

/// Kinetic metric in units of `|v-|_M`.
pub(super) fn space(problem: &ContactProblem) -> Result<PointSet> {
    PointSet::new(problem.mass(), problem.velocity(), &[])
        .ok_or_else(|| Error::input("expected a positive definite matrix").at("mass"))
}
