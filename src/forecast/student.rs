//! Multivariate Student's t: errors with heavier tails than normal ones.

use super::normal;

/// Density at squared distance `square` from the centre, of scale 1 in `n` dimensions:
///
/// ```text
/// Gamma((nu + n) / 2) / (Gamma(nu / 2) (nu pi)^(n / 2)) (1 + square / nu)^(-(nu + n) / 2).
/// ```
///
/// Source: \[KN04\] (1.1).
pub fn density(n: usize, freedom: u32, square: f64) -> f64 {
    let (n, freedom) = (n as u32, f64::from(freedom));
    // Gamma(x + 1) = x Gamma(x) leads from nu / 2 to (nu + n) / 2 in whole steps, plus a half step
    // for odd n.
    let whole: f64 = (0..n / 2).map(|k| 0.5 * freedom + f64::from(k)).product();
    let half = if n % 2 == 1 { half_step(freedom as u32 + n - 1) } else { 1.0 };
    let (power, area) =
        (0.5 * (freedom + f64::from(n)), (freedom * std::f64::consts::PI).powf(0.5 * f64::from(n)));
    whole * half / area * (1.0 + square / freedom).powf(-power)
}

/// `Gamma((k + 1) / 2) / Gamma(k / 2)` for `k >= 1`.
fn half_step(k: u32) -> f64 {
    // Two neighbours have the product k / 2.
    let first = 1.0 / std::f64::consts::PI.sqrt();
    (1..k).fold(first, |ratio, k| 0.5 * f64::from(k) / ratio)
}

/// Variance of an error of scale 1 along each coordinate, `nu / (nu - 2)`; 1 for a normal error.
pub fn variance(freedom: Option<u32>) -> f64 {
    freedom.map_or(1.0, |freedom| f64::from(freedom) / (f64::from(freedom) - 2.0))
}

/// `n` numbers of scale 1, a function of `seed` and the number `i`: normal numbers divided by the
/// root mean square of `freedom` further ones.
pub fn deviates(n: usize, freedom: u32, seed: u64, i: usize) -> Vec<f64> {
    let mut numbers = normal::deviates(n + freedom as usize, seed, i);
    let squares: f64 = numbers[n..].iter().map(|x| x * x).sum();
    let scale = (f64::from(freedom) / squares).sqrt();
    numbers.truncate(n);
    numbers.iter_mut().for_each(|x| *x *= scale);
    numbers
}

/// Scale mixture: scales `sqrt(nu / q)`, with chi-squared `q`, and their weights, which sum to 1. A
/// Student's t error is normal with a standard deviation drawn from the scales.
///
/// The trapezoidal rule in `ln q`, whose density is proportional to `q^(nu / 2) exp(-q / 2)`.
pub fn scales(freedom: u32) -> Vec<(f64, f64)> {
    const NODES: i32 = 48;
    let freedom = f64::from(freedom);
    // Outside, the density is below 1e-8 of its maximum.
    let low = -(80.0 / freedom).sqrt() - 40.0 / freedom;
    let high = (60.0 / freedom + 1.0).ln() + 0.5;
    let node = |k: i32| {
        let x = low + (high - low) * f64::from(k) / f64::from(NODES);
        let log = 0.5 * freedom * (x + 1.0 - x.exp());
        ((-0.5 * x).exp(), log.exp())
    };
    let nodes: Vec<(f64, f64)> = (0..=NODES).map(node).collect();
    let sum: f64 = nodes.iter().map(|(_, weight)| weight).sum();
    nodes.into_iter().map(|(scale, weight)| (scale, weight / sum)).collect()
}

/// Quantile .975 of Student's t in one dimension.
pub fn quantile(freedom: usize) -> f64 {
    const FEW: [f64; 10] = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];
    match FEW.get(freedom.max(1) - 1) {
        Some(known) => *known,
        // Cornish-Fisher expansion in 1 / freedom.
        None => 1.96 + 2.37 / freedom as f64 + 2.8 / (freedom as f64).powi(2),
    }
}
