//! The distance of a point from the convex hull of other points.

use nalgebra::{DMatrix, DVector};

/// Relative accuracy of the distance.
const ACCURACY: f64 = 1e-9;
/// Distance, relative to the farthest point, below which the point `y` lies in the hull.
const INSIDE: f64 = 1e-12;
/// Weights below this count as zero.
const WEIGHT: f64 = 1e-12;
/// Largest number of changes of the simplex. Each reduces the distance; dozens suffice for
/// thousands of points.
const ROUNDS: usize = 2000;

/// The distance of `y` (n) from the convex hull of points, given column by column (n columns);
/// infinite without points, 0 (to 1e-12 of the farthest point's distance) where `y` lies in the
/// hull.
///
/// With `q_j = p_j - y`, the method finds the shortest `x = sum w_j q_j`, `w >= 0`, `sum w = 1`. It
/// keeps a simplex of few points, whose shortest point `x` has positive weights. Each round adds
/// the point that lies farthest in the direction `-x`, moves to the new shortest point, and removes
/// the points whose weight vanishes on the way. It ends when no point lies nearer: `x.q_j >= x.x`
/// for all j. Source: \[W76\]. Deviation: shortest points of affine hulls by QR of the edges,
/// instead of an updated triangular factor of the Gram matrix. Guarantee: the result is never less
/// than the distance. If the method ends by itself, as it does in exact arithmetic, the result
/// exceeds the distance by a relative 1e-9 at most. It ends after 2000 rounds at the latest. Cost:
/// one pass over all points per round.
pub fn distance(columns: &[Vec<f64>], y: &[f64]) -> f64 {
    towards(columns, y).map_or(f64::INFINITY, |x| x.norm())
}

/// The shortest vector (n) from `y` (n) to the hull, as in [`distance`]; `None` without points.
pub fn towards(columns: &[Vec<f64>], y: &[f64]) -> Option<DVector<f64>> {
    let n = columns.len();
    let count = columns.first().map_or(0, Vec::len);
    let point = |j: usize| DVector::from_fn(n, |d, _| columns[d][j] - y[d]);
    let mut squares = vec![0.0; count];
    for (column, y) in columns.iter().zip(y) {
        squares.iter_mut().zip(column).for_each(|(square, x)| *square += (x - y) * (x - y));
    }
    let order = |a: &(usize, f64), b: &(usize, f64)| a.1.total_cmp(&b.1);
    let (nearest, _) = squares.iter().copied().enumerate().min_by(order)?;
    let farthest = squares.iter().copied().fold(0.0, f64::max).sqrt();
    let mut simplex = Simplex { points: vec![(nearest, point(nearest))], weights: vec![1.0] };
    let mut x = simplex.point();
    for _ in 0..ROUNDS {
        let square = x.norm_squared();
        if square.sqrt() <= INSIDE * farthest {
            break;
        }
        let mut along = vec![0.0; count];
        for ((column, y), x) in columns.iter().zip(y).zip(&x) {
            along.iter_mut().zip(column).for_each(|(along, p)| *along += x * (p - y));
        }
        let Some((j, least)) = along.into_iter().enumerate().min_by(order) else { break };
        if square - least <= ACCURACY * square || simplex.points.iter().any(|(i, _)| *i == j) {
            break;
        }
        let mut next = simplex.clone();
        next.points.push((j, point(j)));
        next.weights.push(0.0);
        if !next.shorten() {
            break;
        }
        let shorter = next.point();
        // Rounding prevents a further reduction.
        if shorter.norm_squared() >= square {
            break;
        }
        (simplex, x) = (next, shorter);
    }
    Some(x)
}

/// Affinely independent points with weights >= 0 whose sum is 1.
#[derive(Clone)]
struct Simplex {
    points: Vec<(usize, DVector<f64>)>,
    weights: Vec<f64>,
}

impl Simplex {
    /// The point that the weights describe.
    fn point(&self) -> DVector<f64> {
        let mut x = DVector::zeros(self.points[0].1.len());
        for ((_, point), weight) in self.points.iter().zip(&self.weights) {
            x.axpy(*weight, point, 1.0);
        }
        x
    }

