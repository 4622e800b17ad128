//! Scores of sampled sets as forecasts of measured impacts.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

pub use super::groups::{EventGroup, OddsGroup};
use super::identify::place::Placed;
pub use super::judge::Baseline;
use super::judge::{Judge, Judged, space};
use super::scoring::Odds;
use super::simultaneous::Impacts;
use super::{Forecast, Model};
use carom_core::error::Result;
pub use carom_core::event::Event;
use carom_core::outcome::Score;
use carom_core::problem::ContactProblem;
use carom_core::status::Status;
use carom_engine::{DeviceInfo, Engine, Plan, Precision};

/// Predictions of many impacts, with their distances from the measurements. Distances are `|a -
/// b|_M / |v-|_M`, see [`PointSet`](carom_core::outcome::PointSet).
#[derive(Clone, Debug)]
pub struct Reality {
    /// Device of the samples.
    pub device: DeviceInfo,
    /// Precision of the samples.
    pub precision: Precision,
    /// Number of terminated samples of all events.
    pub terminated: u64,
    /// Number of samples of all events at the step limit.
    pub limited: u64,
    /// Number of terminated samples with an accepted residual; only these count.
    pub accepted: u64,
    /// Seed of draws, errors and resamples.
    pub seed: u64,
    /// Number of contacts of each event.
    pub contacts: Vec<usize>,
    /// Toss number of each event, from 0.
    pub tosses: Vec<usize>,
    /// Scores of the sampled set, event by event.
    pub set: Vec<Score>,
    /// Probabilistic scores of the measurements under the sampled set, event by event.
    pub odds: Vec<Odds>,
    /// Baseline predictions.
    pub baselines: Vec<Baseline>,
    /// Wall-clock seconds.
    pub seconds: f64,
}

/// Samples the problem of every event by `plan` and scores the sets as forecasts: samples are
/// equally likely outcomes, the measured noise is their error, see [`Judge::judge`].
///
/// Sample i of event k is a function of (event, law, seed, i) alone: every event uses the same
/// streams of random numbers, and so does the ball. Nothing depends on the number of threads.
///
/// # Errors
/// See [`Engine::sample`]; with the number of the event.
pub fn reality(
    engine: &Engine,
    events: &[Event],
    plan: &Plan,
    tell: impl Fn() + Sync,
) -> Result<Reality> {
    reality_beside(engine, events, plan, &Judge::default(), None, tell)
}

/// [`reality`] with the baselines of `judge`; seed, number of points, order and stop flag are taken
/// from the plan. With a model, its forecasts are scored, computed on the CPU, and the fitted
/// simultaneous law uses the contacts as placed by the model.
///
/// # Errors
/// See [`reality`].
pub fn reality_beside(
    engine: &Engine,
    events: &[Event],
    plan: &Plan,
    judge: &Judge<'_>,
    model: Option<&Model>,
    tell: impl Fn() + Sync,
) -> Result<Reality> {
    let start = Instant::now();
    let counts: [AtomicU64; 3] = Default::default();
    let judge = Judge {
        seed: plan.seed,
        points: plan.samples,
        in_turn: engine.info().kind == "gpu",
        stop: plan.stop.as_deref(),
        impacts: impacts(model, events, judge.training)?,
        ..judge.clone()
    };
    let sampled = |event: &Event| {
        let (forecast, of_event) = match model {
            Some(model) => {
                let points = plan.samples as usize;
                let forecast = model.forecast(event, points, plan.seed, plan.stop.as_deref())?;
                let count = forecast.len() as u64;
                (forecast, [count, 0, count])
            }
            None => sampled(engine, &event.problem, plan)?,
        };
        for (count, of_event) in counts.iter().zip(of_event) {
            count.fetch_add(of_event, Ordering::Relaxed);
        }
        Ok(forecast)
    };
    let Judged { contacts, tosses, set, odds, baselines } = judge.judge(events, sampled, tell)?;
    let [terminated, limited, accepted] = counts.map(|count| count.into_inner());
    Ok(Reality {
        device: engine.info().clone(),
        precision: engine.precision(plan),
        terminated,
        limited,
        accepted,
        seed: plan.seed,
        contacts,
        tosses,
        set,
        odds,
        baselines,
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// Accepted samples as a forecast; numbers of terminated, limited and accepted samples.
fn sampled(engine: &Engine, problem: &ContactProblem, plan: &Plan) -> Result<(Forecast, [u64; 3])> {
    let (run, samples) = engine.collect(problem, plan)?;
    let accepted = samples.accepted(run.summary.tolerance().residual);
    let velocities: Vec<f64> =
        accepted.iter().flat_map(|&i| samples.row(&samples.velocity, i)).copied().collect();
    let summary = &run.summary;
    let counts = [summary.terminated(), summary.count(Status::StepLimit), summary.accepted];
    let points = space(problem)?.of(&velocities).points().to_vec();
    let n = problem.coordinate_count();
    Ok((Forecast { n, points, block: 1, noise: 0.0, freedom: None }, counts))
}

/// Contact problems of events and of training events, with contacts placed by a model.
fn impacts(
    model: Option<&Model>,
    events: &[Event],
    training: Option<&[Event]>,
) -> Result<Vec<Impacts>> {
    let Some(model) = model else { return Ok(Vec::new()) };
    let of = |event: &Event| {
        let Placed { first, all } = Placed::new(model, event).map_err(|e| event.locate(e))?;
        Ok(Impacts { first, all })
    };
    events.iter().chain(training.unwrap_or_default()).map(of).collect()
}
