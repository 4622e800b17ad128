//! Gain of a forecast's shape beyond its mean and covariance.

use super::baselines::moments;
use super::forecast::Forecast;
use super::scoring::Prediction;

/// Gain by shape: energy score of the normal distribution with a forecast's mean and covariance,
/// minus the forecast's own energy score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Gain at the measurement.
    pub measured: f64,
    /// Mean gain for measurements distributed as the forecast.
    pub expected: f64,
}

/// Number of outcomes used as synthetic measurements.
const OUTCOMES: usize = 2;

impl Shape {
    /// Gain of a forecast at the measurement `y` (n) with standard deviation `measured` along each
    /// coordinate. `None` if the forecast has too few points, or a singular covariance.
    ///
    /// A synthetic measurement is a point of the forecast plus an error; the remaining points are
    /// the forecast scored with it.
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

/// Offset that separates these draws from the seeds of the scoring draws.
const OUTCOME: u64 = 0x5348_4150_4500_0000;

fn gain(forecast: &Forecast, y: &[f64], measured: f64, seed: u64) -> Option<f64> {
    let normal = Prediction::Normal(moments(forecast, measured)?);
    let shape = Prediction::Mixture(forecast.clone());
    Some(normal.odds(y, measured, seed).energy - shape.odds(y, measured, seed).energy)
}