    /// Moves to the shortest point of a face of the simplex: towards the shortest point of the
    /// affine hull up to the boundary of the simplex, then again without the point whose weight has
    /// become zero. `false` where the points are affinely dependent.
    fn shorten(&mut self) -> bool {
        while let Some(goal) = self.affine() {
            let blocked = |k: &usize| goal[*k] <= WEIGHT;
            let part = |k: usize| self.weights[k] / (self.weights[k] - goal[k]);
            let parts = (0..goal.len()).filter(blocked).map(|k| (k, part(k)));
            let Some((first, part)) = parts.min_by(|a, b| a.1.total_cmp(&b.1)) else {
                self.weights = goal;
                return true;
            };
            let part = if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 };
            for (weight, goal) in self.weights.iter_mut().zip(&goal) {
                *weight += part * (goal - *weight);
            }
            self.points.remove(first);
            self.weights.remove(first);
            let sum: f64 = self.weights.iter().sum();
            self.weights.iter_mut().for_each(|weight| *weight = weight.max(0.0) / sum);
        }
        false
    }

    /// The weights of the shortest point of the affine hull; `None` where the points are dependent.
    fn affine(&self) -> Option<Vec<f64>> {
        let (n, edges) = (self.points[0].1.len(), self.points.len() - 1);
        if edges == 0 {
            return Some(vec![1.0]);
        }
        if edges > n {
            return None;
        }
        let origin = &self.points[0].1;
        let matrix = DMatrix::from_fn(n, edges, |d, k| self.points[k + 1].1[d] - origin[d]);
        let (qr, mut right) = (matrix.qr(), -origin);
        qr.q_tr_mul(&mut right);
        let r = qr.r();
        let diagonal = r.diagonal().map(f64::abs);
        if diagonal.min() <= 1e-13 * diagonal.max() {
            return None;
        }
        let solved = r.solve_upper_triangular(&right.rows(0, edges).into_owned())?;
        let mut weights = vec![1.0 - solved.sum()];
        weights.extend(solved.iter());
        Some(weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream, stream};

    /// The distance from every face of up to n + 1 points, one after the other; 0 inside a simplex
    /// of n + 1 points.
    fn brute(points: &[DVector<f64>], y: &DVector<f64>) -> f64 {
        let (n, count) = (y.len(), points.len());
        let mut best = f64::INFINITY;
        for set in 1_u32..1 << count {
            let members: Vec<&DVector<f64>> =
                (0..count).filter(|j| set >> j & 1 == 1).map(|j| &points[j]).collect();
            if members.len() > n + 1 {
                continue;
            }
            // Normal equations of the foot of the perpendicular, by Lagrange: [G 1; 1' 0] [w; l] =
            // [P'y; 1].
            let k = members.len();
            let system = DMatrix::from_fn(k + 1, k + 1, |a, b| match (a < k, b < k) {
                (true, true) => members[a].dot(members[b]),
                (false, false) => 0.0,
                _ => 1.0,
            });
            let right = DVector::from_fn(k + 1, |a, _| if a < k { members[a].dot(y) } else { 1.0 });
            let Some(weights) = system.full_piv_lu().solve(&right) else { continue };
            if weights.rows(0, k).min() < -1e-9 {
                continue;
            }
            let mut foot = -y.clone();
            for (point, weight) in members.iter().zip(&weights) {
                foot.axpy(*weight, point, 1.0);
            }
            best = best.min(foot.norm());
        }
        best
    }

    fn columns(points: &[DVector<f64>]) -> Vec<Vec<f64>> {
        (0..points[0].len()).map(|d| points.iter().map(|point| point[d]).collect()).collect()
    }

    #[test]
    fn the_distance_is_that_of_the_nearest_face() {
        let (mut inside, mut outside) = (0, 0);
        for case in 0..120 {
            let draws = Stream::new(17, case);
            let number =
                |j: usize| f64::from(stream::unit(draws.draw(0, Purpose::User, j as u32))) - 0.5;
            let n = 2 + case as usize % 2;
            let count = 3 + case as usize % 7;
            let mut points: Vec<DVector<f64>> =
                (0..count).map(|i| DVector::from_fn(n, |d, _| number(8 + n * i + d))).collect();
            // Duplicate points, and points between two others.
            if case % 5 == 0 {
                points.push(points[0].clone());
                points.push(0.25 * &points[0] + 0.75 * &points[1]);
            }
            let y = DVector::from_fn(n, |d, _| number(d) * if case % 3 == 0 { 3.0 } else { 0.4 });
            let (found, expected) = (distance(&columns(&points), y.as_slice()), brute(&points, &y));
            assert!((found - expected).abs() < 1e-9, "{case}: {found} {expected}");
            if expected < 1e-9 { inside += 1 } else { outside += 1 }
        }
        assert!(inside > 20 && outside > 20, "{inside} {outside}");
    }

    /// A cube of n dimensions: the excess of each coordinate over 1.
    #[test]
    fn the_distance_from_a_cube_is_known() {
        for n in 1..=8_usize {
            let corners: Vec<DVector<f64>> = (0..1_u32 << n)
                .map(|c| DVector::from_fn(n, |d, _| if c >> d & 1 == 1 { 1.0 } else { -1.0 }))
                .collect();
            for case in 0..20 {
                let draws = Stream::new(3, case);
                let number =
                    |j: usize| f64::from(stream::unit(draws.draw(0, Purpose::User, j as u32)));
                let y: Vec<f64> = (0..n).map(|d| 4.0 * number(d) - 2.0).collect();
                let expected: f64 =
                    y.iter().map(|y| (y.abs() - 1.0).max(0.0).powi(2)).sum::<f64>().sqrt();
                for scale in [1.0, 1e-9, 1e6] {
                    let scaled = |c: &Vec<f64>| c.iter().map(|x| x * scale).collect();
                    let columns: Vec<Vec<f64>> = columns(&corners).iter().map(scaled).collect();
                    let y: Vec<f64> = y.iter().map(|y| y * scale).collect();
                    let found = distance(&columns, &y) / scale;
                    assert!((found - expected).abs() < 1e-9, "{n} {case}: {found} {expected}");
                }
            }
        }
    }

    /// Many points on a sphere, seen from outside: nearly |y| - 1; from inside 0.
    #[test]
    fn many_points_are_no_harder() {
        let points: Vec<DVector<f64>> = (0..4096)
            .map(|i| {
                let draws = Stream::new(1, i);
                let number =
                    |j: u32| f64::from(stream::unit(draws.draw(0, Purpose::User, j))) - 0.5;
                DVector::from_fn(3, |d, _| number(d as u32)).normalize()
            })
            .collect();
        let columns = columns(&points);
        let y = DVector::from_column_slice(&[1.5, -2.0, 0.5]);
        let found = distance(&columns, y.as_slice());
        // No farther than the nearest point, no nearer than the plane that separates.
        let nearest = points.iter().map(|p| (p - &y).norm()).fold(f64::INFINITY, f64::min);
        assert!(found <= nearest && found >= y.norm() - 1.0, "{found} {nearest}");
        assert!(found < y.norm() - 1.0 + 0.01);
        assert!(distance(&columns, &[0.2, 0.1, -0.3]) < 1e-11);
        // The point lies on a point of the set, then on an edge between two.
        assert!(distance(&columns, points[7].as_slice()) < 1e-12);
    }

    #[test]
    fn degenerate_sets_have_distances_too() {
        assert_eq!(distance(&[Vec::new(), Vec::new()], &[0.0, 0.0]), f64::INFINITY);
        assert_eq!(distance(&[vec![3.0], vec![4.0]], &[0.0, 0.0]), 5.0);
        // All points equal; all on one line.
        assert_eq!(distance(&[vec![3.0; 9], vec![4.0; 9]], &[0.0, 0.0]), 5.0);
        let line: Vec<f64> = (-5..=5).map(f64::from).collect();
        let found = distance(&[line.clone(), vec![2.0; 11], line], &[1.0, 0.0, 1.0]);
        assert!((found - 2.0).abs() < 1e-14);
    }
}
