//! Odds of measured points: against closed forms of normal distributions, and naive loops.

use super::*;
use carom::study::Forecast;
use carom::study::normal::{Normal, deviates};

fn density(x: f64, mean: f64, sigma: f64) -> f64 {
    (-0.5 * ((x - mean) / sigma).powi(2)).exp() / (sigma * std::f64::consts::TAU.sqrt())
}

/// The energy score in one dimension, `int (F(x) - [x >= y])^2 dx`, by a sum.
fn energy(density: impl Fn(f64) -> f64, y: f64) -> f64 {
    let (step, mut below, mut sum) = (1e-3, 0.0, 0.0);
    for k in -20_000..20_000 {
        let x = step * f64::from(k);
        below += step * density(x);
        sum += step * (below - f64::from(u8::from(x >= y))).powi(2);
    }
    sum
}

fn forecast(n: usize, points: Vec<f64>, block: usize, noise: f64) -> Prediction {
    Prediction::Mixture(Forecast { n, points, block, noise, freedom: None })
}

#[test]
fn the_energy_score_is_that_of_the_distribution() {
    let points = [-1.0, 0.5, 3.0];
    let many: Vec<f64> = points.into_iter().cycle().take(3 * 1024).collect();
    let normal =
        Normal { mean: DVector::from_element(1, 1.0), factor: DMatrix::from_element(1, 1, 0.6) };
    for y in [-2.0, 0.0, 1.3, 4.0] {
        let mixture = |x: f64| points.iter().map(|p| density(x, *p, 0.4) / 3.0).sum::<f64>();
        let odds = forecast(1, many.clone(), 1, 0.4).odds(&[y], 0.1, 0);
        assert!((odds.energy - energy(mixture, y)).abs() < 0.03, "{y}: {}", odds.energy);
        let odds = Prediction::Normal(normal.clone()).odds(&[y], 0.0, 0);
        let expected = energy(|x| density(x, 1.0, 0.6), y);
        assert!((odds.energy - expected).abs() < 0.05, "{y}: {} {expected}", odds.energy);
        assert!((odds.rms - 0.6).abs() < 0.03 && odds.variogram == 0.0);
    }
}

#[test]
fn the_log_score_is_the_density() {
    let (points, y) = ([0.1, -0.2, 0.4, 0.3, -0.5, 0.0], [0.2, 0.1]);
    for (noise, measured, used) in [(0.3, 0.0, 0.3), (0.3, 0.5, 0.5), (0.0, 0.2, 0.2)] {
        let of = |p: &[f64]| density(y[0], p[0], used) * density(y[1], p[1], used) / 3.0;
        let expected: f64 = points.chunks(2).map(of).sum::<f64>().ln();
        let odds = forecast(2, points.to_vec(), 1, noise).odds(&y, measured, 3);
        assert!((odds.log - expected).abs() < 1e-12, "{} {expected}", odds.log);
    }
    // Covariance [[1, 0.6], [0.6, 2]], determinant 1.64.
    let covariance = DMatrix::from_row_slice(2, 2, &[1.0, 0.6, 0.6, 2.0]);
    let normal = Normal::new(DVector::from_vec(vec![1.0, -1.0]), &covariance).unwrap();
    let (a, b) = (y[0] - 1.0, y[1] + 1.0);
    let square = (2.0 * a * a - 1.2 * a * b + b * b) / 1.64;
    let expected = -0.5 * square - 0.5 * 1.64_f64.ln() - std::f64::consts::TAU.ln();
    assert!((normal.log_density(&y) - expected).abs() < 1e-12);
    assert!(Normal::new(DVector::zeros(2), &-covariance).is_none());
    // Nothing is a normal error: no density.
    let exact = forecast(2, points.to_vec(), 1, 0.0).odds(&y, 0.0, 3);
    assert!(exact.log == f64::NEG_INFINITY && exact.rank.is_nan() && exact.inside(0.5).is_nan());
}

