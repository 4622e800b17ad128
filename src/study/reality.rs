//! Predictions of measured impacts: by a sampled set, by laws that select one outcome, by
//! distributions of the same size, and by what other tosses teach.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rayon::prelude::*;

use super::baselines::{Known, moments};
use super::bootstrap::tosses;
pub use super::event::Event;
use super::forecast::Forecast;
pub use super::groups::{EventGroup, OddsGroup};
use super::scoring::{Odds, Prediction};
use super::selected;
use super::simultaneous::Closing;
use crate::engine::{DeviceInfo, Engine, Plan, Precision};
use crate::error::{Error, Result};
use crate::law::{AnitescuPotra, Sequential};
use crate::outcome::{Cloud, PointSet, Score, Size, ball};
use crate::problem::ContactProblem;
use crate::status::Status;

/// Predictions of many impacts, and how far each is from the measurement. Distances are
/// `|a - b|_M / |v-|_M`, those of [`PointSet`].
#[derive(Clone, Debug)]
pub struct Reality {
    /// The device that computed the samples.
    pub device: DeviceInfo,
    /// The precision of the samples.
    pub precision: Precision,
    /// Samples of all events that terminated.
    pub terminated: u64,
    /// Samples of all events that reached the step limit.
    pub limited: u64,
    /// Terminated samples with an accepted residual; only these count.
    pub accepted: u64,
    /// The seed of draws, errors and resamples.
    pub seed: u64,
    /// Number of contacts of each event.
    pub contacts: Vec<usize>,
    /// Number of each event's toss, from 0.
    pub tosses: Vec<usize>,
    /// The sampled set, event by event.
    pub set: Vec<Score>,
    /// The odds of what was measured under the sampled set, event by event.
    pub odds: Vec<Odds>,
    /// The predictions with which the set is compared.
    pub baselines: Vec<Baseline>,
    /// Wall-clock seconds.
    pub seconds: f64,
}

/// A prediction with which the set is compared.
#[derive(Clone, Debug)]
pub struct Baseline {
    /// The name of the baseline in tables.
    pub name: &'static str,
    /// The description of the baseline.
    pub what: &'static str,
    /// The scores of the points, event by event, or the reason why there are none. Points are
    /// outcomes without errors: of a fitted law and of the regression, its expectation.
    pub scores: Result<Vec<Score>>,
    /// The odds, event by event; empty without scores.
    pub odds: Vec<Odds>,
}

/// Forecasts of events that are to be scored, and what their baselines learn from.
#[derive(Clone, Debug, Default)]
pub struct Judge<'a> {
    /// Events from which baselines learn; `None`: from the other folds of the events.
    pub training: Option<&'a [Event]>,
    /// Contacts that take part in the impacts of the fitted simultaneous law.
    pub closing: Closing,
    /// The seed of draws, errors and resamples.
    pub seed: u64,
    /// Number of points of the ball.
    pub points: u64,
    /// Whether forecasts are made one after the other.
    pub in_turn: bool,
    /// The run ends early once this is true.
    pub stop: Option<&'a AtomicBool>,
}

/// The scores of forecasts and of their baselines.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Number of contacts of each event.
    pub contacts: Vec<usize>,
    /// Number of each event's toss, from 0.
    pub tosses: Vec<usize>,
    /// The points of the forecasts, event by event.
    pub set: Vec<Score>,
    /// The odds of what was measured, event by event.
    pub odds: Vec<Odds>,
    /// The predictions with which the forecasts are compared.
    pub baselines: Vec<Baseline>,
}

/// Number of events whose samples are in memory at a time.
const BATCH: usize = 64;

/// Number of points of a normal distribution that stand for it where points are scored.
const NORMAL_POINTS: usize = 1024;

/// The score of points, and the odds of the distribution.
type Scored = (Score, Odds);

