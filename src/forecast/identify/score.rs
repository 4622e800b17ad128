//! Scores of a forecast with errors, in closed form over the errors.

use crate::forecast::Forecast;
use crate::student::{density, scales, variance};

/// Tabulated mean distances `E|x - y + s e|` and `E|x - y + s (e - e')|` for `|x - y| = r`, with
/// independent errors `e`, `e'` of scale 1 in n dimensions.
#[derive(Clone, Debug)]
pub struct MeanDistance {
    freedom: Option<u32>,
    one: Table,
    two: Table,
}

/// Table of a mean distance by distance, for errors of scale 1.
#[derive(Clone, Debug)]
struct Table {
    /// Coefficients of `1 / r` and `1 / r^3` beyond the table.
    far: [f64; 2],
    values: Vec<f64>,
}

/// Table entries per unit of length.
const PER_UNIT: f64 = 64.0;
/// End of the table of normal errors; beyond it, the expansion in 1/r is accurate to 1e-4.
const END: f64 = 12.0;
/// End of the table of Student's t.
const STUDENT_END: f64 = 48.0;

impl MeanDistance {
    /// Normal errors in n dimensions.
    ///
    /// `g(r) = E|r e + z| = g(0) exp(-x) sum_k c_k`, `x = r^2 / 2`, `c_0 = 1`,
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
        // |r e + z| = r + (n - 1) / (2 r) - (n - 1)(n - 3) / (8 r^3) + ...
        let far = [(n - 1.0) / 2.0, -(n - 1.0) * (n - 3.0) / 8.0];
        let one = Table::new(END, far, at);
        let root = std::f64::consts::SQRT_2;
        let two = Table::new(END * root, [2.0 * far[0], 4.0 * far[1]], |r| one.of(r, root));
        MeanDistance { freedom: None, one, two }
    }

    /// Errors of Student's t with `freedom` degrees of freedom, at least 3, in n dimensions: normal
    /// errors averaged over [`scales`].
    pub fn student(n: usize, freedom: u32) -> Self {
        let normal = MeanDistance::new(n).one;
        let scales = scales(freedom);
        let far = normal.far[0] * variance(Some(freedom));
        let one = |r: f64| scales.iter().map(|(s, weight)| weight * normal.of(r, *s)).sum();
        let pairs: Vec<(f64, f64)> = (scales.iter().enumerate())
            .flat_map(|(i, (s, a))| {
                let twice = move |j: usize| if i == j { 1.0 } else { 2.0 };
                let with = move |(j, (t, b)): (usize, &(f64, f64))| (s.hypot(*t), twice(j) * a * b);
                scales[..=i].iter().enumerate().map(with)
            })
            .filter(|(_, weight)| *weight > 1e-12)
            .collect();
        let two = |r: f64| pairs.iter().map(|(s, weight)| weight * normal.of(r, *s)).sum();
        MeanDistance {
            freedom: Some(freedom),
            one: Table::new(STUDENT_END, [far, 0.0], one),
            two: Table::new(STUDENT_END, [2.0 * far, 0.0], two),
        }
    }

    /// Mean distance `E|x - y + s e|` for `|x - y| = r`.
    #[inline]
    pub fn of(&self, r: f64, s: f64) -> f64 {
        self.one.of(r, s)
    }

    /// Mean distance `E|x - y + s (e - e')|` for `|x - y| = r`.
    #[inline]
    pub fn of_two(&self, r: f64, s: f64) -> f64 {
        self.two.of(r, s)
    }
}

impl Table {
    fn new(end: f64, far: [f64; 2], at: impl Fn(f64) -> f64) -> Table {
        let entries = (end * PER_UNIT) as usize + 2;
        Table { far, values: (0..entries).map(|i| at(i as f64 / PER_UNIT)).collect() }
    }

    /// Mean distance for errors of scale `s` at distance `r`.
    #[inline]
    fn of(&self, r: f64, s: f64) -> f64 {
        let place = r / s * PER_UNIT;
        let last = (self.values.len() - 2) as f64;
        if place.is_nan() || place >= last {
            let (q, next) = if r > 0.0 { (s * s / r, s * s / (r * r)) } else { (0.0, 0.0) };
            return r + q * (self.far[0] + self.far[1] * next);
        }
        let i = place as usize;
        let t = place - i as f64;
        s * (self.values[i] + t * (self.values[i + 1] - self.values[i]))
    }
}

/// Distances of one event's points, from the measurement and from each other.
#[derive(Clone, Debug)]
pub struct Distances {
    /// Distances of the points from the measurement (N).
    pub away: Vec<f64>,
    /// Distances of independent pairs of points.
    pub apart: Vec<f64>,
    n: usize,
}

impl Distances {
    /// Distances of a forecast from the measured point `y` (n).
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

    /// Energy score `E|X - y| - E|X - X'| / 2`, with errors of scale `noise` and independent pairs;
    /// infinite without points. Source: \[GR07\] Sec. 4.3.
    pub fn energy(&self, mean: &MeanDistance, noise: f64) -> f64 {
        if self.away.is_empty() {
            return f64::INFINITY;
        }
        let of = |distances: &[f64], mean: &dyn Fn(f64) -> f64| match distances.len() {
            0 => mean(0.0),
            count => distances.iter().map(|r| mean(*r)).sum::<f64>() / count as f64,
        };
        of(&self.away, &|r| mean.of(r, noise)) - 0.5 * of(&self.apart, &|r| mean.of_two(r, noise))
    }

    /// Negative log density at the measurement; infinite without points or noise.
    pub fn log(&self, mean: &MeanDistance, noise: f64) -> f64 {
        if let Some(freedom) = mean.freedom {
            let of = |r: &f64| density(self.n, freedom, (r / noise).powi(2));
            let sum: f64 = self.away.iter().map(of).sum();
            return self.n as f64 * noise.ln() - (sum / self.away.len() as f64).ln();
        }
        let scale = 0.5 / (noise * noise);
        let least = self.away.iter().copied().fold(f64::INFINITY, f64::min);
        let sum: f64 =
            self.away.iter().map(|r| (-(r * r - least * least) * scale).exp()).sum::<f64>();
        let width = self.n as f64 * (noise * (std::f64::consts::TAU).sqrt()).ln();
        let log = (sum / self.away.len() as f64).ln();
        let finite = sum.is_finite() && noise > 0.0;
        if finite { least * least * scale + width - log } else { f64::INFINITY }
    }
}
