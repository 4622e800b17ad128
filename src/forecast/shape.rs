//! What the shape of a forecast is worth, beyond its mean and its covariance.

use super::baselines::moments;
use super::forecast::Forecast;
use super::normal::deviates;
use super::scoring::Prediction;
use super::student;

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
        let gains: Option<Vec<f64>> = (0..OUTCOMES.min(count))
            .map(|k| {
                let at = k * count / OUTCOMES;
                let point = &forecast.points[n * at..n * (at + 1)];
                let others = [&forecast.points[..n * at], &forecast.points[n * (at + 1)..]];
                let others = Forecast {
                    points: others.concat(),
                    n,
                    block: forecast.block,
                    noise: forecast.noise,
                    freedom: forecast.freedom,
                };
                let noise = forecast.noise.max(measured);
                let error = match forecast.freedom {
                    None => deviates(n, seed ^ OUTCOME, at),
                    Some(freedom) => student::deviates(n, freedom, seed ^ OUTCOME, at),
                };
                let outcome: Vec<f64> =
                    point.iter().zip(error).map(|(x, e)| x + noise * e).collect();
                gain(&others, &outcome, measured, seed)
            })
            .collect();
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
