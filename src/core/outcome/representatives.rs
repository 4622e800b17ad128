//! Representative points of a set (greedy k-center clustering).

/// Points chosen from a set (N,n), row by row, and the distance of the farthest point from the
/// nearest chosen point.
#[derive(Clone, Debug, PartialEq)]
pub struct Representatives {
    /// The indices of the chosen points, in the order of the choice.
    pub points: Vec<usize>,
    /// For each point of the set, the place in `points` of the nearest chosen one.
    pub nearest: Vec<usize>,
    /// The largest distance of a point from the nearest chosen one.
    pub radius: f64,
}

/// Chooses at most `count` points that cover the set within a small radius.
///
/// The first point comes first; then, again and again, the point that is farthest from all chosen
/// ones. Source: T. F. Gonzalez: Clustering to minimize the maximum intercluster distance.
/// Theoretical Computer Science 38 (1985) 293-306. Guarantee: the radius is at most twice the
/// smallest possible with that number of points. Cost: N n per chosen point.
pub fn representatives(points: &[f64], n: usize, count: usize) -> Representatives {
    let total = points.len().checked_div(n).unwrap_or(0);
    let mut chosen: Vec<usize> = Vec::new();
    let mut nearest = vec![0; total];
    let mut squares = vec![f64::INFINITY; total];
    let mut next = (0, f64::INFINITY);
    while chosen.len() < count.min(total) && next.1 > 0.0 {
        let place = chosen.len();
        chosen.push(next.0);
        let center = &points[next.0 * n..(next.0 + 1) * n];
        next = (0, 0.0);
        for (i, point) in points.chunks_exact(n).enumerate() {
            let square = square(point, center);
            if square < squares[i] {
                (squares[i], nearest[i]) = (square, place);
            }
            if squares[i] > next.1 {
                next = (i, squares[i]);
            }
        }
    }
    let radius = if total == 0 { 0.0 } else { next.1.sqrt() };
    Representatives { points: chosen, nearest, radius }
}

/// The choice of [`representatives`], with fewer points if every point lies within `apart` of a
/// chosen one.
pub fn distinct(points: &[f64], n: usize, count: usize, apart: f64) -> Representatives {
    let found = representatives(points, n, count);
    if found.radius > apart {
        return found;
    }
    let mut fewer = (1..count).map(|fewer| representatives(points, n, fewer));
    fewer.find(|found| found.radius <= apart).unwrap_or(found)
}

/// The squared distance of two points.
pub fn square(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}
