//! Scores of a set of points as a prediction of a measured point, and the size of the set.

use nalgebra::DVector;
use pulp::NullaryFnOnce;

use super::hull;

/// Points of n numbers each, column by column. As a prediction, all points are equally likely.
#[derive(Clone, Debug)]
pub struct Cloud {
    count: usize,
    columns: Vec<Vec<f64>>,
}

/// Scores of a prediction against a measurement. Distances are Euclidean; with points from
/// [`PointSet::points`](super::PointSet::points) they equal distances in the kinetic metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// Number of points.
    pub points: usize,
    /// Distance of the measured point from the nearest point; infinite without points.
    pub nearest: f64,
    /// The distance of the measured point from the convex hull of the points, see
    /// [`hull::distance`].
    pub hull: f64,
    /// The size of the set.
    pub size: Size,
    /// Energy score `E|X - y| - E|X - X'|/2` of the points, over all pairs, including pairs of a
    /// point with itself. Its mean is smallest for the true distribution; for a single point it is
    /// the distance.
    ///
    /// Source: \[GR07\] Sec. 4.3, with beta = 1.
    pub energy: f64,
}

/// The size of a set of points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Size {
    /// Root of the mean squared distance from the mean of the set.
    pub rms: f64,
    /// The largest distance of two points.
    pub diameter: f64,
    /// The mean distance of two points, `E|X - X'|`.
    pub spread: f64,
}

/// Largest number of points for exact diameter and spread; for larger sets the first points count.
pub const PAIRED: usize = 8192;

impl Cloud {
    /// The points of `rows`, n numbers each.
    pub fn new(n: usize, rows: &[f64]) -> Cloud {
        let column = |d: usize| rows.chunks_exact(n).map(|row| row[d]).collect();
        Cloud { count: rows.len() / n, columns: (0..n).map(column).collect() }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The points (N,n), row by row.
    pub fn rows(&self) -> Vec<f64> {
        (0..self.count).flat_map(|i| self.columns.iter().map(move |x| x[i])).collect()
    }

    /// The mean of the points; zero without points.
    pub fn mean(&self) -> DVector<f64> {
        let count = self.count.max(1) as f64;
        let means = self.columns.iter().map(|x| x.iter().sum::<f64>() / count);
        DVector::from_iterator(self.columns.len(), means)
    }

    /// The points, scaled by `scale` and shifted by `shift`.
    pub fn moved(&self, scale: f64, shift: &DVector<f64>) -> Cloud {
        let moved = |(x, s): (&Vec<f64>, &f64)| x.iter().map(|x| scale * x + s).collect();
        Cloud { count: self.count, columns: self.columns.iter().zip(shift).map(moved).collect() }
    }

    /// The size of the set. The size is exact for up to [`PAIRED`] points, in time quadratic in
    /// their number. For more points, diameter and spread are computed from the first [`PAIRED`]
    /// points, so the diameter is a lower bound.
    pub fn size(&self) -> Size {
        if self.count == 0 {
            return Size::default();
        }
        let mean = self.mean();
        let square = |(x, m): (&Vec<f64>, &f64)| x.iter().map(|x| (x - m).powi(2)).sum::<f64>();
        let rms =
            (self.columns.iter().zip(&mean).map(square).sum::<f64>() / self.count as f64).sqrt();
        let paired = self.count.min(PAIRED);
        let (sum, largest) =
            pulp::Arch::new().dispatch(Pairs { columns: &self.columns, count: paired });
        Size { rms, diameter: largest.sqrt(), spread: 2.0 * sum / (paired as f64).powi(2) }
    }

    /// Scores the set of size `size` against the measured `y` (n).
    pub fn score(&self, y: &[f64], size: Size) -> Score {
        let mut squares = vec![0.0; self.count];
        for (column, y) in self.columns.iter().zip(y) {
            squares.iter_mut().zip(column).for_each(|(square, x)| *square += (x - y) * (x - y));
        }
        let nearest = squares.iter().copied().fold(f64::INFINITY, f64::min).sqrt();
        let away = squares.iter().map(|square| square.sqrt()).sum::<f64>() / self.count as f64;
        let energy = if self.count == 0 { f64::INFINITY } else { away - 0.5 * size.spread };
        Score { points: self.count, nearest, hull: hull::distance(&self.columns, y), size, energy }
    }
}

/// The sum of all pairwise distances of the first `count` points, and the square of the largest.
struct Pairs<'a> {
    columns: &'a [Vec<f64>],
    count: usize,
}

/// Number of pairs per round.
const LANES: usize = 16;

