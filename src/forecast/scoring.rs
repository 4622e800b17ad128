//! Scores of a predicted distribution, given what was measured.

use super::normal::Normal;
use super::{Forecast, student};
use carom_core::outcome::Cloud;
use carom_core::outcome::score::PAIRED;

/// A predicted distribution of a measured point.
#[derive(Clone, Debug, PartialEq)]
pub enum Prediction {
    /// A mixture of equal isotropic distributions.
    Mixture(Forecast),
    /// One normal distribution.
    Normal(Normal),
}

/// What a predicted distribution says of a measured point, in the kinetic metric over `|v-|_M`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Odds {
    /// Energy score `E|X - y| - E|X - X'| / 2`; smaller is better, and its mean is least for the
    /// true distribution. Infinite without points. Source: \[GR07\] Sec. 4.3, with beta = 1.
    pub energy: f64,
    /// Variogram score `sum_(i<j) (|y_i - y_j|^(1/2) - E|X_i - X_j|^(1/2))^2` over the kinetic
    /// coordinates; smaller is better. Source: \[SH15\] (4.2), with equal weights.
    pub variogram: f64,
    /// Logarithm of the density at the measured point; -infinity where there is no normal error.
    pub log: f64,
    /// Share of the distribution where the density is below that at the measured point: uniform
    /// between 0 and 1 if measurements follow the distribution, small where they are unexpected.
    /// Not a number where there is no density.
    pub rank: f64,
    /// Root of the mean squared distance of a draw from the mean.
    pub rms: f64,
}

/// Number of draws of a normal distribution, and least number of draws of a mixture.
const DRAWS: usize = 512;
/// Number of draws whose density is compared with that at the measured point.
const RANKED: usize = 256;
/// Terms of a density that are smaller than the largest one by this exponent are left out.
const LOST: f64 = 40.0;

impl Odds {
    /// The odds where nothing is predicted.
    const NONE: Odds = Odds {
        energy: f64::INFINITY,
        variogram: f64::INFINITY,
        log: f64::NEG_INFINITY,
        rank: f64::NAN,
        rms: 0.0,
    };

    /// Whether the region of highest density that holds the `share` has the point, 1 or 0, or NaN.
    pub fn inside(&self, share: f64) -> f64 {
        if self.rank.is_nan() { f64::NAN } else { f64::from(u8::from(self.rank >= 1.0 - share)) }
    }
}

/// The seed of the draws that score event `number`, `seed xor 2^16 number`: draws that all events
/// shared would have errors that no number of events averages out.
pub fn of_event(seed: u64, number: usize) -> u64 {
    seed ^ (number as u64) << 16
}

impl Prediction {
    /// The odds of `y` (n).
    ///
    /// `measured` is the standard deviation of the measurement along each coordinate; where it is
    /// larger than the noise of a mixture, it takes the place of it. Draws and their noise are
    /// functions of the seed and of their number, so predictions are compared with common random
    /// numbers. Draws of one block are no independent pair: the spread `E|X - X'|` and the
    /// densities at draws leave them out, where there are several blocks. Cost: quadratic in the
    /// number of points, of which the first [`PAIRED`] count.
    pub fn odds(&self, y: &[f64], measured: f64, seed: u64) -> Odds {
        match self {
            Prediction::Mixture(forecast) => of_mixture(forecast, y, measured, seed),
            Prediction::Normal(normal) => of_normal(normal, y, seed),
        }
    }
}

fn of_mixture(forecast: &Forecast, y: &[f64], measured: f64, seed: u64) -> Odds {
    let (n, noise) = (forecast.n, forecast.noise.max(measured));
    let count = forecast.len().min(PAIRED);
    if count == 0 {
        return Odds::NONE;
    }
    let points = &forecast.points[..n * count];
    let rounds = if noise > 0.0 { DRAWS.div_ceil(count) } else { 1 };
    let mut rows = Vec::with_capacity(n * count * rounds);
    for i in 0..count * rounds {
        let point = &points[n * (i % count)..][..n];
        let error = if noise <= 0.0 { vec![0.0; n] } else { forecast.deviates(seed, i) };
        rows.extend(point.iter().zip(error).map(|(x, e)| x + noise * e));
    }
    // A single block is compared with itself.
    let block = if forecast.block < count { forecast.block } else { 0 };
    let draws = Draws { n, rows, count, block };
    let mixture = Mixture { points: columns(n, points), noise, freedom: forecast.freedom };
    if noise > 0.0 {
        let log = mixture.log_density(y, 0..0);
        let density = |i: usize, draw: &[f64]| mixture.log_density(draw, draws.same(i));
        draws.odds(y, log, draws.rank(log, density))
    } else {
        draws.odds(y, f64::NEG_INFINITY, f64::NAN)
    }
}

