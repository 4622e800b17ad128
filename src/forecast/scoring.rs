//! Proper scores of a predictive distribution at a measurement.

use super::normal::Normal;
use super::{Forecast, student};
use carom_core::outcome::Cloud;
use carom_core::outcome::score::PAIRED;

/// Predictive distribution of a measured point.
#[derive(Clone, Debug, PartialEq)]
pub enum Prediction {
    /// Equal-weight mixture of isotropic distributions.
    Mixture(Forecast),
    /// Normal distribution.
    Normal(Normal),
}

/// Scores of a predictive distribution at a measured point, in the kinetic metric in units of
/// `|v-|_M`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Odds {
    /// Energy score `E|X - y| - E|X - X'| / 2`; smaller is better, and its mean is minimal for the
    /// true distribution. Infinite without points. Source: \[GR07\] Sec. 4.3, with beta = 1.
    pub energy: f64,
    /// Variogram score `sum_(i<j) (|y_i - y_j|^(1/2) - E|X_i - X_j|^(1/2))^2` over the kinetic
    /// coordinates; smaller is better. Source: \[SH15\] (4.2), with equal weights.
    pub variogram: f64,
    /// Log density at the measured point; -infinity without an error distribution.
    pub log: f64,
    /// Probability of a density below the density at the measured point: uniform on [0, 1] if
    /// measurements follow the distribution, small for unexpected measurements. NaN without a
    /// density.
    pub rank: f64,
    /// Root mean square distance of a draw from the mean.
    pub rms: f64,
}

/// Number of draws of a normal distribution, and minimum number of draws of a mixture.
const DRAWS: usize = 512;
/// Number of draws whose density is compared with the density at the measured point.
const RANKED: usize = 256;
/// Log ratio to the largest term below which terms of a density are dropped.
const LOST: f64 = 40.0;

impl Odds {
    /// Scores without a prediction.
    const NONE: Odds = Odds {
        energy: f64::INFINITY,
        variogram: f64::INFINITY,
        log: f64::NEG_INFINITY,
        rank: f64::NAN,
        rms: 0.0,
    };

    /// Whether the region of highest density with probability `share` contains the point: 1, 0, or
    /// NaN.
    pub fn inside(&self, share: f64) -> f64 {
        if self.rank.is_nan() { f64::NAN } else { f64::from(u8::from(self.rank >= 1.0 - share)) }
    }
}

/// Seed of the draws for the scores of event `number`, `seed xor 2^16 number`. Draws common to all
/// events would have errors that do not average out over events.
pub fn of_event(seed: u64, number: usize) -> u64 {
    seed ^ (number as u64) << 16
}

impl Prediction {
    /// Scores at `y` (n).
    ///
    /// `measured` is the standard deviation of the measurement along each coordinate; it replaces a
    /// smaller noise of a mixture. Draws and their noise are functions of the seed and of their
    /// number, so predictions are compared with common random numbers. Draws of one block are not
    /// independent: the spread `E|X - X'|` and the densities at draws leave such pairs out if there
    /// are several blocks. Cost: quadratic in the number of points, limited to the first
    /// [`PAIRED`].
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

/// Draws of a distribution, in rounds of `count`; `block` consecutive draws are not independent.
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

    /// Index range, within a round, of the draws that share a block with draw i.
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

    /// Mean distance of two draws of different blocks, and the rms radius.
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

    /// Fraction of draws with a log density below `log`, over [`RANKED`] equally spaced draws.
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
    /// Log density at `y`, without the points in `left_out`.
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