impl NullaryFnOnce for Pairs<'_> {
    type Output = (f64, f64);

    #[inline(always)]
    fn call(self) -> (f64, f64) {
        let (mut sums, mut largest) = ([0.0; LANES], [0.0_f64; LANES]);
        let blocks = self.count / LANES * LANES;
        for i in 0..self.count {
            let first = (i + 1).next_multiple_of(LANES).min(blocks.max(i + 1));
            for j in (first..blocks).step_by(LANES) {
                let mut squares = [0.0; LANES];
                for column in self.columns {
                    let x = column[i];
                    let others = &column[j..j + LANES];
                    for l in 0..LANES {
                        let apart = others[l] - x;
                        squares[l] += apart * apart;
                    }
                }
                for l in 0..LANES {
                    sums[l] += squares[l].sqrt();
                    largest[l] = if squares[l] > largest[l] { squares[l] } else { largest[l] };
                }
            }
            for j in (i + 1..first.min(self.count)).chain(first.max(blocks)..self.count) {
                let square: f64 =
                    self.columns.iter().map(|column| (column[j] - column[i]).powi(2)).sum();
                sums[j % LANES] += square.sqrt();
                largest[j % LANES] = largest[j % LANES].max(square);
            }
        }
        (sums.iter().sum(), largest.into_iter().fold(0.0, f64::max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream, stream};

    fn rows(n: usize, count: usize, seed: u64) -> Vec<f64> {
        let draws = Stream::new(seed, 0);
        let number =
            |j: usize| f64::from(stream::unit(draws.draw(0, Purpose::User, j as u32))) - 0.5;
        (0..n * count).map(number).collect()
    }

    fn apart(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
    }

    /// Against loops over every point and every pair.
    #[test]
    fn scores_are_those_of_their_definitions() {
        let counts = [1, 2, 15, 16, 17, 31, 32, 33, 48, 100];
        for (k, count) in counts.into_iter().enumerate() {
            let n = 1 + k % 5;
            let (rows, y) = (rows(n, count, k as u64), vec![0.3; n]);
            let points: Vec<&[f64]> = rows.chunks_exact(n).collect();
            let (mut sum, mut diameter, mut squares) = (0.0, 0.0_f64, 0.0);
            for a in &points {
                for b in &points {
                    sum += apart(a, b);
                    squares += apart(a, b).powi(2);
                    diameter = diameter.max(apart(a, b));
                }
            }
            let number = count as f64;
            let nearest = points.iter().map(|a| apart(a, &y)).fold(f64::INFINITY, f64::min);
            let away = points.iter().map(|a| apart(a, &y)).sum::<f64>() / number;
            let cloud = Cloud::new(n, &rows);
            let score = cloud.score(&y, cloud.size());
            assert_eq!((score.points, cloud.len()), (count, count));
            assert!((score.nearest - nearest).abs() < 1e-14, "{count}");
            assert!((score.size.diameter - diameter).abs() < 1e-14, "{count}");
            assert!((score.energy - (away - sum / number.powi(2) / 2.0)).abs() < 1e-13, "{count}");
            // The mean squared distance of two points is twice the mean square about the mean.
            let rms = (squares / number.powi(2) / 2.0).sqrt();
            assert!((score.size.rms - rms).abs() < 1e-13, "{count}");
            assert!(score.hull <= score.nearest + 1e-12);
            assert!(count > 1 || score.hull == score.nearest);
        }
    }

    #[test]
    fn sizes_follow_the_points() {
        let cloud = Cloud::new(3, &rows(3, 70, 4));
        let (size, shift) = (cloud.size(), DVector::from_column_slice(&[3.0, -1.0, 2.0]));
        let moved = cloud.moved(2.0, &shift);
        assert!((moved.mean() - (2.0 * cloud.mean() + shift)).norm() < 1e-13);
        let twice = moved.size();
        for (a, b) in
            [(size.rms, twice.rms), (size.diameter, twice.diameter), (size.spread, twice.spread)]
        {
            assert!((2.0 * a - b).abs() < 1e-13);
        }
    }

    #[test]
    fn no_point_predicts_nothing() {
        let cloud = Cloud::new(2, &[]);
        let score = cloud.score(&[0.0, 1.0], cloud.size());
        assert!(cloud.is_empty() && score.nearest == f64::INFINITY && score.hull == f64::INFINITY);
        assert_eq!((score.energy, score.size), (f64::INFINITY, Size::default()));
    }

    #[test]
    fn of_many_points_the_first_are_paired() {
        let rows: Vec<f64> = (0..PAIRED + 5).map(|i| i as f64).collect();
        let size = Cloud::new(1, &rows).size();
        let number = PAIRED as f64;
        assert_eq!(size.diameter, number - 1.0);
        // The mean of |i - j| is (K^2 - 1) / (3 K).
        assert!((size.spread - (number * number - 1.0) / (3.0 * number)).abs() < 1e-8);
        assert!(size.rms > size.diameter / 12_f64.sqrt());
    }
}
