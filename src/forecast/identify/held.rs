use std::sync::atomic::AtomicBool;

use rayon::prelude::*;

use super::model::Model;
use crate::bootstrap::tosses;
use crate::judge::space;
use crate::scoring::{Odds, Prediction, of_event};
use crate::shape::Shape;
use crate::{Forecast, Residual};
use carom_core::error::Result;
use carom_core::event::Event;

/// Held-out probabilistic scores: each event by a model fitted without its toss.
#[derive(Clone, Debug)]
pub struct HeldOut {
    /// Toss number of each event, from 0.
    pub tosses: Vec<usize>,
    /// Scores of each event.
    pub odds: Vec<Odds>,
    /// Scores with a [`Residual`] learned from the other tosses, if requested.
    pub learned: Option<Vec<Odds>>,
    /// Gain by the shape of each forecast, without a residual; `None` if unknown.
    pub shapes: Vec<Option<Shape>>,
}

/// Settings of forecasts.
#[derive(Clone, Copy, Debug)]
pub struct Forecasting<'a> {
    /// Number of points of a forecast.
    pub points: usize,
    /// Seed of the forecasts.
    pub seed: u64,
    /// Stop flag.
    pub stop: Option<&'a AtomicBool>,
}

impl Forecasting<'_> {
    /// Forecasts of events by a model.
    pub fn of(&self, model: &Model, events: &[Event]) -> Result<Vec<Forecast>> {
        let forecast = |event| model.forecast(event, self.points, self.seed, self.stop);
        events.par_iter().map(forecast).collect()
    }

    /// Learned bias correction of a model's forecasts of events.
    pub fn residual(&self, model: &Model, events: &[Event]) -> Result<Residual> {
        Ok(Residual::fit(events, &self.of(model, events)?)?.0)
    }

    /// Scores the model of each fold on the events of this fold, with residuals if it learns them.
    pub fn held_out(
        &self,
        events: &[Event],
        folds: &[(Model, Vec<usize>)],
        learn: bool,
    ) -> Result<HeldOut> {
        let none = Odds { energy: f64::NAN, variogram: 0.0, log: 0.0, rank: f64::NAN, rms: 0.0 };
        let mut odds = vec![none; events.len()];
        let mut shapes = vec![None; events.len()];
        let mut learned = learn.then(|| odds.clone());
        for (model, held) in folds {
            let (apart, others): (Vec<usize>, Vec<usize>) =
                (0..events.len()).partition(|i| held.contains(i));
            let some = |of: &[usize]| of.iter().map(|&i| events[i].clone()).collect::<Vec<_>>();
            let (apart_events, others) = (some(&apart), some(&others));
            let forecasts = self.of(model, &apart_events)?;
            let judge = |(&i, forecast): (&usize, _)| self.judged((&events[i], i), forecast);
            let judged: Vec<_> =
                apart.par_iter().zip(&forecasts).map(judge).collect::<Result<_>>()?;
            for (&i, (own, shape)) in apart.iter().zip(judged) {
                (odds[i], shapes[i]) = (own, shape);
            }
            if let Some(learned) = &mut learned {
                let residual = self.residual(model, &others)?;
                for (&i, forecast) in apart.iter().zip(&forecasts) {
                    let shifted = residual.shifted(forecast, &events[i])?;
                    learned[i] = self.odds((&events[i], i), shifted)?;
                }
            }
        }
        Ok(HeldOut { tosses: tosses(events), odds, learned, shapes })
    }

    /// Probabilistic scores of an event, and the gain by the shape of its forecast.
    fn judged(
        &self,
        (event, i): (&Event, usize),
        forecast: &Forecast,
    ) -> Result<(Odds, Option<Shape>)> {
        let y = space(&event.problem)?.point(&event.measured);
        let shape = Shape::of(forecast, y.as_slice(), event.deviation(), of_event(self.seed, i));
        Ok((self.odds((event, i), forecast.clone())?, shape))
    }

    fn odds(&self, (event, i): (&Event, usize), forecast: Forecast) -> Result<Odds> {
        let y = space(&event.problem)?.point(&event.measured);
        let (mixture, seed) = (Prediction::Mixture(forecast), of_event(self.seed, i));
        Ok(mixture.odds(y.as_slice(), event.deviation(), seed))
    }
}
