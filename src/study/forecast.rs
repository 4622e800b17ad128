//! A forecast of a measured impact: equally likely outcomes, and a normal error of each.

/// What is expected of a velocity after an impact: a mixture of normal distributions of equal
/// weights, one around each point, with one standard deviation in all directions.
///
/// Points are those of the kinetic metric over `|v-|_M`, see
/// [`PointSet`](crate::outcome::PointSet).
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    /// Number n of coordinates.
    pub n: usize,
    /// The points (N,n), row by row.
    pub points: Vec<f64>,
    /// Number of points in a row that share one draw of the uncertain numbers. Pairs within such a
    /// block are no two independent outcomes.
    pub block: usize,
    /// Standard deviation of the error along each coordinate, over `|v-|_M`.
    pub noise: f64,
}

impl Forecast {
    /// Number N of points.
    pub fn len(&self) -> usize {
        self.points.len() / self.n.max(1)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }
}
