//! Principal axes: the directions in which a set of points is thin or wide.

use nalgebra::{DMatrix, SymmetricEigen};

/// A direction, and the extent of the points along it.
#[derive(Clone, Debug, PartialEq)]
pub struct PrincipalAxis {
    /// The direction (n), of length 1.
    pub direction: Vec<f64>,
    /// The least and the greatest `direction . point`.
    pub extent: [f64; 2],
}

impl PrincipalAxis {
    /// The extent of the points along this axis.
    pub fn spread(&self) -> f64 {
        self.extent[1] - self.extent[0]
    }
}

/// The principal axes of points (N,n), row by row: n orthogonal directions, sorted by the spread of
/// the points along them, the smallest first.
///
/// Source: K. Pearson: On lines and planes of closest fit to systems of points in space.
/// Philosophical Magazine 2 (1901) 559-572. Deviation: axes are sorted by the spread, not the
/// variance.
pub fn axes(points: &[f64], n: usize) -> Vec<PrincipalAxis> {
    let count = (points.len() / n.max(1)).max(1) as f64;
    let mean: Vec<f64> =
        (0..n).map(|d| points.iter().skip(d).step_by(n).sum::<f64>() / count).collect();
    let mut covariance = DMatrix::zeros(n, n);
    for point in points.chunks_exact(n.max(1)) {
        for i in 0..n {
            for j in 0..=i {
                covariance[(i, j)] += (point[i] - mean[i]) * (point[j] - mean[j]);
            }
        }
    }
    covariance.fill_upper_triangle_with_lower_triangle();
    let vectors = SymmetricEigen::new(covariance).eigenvectors;
    let axis = |k: usize| {
        let direction: Vec<f64> = vectors.column(k).iter().copied().collect();
        let mut extent = [f64::INFINITY, f64::NEG_INFINITY];
        for point in points.chunks_exact(n) {
            let x: f64 = direction.iter().zip(point).map(|(c, x)| c * x).sum();
            extent = [extent[0].min(x), extent[1].max(x)];
        }
        PrincipalAxis { direction, extent }
    };
    let mut axes: Vec<PrincipalAxis> = (0..n).map(axis).collect();
    axes.sort_by(|a, b| a.spread().total_cmp(&b.spread()));
    axes
}