fn of_normal(normal: &Normal, y: &[f64], seed: u64) -> Odds {
    let rows = normal.draws(DRAWS, seed);
    let draws = Draws { n: y.len(), rows, count: DRAWS, block: 1 };
    let log = normal.log_density(y);
    draws.odds(y, log, draws.rank(log, |_, draw| normal.log_density(draw)))
}

/// Draws of a distribution: rounds of `count`, of which `block` in a row are no independent pair.
struct Draws {
    n: usize,
    rows: Vec<f64>,
    count: usize,
    block: usize,
}

impl Draws {
    fn len(&self) -> usize {
        self.rows.len() / self.n
    }

    fn draw(&self, i: usize) -> &[f64] {
        &self.rows[self.n * i..][..self.n]
    }

    /// The numbers in a round of the draws in one block with draw i.
    fn same(&self, i: usize) -> std::ops::Range<usize> {
        if self.block == 0 {
            return 0..0;
        }
        let first = i % self.count / self.block * self.block;
        first..(first + self.block).min(self.count)
    }

    fn odds(&self, y: &[f64], log: f64, rank: f64) -> Odds {
        let number = self.len() as f64;
        let away = self.rows.chunks_exact(self.n).map(|draw| distance(draw, y)).sum::<f64>();
        let (spread, rms) = self.spread();
        let energy = away / number - 0.5 * spread;
        Odds { energy, variogram: self.variogram(y), log, rank, rms }
    }

    /// The mean distance of two draws of different blocks, and the rms radius.
    fn spread(&self) -> (f64, f64) {
        let size = Cloud::new(self.n, &self.rows).size();
        let paired = self.len().min(PAIRED);
        let (mut sum, mut pairs) = (size.spread * (paired * paired) as f64, paired * paired);
        for i in 0..paired {
            for round in (0..paired).step_by(self.count) {
                for j in self.same(i).map(|j| round + j).filter(|j| *j < paired) {
                    sum -= distance(self.draw(i), self.draw(j));
                    pairs -= 1;
                }
            }
        }
        (sum / pairs.max(1) as f64, size.rms)
    }

    /// The share of draws whose log density is below `log`, of [`RANKED`] draws at equal intervals.
    fn rank(&self, log: f64, density: impl Fn(usize, &[f64]) -> f64) -> f64 {
        let ranked = RANKED.min(self.len());
        let draws = (0..ranked).map(|k| k * self.len() / ranked);
        draws.filter(|&i| density(i, self.draw(i)) < log).count() as f64 / ranked as f64
    }

    fn variogram(&self, y: &[f64]) -> f64 {
        let number = self.len() as f64;
        let pairs = (0..self.n).flat_map(|j| (0..j).map(move |i| (i, j)));
        let term = |(i, j): (usize, usize)| {
            let apart = |x: &[f64]| (x[i] - x[j]).abs().sqrt();
            let expected = self.rows.chunks_exact(self.n).map(apart).sum::<f64>() / number;
            (apart(y) - expected).powi(2)
        };
        pairs.map(term).sum()
    }
}

/// Points, coordinate by coordinate, with an error of each.
struct Mixture {
    points: Vec<Vec<f64>>,
    noise: f64,
    freedom: Option<u32>,
}

impl Mixture {
    /// Logarithm of the density at `y`, without the points that are `left_out`.
    fn log_density(&self, y: &[f64], left_out: std::ops::Range<usize>) -> f64 {
        let mut squares = vec![0.0; self.points[0].len()];
        for (column, y) in self.points.iter().zip(y) {
            squares.iter_mut().zip(column).for_each(|(square, x)| *square += (x - y) * (x - y));
        }
        let count = (squares.len() - left_out.len()) as f64;
        squares[left_out].fill(f64::INFINITY);
        if let Some(freedom) = self.freedom {
            let of = |square| student::density(y.len(), freedom, square / self.noise.powi(2));
            let sum: f64 = squares.iter().map(of).sum();
            return (sum / count).ln() - y.len() as f64 * self.noise.ln();
        }
        let least = squares.iter().copied().fold(f64::INFINITY, f64::min);
        let rate = 0.5 / (self.noise * self.noise);
        let behind = squares.iter().map(|square| rate * (square - least));
        let sum: f64 = behind.filter(|x| *x < LOST).map(|x| (-x).exp()).sum();
        let volume = y.len() as f64 * (self.noise * std::f64::consts::TAU.sqrt()).ln();
        (sum / count).ln() - rate * least - volume
    }
}

fn columns(n: usize, points: &[f64]) -> Vec<Vec<f64>> {
    (0..n).map(|d| points.chunks_exact(n).map(|point| point[d]).collect()).collect()
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}
