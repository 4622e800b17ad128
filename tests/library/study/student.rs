//! Student's t: against tables, sums over grids, and many draws.

use super::*;
use carom::study::Forecast;
use carom::study::identify::score::{Distances, MeanDistance};
use carom::study::student::{density, deviates};
use std::f64::consts::PI;

/// The density of one dimension with 3 and with 4 degrees of freedom, from tables.
fn known(freedom: u32, x: f64) -> f64 {
    match freedom {
        3 => 2.0 / (PI * 3.0_f64.sqrt()) / (1.0 + x * x / 3.0).powi(2),
        _ => 0.375 / (1.0 + x * x / 4.0).powf(2.5),
    }
}

#[test]
fn densities_are_those_of_tables() {
    for x in [0.0_f64, 0.7, 3.0, 20.0] {
        for freedom in [3, 4] {
            let (found, expected) = (density(1, freedom, x * x), known(freedom, x));
            assert!((found / expected - 1.0).abs() < 1e-12, "{freedom} {x}: {found} {expected}");
        }
    }
    // In the plane the density in the middle is that of a normal error; and the whole is one.
    assert!((density(2, 5, 0.0) - 0.5 / PI).abs() < 1e-12);
    for (n, area) in [(3, 4.0 * PI), (6, PI.powi(3))] {
        let shell = |k: u32| {
            let r = 0.01 * (f64::from(k) + 0.5);
            0.01 * area * r.powi(n - 1) * density(n as usize, 6, r * r)
        };
        let whole: f64 = (0..100_000).map(shell).sum();
        assert!((whole - 1.0).abs() < 1e-5, "{n}: {whole}");
    }
}

#[test]
fn draws_have_the_tails_of_the_table() {
    let draws: Vec<f64> = (0..40_000).flat_map(|i| deviates(2, 4, 9, i)).collect();
    let beyond =
        |most: f64| draws.iter().filter(|x| x.abs() > most).count() as f64 / draws.len() as f64;
    // Two-sided quantiles of Student's t with 4 degrees of freedom.
    for (quantile, share) in [(0.741, 0.5), (2.132, 0.1), (2.776, 0.05), (4.604, 0.01)] {
        let error = 4.0 * (share / draws.len() as f64).sqrt();
        assert!((beyond(quantile) - share).abs() < error, "{quantile}: {}", beyond(quantile));
    }
}

#[test]
fn scores_are_means_over_heavy_errors() {
    let (step, half) = (0.1, 4000);
    let grid: Vec<(f64, f64)> =
        (-half..=half).map(|k| f64::from(k) * step).map(|x| (x, step * known(4, x))).collect();
    let mean = MeanDistance::student(1, 4);
    for r in [0.0, 0.4, 2.0, 9.0, 60.0] {
        let one: f64 = grid.iter().map(|(x, weight)| weight * (r + 2.0 * x).abs()).sum();
        assert!((mean.of(r, 2.0) - one).abs() < 5e-3, "{r}: {} {one}", mean.of(r, 2.0));
        let two: f64 = grid
            .iter()
            .step_by(3)
            .map(|(x, a)| {
                let inner = grid.iter().step_by(3).map(|(y, b)| b * (r + x - y).abs());
                9.0 * a * inner.sum::<f64>()
            })
            .sum();
        assert!((mean.of_two(r, 1.0) - two).abs() < 0.02, "{r}: {} {two}", mean.of_two(r, 1.0));
    }
    // With many degrees of freedom errors are normal.
    let (many, normal) = (MeanDistance::student(3, 1000), MeanDistance::new(3));
    for r in [0.0, 0.5, 3.0, 11.0] {
        assert!((many.of(r, 1.0) - normal.of(r, 1.0)).abs() < 3e-3, "{r}");
        assert!((many.of_two(r, 1.0) - normal.of_two(r, 1.0)).abs() < 5e-3, "{r}");
    }
}

/// The score in closed form is the one of many draws, and so is the density.
#[test]
fn odds_know_the_tails() {
    let points: Vec<f64> = (0..512).map(|i| 0.2 * f64::from(i % 7)).collect();
    let forecast = Forecast { n: 2, points, block: 1, noise: 0.3, freedom: Some(3) };
    let mean = MeanDistance::student(2, 3);
    for y in [[0.5, 0.5], [2.0, -1.5]] {
        let odds = Prediction::Mixture(forecast.clone()).odds(&y, 0.0, 4);
        let distances = Distances::new(&forecast, &y);
        assert!((odds.energy - distances.energy(&mean, 0.3)).abs() < 0.05, "{y:?}: {odds:?}");
        assert!((odds.log + distances.log(&mean, 0.3)).abs() < 1e-9, "{y:?}: {odds:?}");
    }
    assert!((forecast.variance() - 0.27).abs() < 1e-12);
}