impl Judge<'_> {
    /// Scores `forecast` of every event, beside these baselines:
    ///
    /// - `anitescu-potra`: the simultaneous inelastic impact, all its outcomes;
    /// - `sequential`: single impacts until rest, in every order of up to four contacts that is
    ///   repeated (above, the cyclic ones);
    /// - `ball`: points uniform in a ball around the forecast's mean, with its rms radius;
    /// - `normal`: the normal distribution with mean and covariance of the forecast;
    /// - `simultaneous`: [`Known::simultaneous`];
    /// - `regression`: [`Known::regression`].
    ///
    /// Every event has the same draws of errors, and all resamples are the same. `tell` is called
    /// after every event.
    /// # Errors
    /// Those of `forecast`, with the number of the event. A baseline that does not apply to an
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
        for batch in events.chunks(BATCH) {
            let forecasts: Result<Vec<Forecast>> = match self.in_turn {
                true => batch.iter().map(of).collect(),
                false => batch.par_iter().map(of).collect(),
            };
            let forecasts = forecasts?;
            let scored: Vec<[Result<Scored>; 5]> = (batch.par_iter().zip(forecasts))
                .map(|(event, forecast)| {
                    if self.stopped() {
                        return std::array::from_fn(|_| Err(Error::interrupted()));
                    }
                    let scored = self.against(event, forecast, &balls);
                    tell();
                    scored.map(|score| score.map_err(|error| event.locate(error)))
                })
                .collect();
            if self.stopped() {
                return Err(Error::interrupted());
            }
            for scored in scored {
                scores.iter_mut().zip(scored).for_each(|(scores, score)| scores.push(score));
            }
        }
        let [set, simultaneous, sequential, ball, normal] =
            scores.map(|scores| scores.into_iter().collect::<Result<Vec<Scored>>>());
        let (set, odds) = set?.into_iter().unzip();
        let (law, regression) = match Known::new(events, self.training) {
            Ok(known) => (known.simultaneous(&self.closing), known.regression()),
            Err(error) => (Err(error.clone()), Err(error)),
        };
        let [law, regression] = [law, regression].map(|all| self.learned(events, all?));
        Ok(Judged {
            contacts: events.iter().map(|event| event.problem.contact_count()).collect(),
            tosses: tosses(events),
            set,
            odds,
            baselines: vec![
                Baseline::new(
                    AnitescuPotra::NAME,
                    "all contacts at once, inelastic: its outcomes",
                    simultaneous,
                ),
                Baseline::new(Sequential::NAME, "single impacts, in every order", sequential),
                Baseline::new("ball", "around the set's mean, with its rms radius", ball),
                Baseline::new("normal", "with the set's mean and covariance", normal),
                Baseline::new(
                    "simultaneous",
                    "all contacts at once, Poisson's restitution, fitted to other tosses",
                    law,
                ),
                Baseline::new(
                    "regression",
                    "without mechanics, fitted to other tosses",
                    regression,
                ),
            ],
        })
    }

    fn stopped(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    /// The scores of a forecast, and of the baselines that need no other event.
    fn against(
        &self,
        event: &Event,
        forecast: Forecast,
        balls: &BTreeMap<usize, (Cloud, Size)>,
    ) -> [Result<Scored>; 5] {
        let (n, seed, measured) = (event.measured.len(), self.seed, event.deviation());
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
        let of_ball = match set.is_empty() {
            true => Size::default(),
            false => Size { rms: size.rms, diameter, spread },
        };
        // Outcomes of a law are all there are: pairs of one with itself count.
        let mixture = |points: Vec<f64>, block: usize, noise: f64| {
            Prediction::Mixture(Forecast { n, points, block, noise }).odds(y, measured, seed)
        };
        let finite = |outcomes: Result<Vec<f64>>| {
            let points = space.of(&outcomes?).points().to_vec();
            let cloud = Cloud::new(n, &points);
            Ok((cloud.score(y, cloud.size()), mixture(points, 0, forecast.noise)))
        };
        let around_odds = mixture(around.rows(), 1, forecast.noise);
        let normal = moments(&forecast, measured);
        let simultaneous = finite(selected::simultaneous(&event.problem));
        let sequential = finite(selected::sequential(&event.problem));
        let score = set.score(y, size);
        [
            Ok((score, Prediction::Mixture(forecast).odds(y, measured, seed))),
            simultaneous,
            sequential,
            Ok((around.score(y, of_ball), around_odds)),
            normal
                .map(|normal| {
                    let points = Cloud::new(n, &normal.draws(NORMAL_POINTS, seed));
                    let score = points.score(y, points.size());
                    (score, Prediction::Normal(normal).odds(y, measured, seed))
                })
                .ok_or_else(|| Error::input("there is no accepted sample")),
        ]
    }

    /// The scores of learned predictions, whose points are their means.
    fn learned(&self, events: &[Event], all: Vec<Prediction>) -> Result<Vec<Scored>> {
        let of = |(event, prediction): (&Event, Prediction)| {
            let y = space(&event.problem)?.point(&event.measured);
            let mean = match &prediction {
                Prediction::Normal(normal) => normal.mean.as_slice().to_vec(),
                Prediction::Mixture(forecast) => forecast.points.clone(),
            };
            let cloud = Cloud::new(y.len(), &mean);
            let odds = prediction.odds(y.as_slice(), event.deviation(), self.seed);
            Ok((cloud.score(y.as_slice(), cloud.size()), odds))
        };
        events.par_iter().zip(all).map(of).collect()
    }
}

