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

/// The odds of events by models that have not seen their tosses.
#[derive(Clone, Debug)]
pub struct HeldOut {
    /// Number of each event's toss, from 0.
    pub tosses: Vec<usize>,
    /// The odds of each event.
    pub odds: Vec<Odds>,
    /// The odds with a [`Residual`] that was learned from the other tosses, if asked for.
    pub learned: Option<Vec<Odds>>,
    /// What the shape of each forecast gains, without a residual, where that is known.
    pub shapes: Vec<Option<Shape>>,
}

/// How models forecast.
#[derive(Clone, Copy, Debug)]
pub struct Forecasting<'a> {
    /// Number of points of a forecast.
    pub points: usize,
    /// Seed of the forecasts.
    pub seed: u64,
    /// A flag that ends the work.
    pub stop: Option<&'a AtomicBool>,
}

impl Forecasting<'_> {
    /// The forecasts of events by a model.
    pub fn of(&self, model: &Model, events: &[Event]) -> Result<Vec<Forecast>> {
        let forecast = |event| model.forecast(event, self.points, self.seed, self.stop);
        events.par_iter().map(forecast).collect()
    }

    /// What a model's forecasts of events miss.
    pub fn residual(&self, model: &Model, events: &[Event]) -> Result<Residual> {
        Ok(Residual::fit(events, &self.of(model, events)?)?.0)
    }

    /// Judges the model of each fold on the events of this fold, with residuals if it learns them.
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

    /// The odds of an event, and what the shape of its forecast gains.
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
