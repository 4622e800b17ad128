//! Convex hulls in the plane.

/// Sides of the polygon that approximates a circle.
pub(super) const ROUND: usize = 48;

/// The offset of a convex hull by a radius: its corners in order, with circles as polygons.
pub(super) fn rounded(points: impl Iterator<Item = [f64; 2]>, radius: f64) -> Vec<[f64; 2]> {
    let around = |[x, y]: [f64; 2]| {
        (0..ROUND).map(move |k| {
            let (sin, cos) = (std::f64::consts::TAU * k as f64 / ROUND as f64).sin_cos();
            [x + radius * cos, y + radius * sin]
        })
    };
    outline(points.flat_map(around).collect())
}

/// The corners of the convex hull of points in the plane, in order.
///
/// Source: A. M. Andrew: Another efficient algorithm for convex hulls in two dimensions.
/// Information Processing Letters 9 (1979).
pub fn outline(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    let turns = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| {
        (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0.0
    };
    let chain = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut chain: Vec<[f64; 2]> = Vec::new();
        for point in points {
            while matches!(chain[..], [.., a, b] if !turns(a, b, point)) {
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    if points.len() < 3 {
        return points;
    }
    let mut corners = chain(&mut points.iter().copied());
    corners.append(&mut chain(&mut points.iter().rev().copied()));
    corners
}

/// The area of a polygon whose corners follow each other counter-clockwise.
pub fn area(corners: &[[f64; 2]]) -> f64 {
    let Some(&[x, y]) = corners.first() else { return 0.0 };
    let triangle = |pair: &[[f64; 2]]| {
        let [[a, b], [c, d]] = [pair[0], pair[1]];
        0.5 * ((a - x) * (d - y) - (c - x) * (b - y))
    };
    corners.windows(2).map(triangle).sum()
}