#[test]
fn pairs_of_a_block_are_left_out() {
    let (n, block, y) = (3, 4, [0.3, -0.2, 0.1]);
    let points: Vec<f64> = (0..22).flat_map(|i| deviates(n, 5, i)).collect();
    let rows: Vec<&[f64]> = points.chunks(n).collect();
    let apart =
        |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
    let (mut sum, mut pairs) = (0.0, 0.0);
    for (i, a) in rows.iter().enumerate() {
        for (j, b) in rows.iter().enumerate() {
            if i / block != j / block {
                (sum, pairs) = (sum + apart(a, b), pairs + 1.0);
            }
        }
    }
    let away: f64 = rows.iter().map(|a| apart(a, &y)).sum::<f64>() / rows.len() as f64;
    let odds = forecast(n, points.clone(), block, 0.0).odds(&y, 0.0, 0);
    assert!((odds.energy - (away - 0.5 * sum / pairs)).abs() < 1e-12);
    // Points that are all outcomes there are: each pair counts, also of one with itself.
    let all: f64 = rows.iter().flat_map(|a| rows.iter().map(|b| apart(a, b))).sum();
    let odds = forecast(n, points.clone(), 0, 0.0).odds(&y, 0.0, 0);
    assert!((odds.energy - (away - 0.5 * all / 484.0)).abs() < 1e-12);
    let half = |x: f64| x.abs().sqrt();
    let expected: f64 = [(0, 1), (0, 2), (1, 2)]
        .map(|(i, j)| {
            let mean = rows.iter().map(|x| half(x[i] - x[j])).sum::<f64>() / 22.0;
            (half(y[i] - y[j]) - mean).powi(2)
        })
        .iter()
        .sum();
    assert!((odds.variogram - expected).abs() < 1e-12);
}

/// Ranks are uniform where measurements follow the forecast: skewed points, and a normal.
#[test]
fn ranks_of_a_true_forecast_are_uniform() {
    let (n, noise, trials) = (2, 0.2, 400);
    let skewed = |seed: u64, i: usize| -> Vec<f64> {
        let z = deviates(n, seed, i);
        vec![z[0], z[0] * z[0] + 0.3 * z[1]]
    };
    let points: Vec<f64> = (0..1024).flat_map(|i| skewed(1, i)).collect();
    let mixture = forecast(n, points, 1, noise);
    let covariance = DMatrix::from_row_slice(2, 2, &[0.5, 0.1, 0.1, 0.2]);
    let normal = Normal::new(DVector::from_vec(vec![2.0, 1.0]), &covariance).unwrap();
    let draws = normal.draws(trials, 77);
    let measured = |i: usize| -> Vec<f64> {
        skewed(2, i).iter().zip(deviates(n, 3, i)).map(|(x, e)| x + noise * e).collect()
    };
    let of_mixture: Vec<f64> =
        (0..trials).map(|i| mixture.odds(&measured(i), 0.0, 9).rank).collect();
    let normal = Prediction::Normal(normal);
    let of_normal: Vec<f64> = draws.chunks(n).map(|y| normal.odds(y, 0.0, 9).rank).collect();
    for ranks in [of_mixture, of_normal] {
        for share in [0.1, 0.25, 0.5, 0.75, 0.9] {
            let below = ranks.iter().filter(|rank| **rank < share).count() as f64 / trials as f64;
            // Three and a half standard deviations, and what 256 draws add.
            let bound = 3.5 * (share * (1.0 - share) / trials as f64).sqrt() + 0.03;
            assert!((below - share).abs() < bound, "{share} {below}");
        }
    }
}

#[test]
fn no_point_predicts_nothing() {
    let odds = forecast(2, Vec::new(), 1, 0.1).odds(&[0.0, 0.0], 0.1, 0);
    assert!(odds.energy == f64::INFINITY && odds.log == f64::NEG_INFINITY);
}
