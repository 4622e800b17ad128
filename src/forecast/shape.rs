//! What the shape of a forecast is worth, beyond its mean and its covariance.

use super::baselines::moments;
use super::forecast::Forecast;
use super::scoring::Prediction;

/// Energy scores of normal distributions with the mean and covariance of forecasts, less those of
/// the forecasts: what their shape gains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// The gain at what was measured.
    pub measured: f64,
    /// The mean gain if measurements were outcomes of the forecast.
    pub expected: f64,
}

/// Number of outcomes that stand for measurements.
const OUTCOMES: usize = 2;

impl Shape {
    /// The gain of a forecast, of which `y` (n) was measured with the standard deviation `measured`
    /// along each coordinate. `None` where the forecast has too few points, or does not spread in
    /// all directions.
    ///
    /// An outcome is a point of the forecast, with an error; the forecast that is scored with it
    /// has the other points.
    pub fn of(forecast: &Forecast, y: &[f64], measured: f64, seed: u64) -> Option<Shape> {
        let (n, count) = (forecast.n, forecast.len());
        let of = |k: usize| {
            let at = k * count / OUTCOMES;
            let point = &forecast.points[n * at..n * (at + 1)];
            let points = [&forecast.points[..n * at], &forecast.points[n * (at + 1)..]].concat();
            let noise = forecast.noise.max(measured);
            let error = forecast.deviates(seed ^ OUTCOME, at);
            let outcome: Vec<f64> = point.iter().zip(error).map(|(x, e)| x + noise * e).collect();
            gain(&Forecast { points, ..*forecast }, &outcome, measured, seed)
        };
        let gains: Option<Vec<f64>> = (0..OUTCOMES.min(count)).map(of).collect();
        let gains = gains.filter(|gains| !gains.is_empty())?;
        let expected = gains.iter().sum::<f64>() / gains.len() as f64;
        Some(Shape { measured: gain(forecast, y, measured, seed)?, expected })
    }
}

/// Apart from the seeds of the draws that score.
const OUTCOME: u64 = 0x5348_4150_4500_0000;

fn gain(forecast: &Forecast, y: &[f64], measured: f64, seed: u64) -> Option<f64> {
    let normal = Prediction::Normal(moments(forecast, measured)?);
    let shape = Prediction::Mixture(forecast.clone());
    Some(normal.odds(y, measured, seed).energy - shape.odds(y, measured, seed).energy)
}
