//! The distance of a velocity from a set of samples.

use nalgebra::{DMatrix, DVector};

/// Samples as points in the kinetic metric.
///
/// `|a - b|_M = sqrt((a - b)' M (a - b))`, over `|v-|_M`: the velocity before the impact has
/// distance 1 from rest. In this metric distances do not depend on the choice of coordinates and
/// units.
#[derive(Clone, Debug)]
pub struct PointSet {
    /// `L' / |v-|_M`, `M = L L'`.
    map: DMatrix<f64>,
    /// The points, n numbers each.
    points: Vec<f64>,
}

impl PointSet {
    /// Number of neighbours that determine the spacing of points: few enough to be near the point,
    /// and enough for a stable estimate where the set is sparse.
    pub const NEIGHBOURS: usize = 100;

    /// The set of the `velocities` (n each), in the metric of `mass` (n,n) and relative to the norm
    /// of `before` (n); `None` where `mass` is not positive definite.
    pub fn new(mass: &DMatrix<f64>, before: &DVector<f64>, velocities: &[f64]) -> Option<PointSet> {
        let factor = mass.clone().cholesky()?.l().transpose();
        let size = (&factor * before).norm();
        let metric =
            PointSet { map: factor / if size > 0.0 { size } else { 1.0 }, points: Vec::new() };
        Some(metric.of(velocities))
    }

    /// The set of other `velocities` (n each) in this metric.
    pub fn of(&self, velocities: &[f64]) -> PointSet {
        let mut points = Vec::with_capacity(velocities.len());
        for v in velocities.chunks_exact(self.map.ncols()) {
            points.extend_from_slice(self.point(v).as_slice());
        }
        PointSet { map: self.map.clone(), points }
    }

    /// The metric for a `velocity` (n) with free coordinates (NaN), and the velocity with 0 in
    /// their place. Lengths are `min |map v|` over the free coordinates: the map is projected onto
    /// the orthogonal complement of their columns.
    pub fn where_given(&self, velocity: &[f64]) -> (PointSet, Vec<f64>) {
        let free: Vec<usize> = (0..velocity.len()).filter(|i| velocity[*i].is_nan()).collect();
        let mut map = self.map.clone();
        if !free.is_empty() {
            let q = self.map.select_columns(&free).qr().q();
            map -= &q * (q.transpose() * &self.map);
            free.iter().for_each(|i| map.column_mut(*i).fill(0.0));
        }
        let given = velocity.iter().map(|x| if x.is_nan() { 0.0 } else { *x }).collect();
        (PointSet { map, points: Vec::new() }, given)
    }

    /// The matrix `L' / |v-|_M` (n,n), `M = L L'`: lengths of velocities `v` are `|map v|`.
    pub fn map(&self) -> &DMatrix<f64> {
        &self.map
    }

    /// The points (N,n), row by row, in a Euclidean space: Euclidean distances equal distances in
    /// the kinetic metric.
    pub fn points(&self) -> &[f64] {
        &self.points
    }

    /// A velocity (n) as a point of this space.
    pub fn point(&self, velocity: &[f64]) -> DVector<f64> {
        &self.map * DVector::from_column_slice(velocity)
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.points.len() / self.map.nrows()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The distance of `velocity` (n) from the nearest point, and the spacing of the points there:
    /// the distance of that point from its [`PointSet::NEIGHBOURS`]-th nearest neighbour, or from
    /// the farthest one if the set is smaller. Infinite without points.
    ///
    /// The spacing is small where the set is dense and large where it is sparse; the distance of a
    /// velocity that belongs to the set is about as large.
    pub fn distance(&self, velocity: &[f64]) -> (f64, f64) {
        let squares = self.squares(self.point(velocity).as_slice());
        let nearest = squares.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
        let Some((i, square)) = nearest else { return (f64::INFINITY, f64::INFINITY) };
        let n = self.map.nrows();
        let mut around = self.squares(&self.points[i * n..(i + 1) * n]);
        // The nearest point is the point itself.
        let last = Self::NEIGHBOURS.min(around.len() - 1);
        let (_, spacing, _) = around.select_nth_unstable_by(last, f64::total_cmp);
        (square.sqrt(), spacing.sqrt())
    }

    /// The distance of two velocities (n).
    pub fn between(&self, a: &[f64], b: &[f64]) -> f64 {
        (self.point(a) - self.point(b)).norm()
    }

    /// The largest distance of the first `held_out` points from the remaining ones; 0 if none
    /// remain.
    pub fn resolution(&self, held_out: usize) -> f64 {
        let n = self.map.nrows();
        let held_out = held_out.min(self.len() / 2);
        let apart = |i: usize| {
            let squares = self.squares(&self.points[i * n..(i + 1) * n]);
            squares[held_out..].iter().copied().fold(f64::INFINITY, f64::min).sqrt()
        };
        (0..held_out).map(apart).fold(0.0, f64::max)
    }

    /// The squared distances from all points.
    fn squares(&self, point: &[f64]) -> Vec<f64> {
        let square = |other: &[f64]| point.iter().zip(other).map(|(a, b)| (a - b) * (a - b)).sum();
        self.points.chunks_exact(point.len()).map(square).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_the_kinetic_metric() {
        let mass = DMatrix::from_row_slice(2, 2, &[2.0, 1.0, 1.0, 3.0]);
        let before = DVector::from_column_slice(&[1.0, -1.0]);
        let points = [0.0, 0.0, 1.0, 0.0, 4.0, 4.0];
        let set = PointSet::new(&mass, &before, &points).unwrap();
        assert_eq!((set.len(), set.is_empty()), (3, false));
        // |v-|_M^2 = 2 - 2 + 3; |(0, 1)|_M^2 = 3, |(-1, 1)|_M^2 = 2 - 2 + 3.
        assert!((set.distance(&[0.0, 1.0]).0 - 1.0).abs() < 1e-14);
        assert!((set.between(&[0.0, 0.0], &[1.0, 0.0]) - (2.0_f64 / 3.0).sqrt()).abs() < 1e-14);
        // (4, 4) is farthest from (0, 0): 32 + 32 + 48.
        let (distance, spacing) = set.distance(&[4.0, 4.0]);
        assert!(distance == 0.0 && (spacing - (112.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        let row: Vec<f64> = (0..400).flat_map(|i| [f64::from(i), 0.0]).collect();
        let row = PointSet::new(&DMatrix::identity(2, 2), &before, &row).unwrap();
        // From 0 the hundredth neighbour is 100; |v-| is sqrt 2.
        let (distance, spacing) = row.distance(&[-1.0, 0.0]);
        assert!((distance - 0.5_f64.sqrt()).abs() < 1e-14);
        assert!((spacing - 5000_f64.sqrt()).abs() < 1e-12);
        assert!((set.resolution(1) - (2.0_f64 / 3.0).sqrt()).abs() < 1e-14);
        let nothing = PointSet::new(&mass, &before, &[]).unwrap();
        assert_eq!(nothing.distance(&[0.0, 0.0]).0, f64::INFINITY);
        assert!(PointSet::new(&(-mass.clone()), &before, &points).is_none());
        // With the first coordinate free the second one has the inertia 3 - 1 / 2.
        let (metric, given) = set.where_given(&[f64::NAN, 2.0]);
        let away = metric.of(&[5.0, 0.0]).distance(&given).0;
        assert!((away - (2.5 * 4.0 / 3.0_f64).sqrt()).abs() < 1e-14, "{away}");
    }
}
