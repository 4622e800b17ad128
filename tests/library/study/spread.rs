//! The spread of forecasts about their means: covariances, and calibration.

use super::*;
use crate::support::events::problem;
use carom::study::Forecast;
use carom::study::frame::Frame;
use carom::study::normal::deviates;
use carom::study::spread::{Case, Spread, mean};

/// Forecasts that spread too little in one direction: their means are true.
#[test]
fn a_spread_has_the_covariance_of_what_was_measured() {
    let frame = Frame::of(&problem(&block())).unwrap();
    let along = |a: [f64; 3]| frame.difference(&vector(&a));
    let forecast = |k: usize| {
        let draw = |i: usize| {
            let z = deviates(3, 1, 100 * k + i);
            let centre = 0.1 * k as f64;
            along([centre + 0.1 * z[0], 0.1 * z[1], 0.02 * z[2]])
        };
        let points = (0..100).flat_map(|i| draw(i).as_slice().to_vec()).collect();
        Forecast { n: 3, points, block: 1, noise: 0.0, freedom: None }
    };
    let measured = |forecast: &Forecast, seed: u64, k: usize| {
        let z = deviates(3, seed, k);
        mean(forecast) + along([0.1 * z[0], 0.3 * z[1], 0.05 * z[2]])
    };
    let forecasts: Vec<Forecast> = (0..300).map(forecast).collect();
    let case = |(k, forecast)| Case { frame: &frame, forecast, measured: measured(forecast, 2, k) };
    let cases: Vec<Case<'_>> = forecasts.iter().enumerate().map(case).collect();
    let spread = Spread::fit((3, Some(2)), &cases);
    assert!(spread.suits((3, 2)) && !spread.suits((3, 1)) && !spread.suits((2, 2)));
    let (mut sum, mut inside) = (DMatrix::<f64>::zeros(3, 3), 0.0);
    for (k, forecast) in forecasts.iter().enumerate() {
        let of = spread.of(forecast, &frame);
        for point in of.points.chunks(3) {
            let apart = frame.components(&(vector(point) - mean(forecast)));
            sum += &apart * apart.transpose() / 30_000.0;
        }
        let y = measured(forecast, 3, k);
        inside += Prediction::Mixture(of).odds(y.as_slice(), 0.0, 4).inside(0.9) / 300.0;
    }
    sum += DMatrix::identity(3, 3) * spread.noise.powi(2);
    for (i, deviation) in [0.1, 0.3, 0.05].into_iter().enumerate() {
        let found = sum[(i, i)].sqrt();
        assert!((found / deviation - 1.0).abs() < 0.12, "{i} {found}");
    }
    assert!(inside > 0.84 && inside < 0.96, "{inside}");
}
