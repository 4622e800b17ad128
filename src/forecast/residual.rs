//! Learned bias correction: the mean error of a forecast, from measured impacts.

use std::collections::BTreeMap;

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::baselines::kind;
use super::bootstrap::tosses;
use super::features::features;
use super::forecast::Forecast;
use super::frame::Frame;
use super::regression::{Example, PER_DIRECTION, Regression};
use super::spread::{Case, Spread, mean};
use carom_core::error::{Error, Result};
use carom_core::event::Event;

/// A regression of the measured point less the mean of the forecast, along the axes of the
/// event's [`Frame`], on the features of the event and on the mean jump of the forecast; and how
/// what was measured spreads about the shifted mean.
///
/// Forecasts that are shifted by it are no longer outcomes of a law alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Residual {
    /// The regression.
    pub regression: Regression,
    /// The spreads, of impacts with any number of contacts and of each.
    pub spreads: Vec<Spread>,
}

impl Residual {
    /// Learns from events and their forecasts. Also returns the corrected forecasts: each is
    /// shifted by a regression without its toss, with spreads fitted to all shifted ones.
    ///
    /// # Errors
    /// A forecast without points, a mass matrix that is not positive definite, numbers not finite.
    pub fn fit(events: &[Event], forecasts: &[Forecast]) -> Result<(Residual, Vec<Forecast>)> {
        let places: Vec<Place> =
            events.iter().zip(forecasts).map(|(e, f)| Place::of(f, e)).collect::<Result<_>>()?;
        let example = |((event, place), toss): ((&Event, &Place), usize)| {
            let target =
                place.frame.components(&(place.frame.point(&event.measured) - &place.mean));
            Example { kind: kind(event), features: place.features.clone(), target, toss }
        };
        let examples: Vec<Example> =
            events.iter().zip(&places).zip(tosses(events)).map(example).collect();
        let (regression, left_out) = Regression::fit(&examples)?;
        let shift = |i: usize| {
            let shift = &examples[i].target - &left_out[i];
            moved(&forecasts[i], &places[i].frame.difference(&shift))
        };
        let shifted: Vec<Forecast> = (0..events.len()).map(shift).collect();
        let residual = Residual { regression, spreads: spreads(events, &places, &shifted) };
        let spread = |i: usize| residual.spread(&shifted[i], &events[i], &places[i].frame);
        let shifted = (0..events.len()).into_par_iter().map(spread).collect();
        Ok((residual, shifted))
    }

    /// Forecast of an event, shifted by the regression, with the spread of its kind. Unchanged
    /// without training impacts of its number of coordinates.
    ///
    /// # Errors
    /// See [`Residual::fit`].
    pub fn shifted(&self, forecast: &Forecast, event: &Event) -> Result<Forecast> {
        let place = Place::of(forecast, event)?;
        Ok(match self.regression.predict(kind(event), &place.features) {
            Some(shift) => {
                let shifted = moved(forecast, &place.frame.difference(&shift));
                self.spread(&shifted, event, &place.frame)
            }
            None => forecast.clone(),
        })
    }

    /// Correction that [`Residual::shifted`] applies to a forecast with this `mean` (n); `None`
    /// without training impacts of its number of coordinates.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub fn correction(&self, mean: DVector<f64>, event: &Event) -> Result<Option<Correction<'_>>> {
        let place = Place::at(mean, event)?;
        let predicted = self.regression.predict(kind(event), &place.features);
        Ok(predicted.map(|shift| Correction {
            shift: place.frame.difference(&shift),
            spread: self.of_kind(event).map(|spread| (spread, spread.root(&place.frame))),
        }))
    }

    fn spread(&self, forecast: &Forecast, event: &Event, frame: &Frame) -> Forecast {
        let of_kind = self.of_kind(event);
        of_kind.map_or_else(|| forecast.clone(), |spread| spread.of(forecast, frame))
    }

    fn of_kind(&self, event: &Event) -> Option<&Spread> {
        let suiting = self.spreads.iter().filter(|spread| spread.suits(kind(event)));
        suiting.max_by_key(|spread| spread.contacts)
    }
}

/// Correction of a forecast.
#[derive(Clone, Debug)]
pub struct Correction<'a> {
    /// Shift (n) of all points.
    pub shift: DVector<f64>,
    /// Spread about the shifted mean, and the root (n,n) of the added covariance.
    pub spread: Option<(&'a Spread, DMatrix<f64>)>,
}

/// Spreads of forecasts about the measurements, by kind of impact.
fn spreads(events: &[Event], places: &[Place], shifted: &[Forecast]) -> Vec<Spread> {
    let mut kinds: BTreeMap<(usize, Option<usize>), Vec<Case<'_>>> = BTreeMap::new();
    for ((event, place), forecast) in events.iter().zip(places).zip(shifted) {
        let (frame, measured) = (&place.frame, place.frame.point(&event.measured));
        let (n, m) = kind(event);
        for contacts in [None, Some(m)] {
            let case = Case { frame, forecast, measured: measured.clone() };
            kinds.entry((n, contacts)).or_default().push(case);
        }
    }
    let enough = |(kind, cases): &(&(usize, Option<usize>), &Vec<Case<'_>>)| {
        kind.1.is_none() || cases.len() >= PER_DIRECTION * kind.0
    };
    let kinds: Vec<_> = kinds.iter().filter(enough).collect();
    kinds.into_par_iter().map(|(kind, cases)| Spread::fit(*kind, cases)).collect()
}

/// Event with its forecast, as input of a regression.
struct Place {
    frame: Frame,
    mean: DVector<f64>,
    features: Vec<f64>,
}

impl Place {
    fn of(forecast: &Forecast, event: &Event) -> Result<Place> {
        if forecast.is_empty() {
            return Err(event.locate(Error::input("the forecast has no point")));
        }
        Place::at(mean(forecast), event)
    }

    fn at(mean: DVector<f64>, event: &Event) -> Result<Place> {
        let frame = Frame::of(&event.problem).map_err(|error| event.locate(error))?;
        let before = frame.point(event.problem.velocity().as_slice());
        let mut features = features(event, &frame);
        features.extend(frame.components(&(&mean - before)).iter());
        Ok(Place { frame, mean, features })
    }
}

fn moved(forecast: &Forecast, by: &DVector<f64>) -> Forecast {
    let points = forecast.points.iter().zip(by.iter().cycle()).map(|(x, by)| x + by).collect();
    Forecast { points, ..forecast.clone() }
}
