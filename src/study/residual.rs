//! What a forecast misses on average, learned from measured impacts.

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::baselines::kind;
use super::bootstrap::tosses;
use super::event::Event;
use super::features::features;
use super::forecast::Forecast;
use super::frame::Frame;
use super::regression::{Example, Regression};
use crate::error::{Error, Result};

/// A regression of the measured point less the mean of the forecast, along the axes of the
/// event's [`Frame`], on the features of the event and on the mean jump of the forecast.
///
/// Forecasts that are shifted by it are no longer outcomes of a law alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Residual {
    /// The regression.
    pub regression: Regression,
}

impl Residual {
    /// Learns from events and their forecasts. Also returned are the forecasts, each shifted by a
    /// regression that has not seen its toss: to these the noise is fitted.
    ///
    /// # Errors
    /// A forecast without points, a mass matrix that is not positive definite, or numbers that are
    /// not finite.
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
        let shifted = (0..events.len()).map(|i| {
            let shift = &examples[i].target - &left_out[i];
            moved(&forecasts[i], &places[i].frame.difference(&shift))
        });
        let shifted = shifted.collect();
        Ok((Residual { regression }, shifted))
    }

    /// The forecast of an event, moved by what the regression expects of it; as it is where no
    /// impact with as many coordinates was learned from. The noise stays.
    ///
    /// # Errors
    /// Those of [`Residual::fit`].
    pub fn shifted(&self, forecast: &Forecast, event: &Event) -> Result<Forecast> {
        let place = Place::of(forecast, event)?;
        Ok(match self.regression.predict(kind(event), &place.features) {
            Some(shift) => moved(forecast, &place.frame.difference(&shift)),
            None => forecast.clone(),
        })
    }
}

/// An event with its forecast, as a regression sees them.
struct Place {
    frame: Frame,
    mean: DVector<f64>,
    features: Vec<f64>,
}

impl Place {
    fn of(forecast: &Forecast, event: &Event) -> Result<Place> {
        let frame = Frame::of(&event.problem).map_err(|error| event.locate(error))?;
        if forecast.is_empty() {
            return Err(event.locate(Error::input("the forecast has no point")));
        }
        let points = DMatrix::from_row_slice(forecast.len(), forecast.n, &forecast.points);
        let mean = points.row_mean().transpose();
        let before = frame.point(event.problem.velocity().as_slice());
        let mut features = features(event, &frame);
        features.extend(frame.components(&(&mean - before)).iter());
        Ok(Place { frame, mean, features })
    }
}

/// The forecast with all points moved.
fn moved(forecast: &Forecast, by: &DVector<f64>) -> Forecast {
    let points = forecast.points.iter().zip(by.iter().cycle()).map(|(x, by)| x + by).collect();
    Forecast { points, ..forecast.clone() }
}
