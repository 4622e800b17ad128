//! Forecast of a measured impact: equally likely outcomes with errors.

use super::{normal, student};

/// Predictive distribution of a velocity after an impact: an equal-weight mixture of isotropic
/// normal or Student's t distributions around the points.
///
/// Points are coordinates of the kinetic metric in units of `|v-|_M`, see
/// [`PointSet`](carom_core::outcome::PointSet).
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    /// Number n of coordinates.
    pub n: usize,
    /// Points (N,n), row by row.
    pub points: Vec<f64>,
    /// Number of consecutive points that share one draw of the uncertain numbers. Pairs within such
    /// a block are not independent.
    pub block: usize,
    /// Standard deviation of the error along each coordinate, in units of `|v-|_M`; with
    /// [`Forecast::freedom`], the scale of the error.
    pub noise: f64,
    /// Degrees of freedom of Student's t errors, at least 3; `None`: normal errors.
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

    /// `n` errors of scale 1, a function of `seed` and the number `i`.
    pub(super) fn deviates(&self, seed: u64, i: usize) -> Vec<f64> {
        match self.freedom {
            None => normal::deviates(self.n, seed, i),
            Some(freedom) => student::deviates(self.n, freedom, seed, i),
        }
    }

    /// Whether the forecast has no points.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }
}