impl Baseline {
    fn new(name: &'static str, what: &'static str, scored: Result<Vec<Scored>>) -> Baseline {
        match scored {
            Ok(scored) => {
                let (scores, odds) = scored.into_iter().unzip();
                Baseline { name, what, scores: Ok(scores), odds }
            }
            Err(error) => Baseline { name, what, scores: Err(error), odds: Vec::new() },
        }
    }
}

impl Engine {
    /// Samples the problem of every event as `plan` says and judges the sets with their samples
    /// as equally likely outcomes and the measured noise as their errors, see [`Judge::judge`].
    ///
    /// Sample i of event k is a function of (event, law, seed, i) alone: every event uses the same
    /// streams of random numbers, and so does the ball. Nothing depends on the number of threads.
    /// # Errors
    /// Those of [`Engine::sample`], with the number of the event.
    pub fn reality(
        &self,
        events: &[Event],
        plan: &Plan,
        tell: impl Fn() + Sync,
    ) -> Result<Reality> {
        self.reality_beside(events, plan, &Judge::default(), tell)
    }

    /// [`Engine::reality`] beside the baselines of `judge`; seed, number of points, order and end
    /// are those of the plan.
    /// # Errors
    /// Those of [`Engine::reality`].
    pub fn reality_beside(
        &self,
        events: &[Event],
        plan: &Plan,
        judge: &Judge<'_>,
        tell: impl Fn() + Sync,
    ) -> Result<Reality> {
        let start = Instant::now();
        let counts: [std::sync::atomic::AtomicU64; 3] = Default::default();
        let judge = Judge {
            seed: plan.seed,
            points: plan.samples,
            in_turn: self.info().kind == "gpu",
            stop: plan.stop.as_deref(),
            ..judge.clone()
        };
        let sampled = |event: &Event| {
            let (forecast, of_event) = self.sampled(&event.problem, plan)?;
            for (count, of_event) in counts.iter().zip(of_event) {
                count.fetch_add(of_event, Ordering::Relaxed);
            }
            Ok(forecast)
        };
        let judged = judge.judge(events, sampled, tell)?;
        let [terminated, limited, accepted] = counts.map(|count| count.into_inner());
        Ok(Reality {
            device: self.info().clone(),
            precision: self.precision(plan),
            terminated,
            limited,
            accepted,
            seed: plan.seed,
            contacts: judged.contacts,
            tosses: judged.tosses,
            set: judged.set,
            odds: judged.odds,
            baselines: judged.baselines,
            seconds: start.elapsed().as_secs_f64(),
        })
    }

    /// The accepted samples of a problem as a forecast without noise; and how many terminated,
    /// reached the step limit, and were accepted.
    fn sampled(&self, problem: &ContactProblem, plan: &Plan) -> Result<(Forecast, [u64; 3])> {
        let (run, samples) = self.collect(problem, plan)?;
        let accepted = samples.accepted(run.summary.tolerance().residual);
        let velocities: Vec<f64> =
            accepted.iter().flat_map(|&i| samples.row(&samples.velocity, i)).copied().collect();
        let summary = &run.summary;
        let counts = [summary.terminated(), summary.count(Status::StepLimit), summary.accepted];
        let points = space(problem)?.of(&velocities).points().to_vec();
        Ok((Forecast { n: problem.coordinate_count(), points, block: 1, noise: 0.0 }, counts))
    }
}

/// The kinetic metric over `|v-|_M`.
fn space(problem: &ContactProblem) -> Result<PointSet> {
    PointSet::new(problem.mass(), problem.velocity(), &[])
        .ok_or_else(|| Error::input("expected a positive definite matrix").at("mass"))
}
