//! A forecast of a measured impact: equally likely outcomes, and an error of each.

use super::{normal, student};

/// What is expected of a velocity after an impact: a mixture of equal weights, of one
/// normal distribution around each point, or of one Student's t, the same in all directions.
///
/// Points are those of the kinetic metric over `|v-|_M`, see
/// [`PointSet`](carom_core::outcome::PointSet).
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    /// Number n of coordinates.
    pub n: usize,
    /// The points (N,n), row by row.
    pub points: Vec<f64>,
    /// Number of points in a row that share one draw of the uncertain numbers. Pairs within such a
    /// block are no two independent outcomes.
    pub block: usize,
    /// Standard deviation of the error along each coordinate, over `|v-|_M`; with
    /// [`Forecast::freedom`], the scale of the error.
    pub noise: f64,
    /// Degrees of freedom of errors that follow Student's t, at least 3; `None`: normal errors.
    pub freedom: Option<u32>,
}

impl Forecast {
    /// Number N of points.
    pub fn len(&self) -> usize {
        self.points.len() / self.n.max(1)
    }

    /// Variance of the error along each coordinate.
    pub fn variance(&self) -> f64 {
        self.noise * self.noise * student::variance(self.freedom)
    }

    /// `n` errors of scale 1, those of number `i` under `seed`.
    pub(super) fn deviates(&self, seed: u64, i: usize) -> Vec<f64> {
        match self.freedom {
            None => normal::deviates(self.n, seed, i),
            Some(freedom) => student::deviates(self.n, freedom, seed, i),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }
}
