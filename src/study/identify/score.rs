//! Scores of a forecast whose points have normal errors, in closed form over the errors.

use crate::study::forecast::Forecast;

/// The mean distance `g(r) = E|r e + z|` of a standard normal `z` (n) from a point at distance `r`,
/// tabulated.
#[derive(Clone, Debug)]
pub struct MeanDistance {
    n: f64,
    table: Vec<f64>,
}

/// Entries of the table per unit of length.
const PER_UNIT: f64 = 64.0;
/// End of the table; beyond it, the expansion in 1/r is accurate to 1e-4.
const END: f64 = 12.0;

impl MeanDistance {
    /// The table of n dimensions.
    ///
    /// `g(r) = g(0) exp(-x) sum_k c_k`, `x = r^2 / 2`, `c_0 = 1`,
    /// `c_k = c_(k-1) x ((n-1)/2 + k) / ((n/2 + k - 1) k)`: Kummer's function `M(-1/2, n/2, -x)`
    /// by Kummer's transformation; `g(0) = sqrt(2) Gamma((n+1)/2) / Gamma(n/2)`.
    pub fn new(n: usize) -> Self {
        // g_n(0) g_(n+1)(0) = n, from Gamma(x + 1) = x Gamma(x).
        let start = (1.0 / std::f64::consts::FRAC_PI_2).sqrt();
        let at_zero = (1..n).fold(start, |g, k| k as f64 / g);
        let n = n as f64;
        let at = |r: f64| {
            let x = 0.5 * r * r;
            let (mut term, mut sum, mut k) = (1.0, 1.0, 0.0);
            while term > 1e-17 * sum {
                k += 1.0;
                term *= x * ((n - 1.0) / 2.0 + k) / ((n / 2.0 + k - 1.0) * k);
                sum += term;
            }
            at_zero * (-x).exp() * sum
        };
        let entries = (END * PER_UNIT) as usize + 2;
        MeanDistance { n, table: (0..entries).map(|i| at(i as f64 / PER_UNIT)).collect() }
    }

    /// The mean distance `E|x - y + s z|` where `|x - y| = r`.
    #[inline]
    pub fn of(&self, r: f64, s: f64) -> f64 {
        if r >= END * s {
            // |r e + s z| = r + (n - 1) s^2 / (2 r) - (n - 1)(n - 3) s^4 / (8 r^3) + ...
            let (n, q) = (self.n, if r > 0.0 { s * s / r } else { 0.0 });
            let next = if r > 0.0 { q * q / r } else { 0.0 };
            return r + (n - 1.0) * (q / 2.0 - (n - 3.0) * next / 8.0);
        }
        let place = r / s * PER_UNIT;
        let i = place as usize;
        let t = place - i as f64;
        s * (self.table[i] + t * (self.table[i + 1] - self.table[i]))
    }
}

/// The scores of one event for several noises: distances of the points from the measurement and
/// from each other are computed once.
#[derive(Clone, Debug)]
pub struct Distances {
    /// Distances of the points from what was measured (N).
    pub away: Vec<f64>,
    /// Distances of the pairs of points that share no draw.
    pub apart: Vec<f64>,
    n: usize,
}

impl Distances {
    /// The distances of a forecast from the measured point `y` (n).
    pub fn new(forecast: &Forecast, y: &[f64]) -> Self {
        let n = forecast.n;
        let distance = |a: &[f64], b: &[f64]| {
            a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
        };
        let points: Vec<&[f64]> = forecast.points.chunks_exact(n).collect();
        let away = points.iter().map(|x| distance(x, y)).collect();
        let block = forecast.block.max(1);
        let mut apart = Vec::with_capacity(points.len() * points.len() / 2);
        for (i, a) in points.iter().enumerate() {
            let first = (i / block + 1) * block;
            apart.extend(points.iter().skip(first).map(|b| distance(a, b)));
        }
        Distances { away, apart, n }
    }

    /// The energy score `E|X - y| - E|X - X'| / 2`, in which both have normal errors of standard
    /// deviation `noise` and share no draw; infinite without points. Source: \[GR07\] Sec. 4.3.
    pub fn energy(&self, mean: &MeanDistance, noise: f64) -> f64 {
        if self.away.is_empty() {
            return f64::INFINITY;
        }
        let of = |distances: &[f64], s: f64| match distances.len() {
            0 => mean.of(0.0, s),
            count => distances.iter().map(|r| mean.of(*r, s)).sum::<f64>() / count as f64,
        };
        of(&self.away, noise) - 0.5 * of(&self.apart, noise * std::f64::consts::SQRT_2)
    }

    /// The negative logarithm of the density of the mixture at what was measured; infinite without
    /// points or noise.
    pub fn log(&self, noise: f64) -> f64 {
        let scale = 0.5 / (noise * noise);
        let least = self.away.iter().copied().fold(f64::INFINITY, f64::min);
        let sum: f64 =
            self.away.iter().map(|r| (-(r * r - least * least) * scale).exp()).sum::<f64>();
        let width = self.n as f64 * (noise * (std::f64::consts::TAU).sqrt()).ln();
        let log = (sum / self.away.len() as f64).ln();
        if sum.is_finite() && noise > 0.0 {
            least * least * scale + width - log
        } else {
            f64::INFINITY
        }
    }
}
