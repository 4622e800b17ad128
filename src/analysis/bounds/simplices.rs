use super::branch::{Part, Parts};
use super::cost::{Cost, Tangent};
use super::rounding::Sum;
use carom_core::expression::Interval;
use carom_core::outcome::polytope::Polytope;

const SPLITS: usize = 20_000;
/// Relative gap between the bound and the largest value found at which the search ends.
const PRECISION: f64 = 1e-7;

/// Bounding box (n) of some velocities with errors up to `radius` per coordinate.
pub fn around(points: &[impl AsRef<[f64]>], radius: &[f64]) -> Vec<Interval> {
    let range = |(i, radius): (usize, &f64)| {
        let all = || points.iter().map(|v| v.as_ref()[i]);
        let least = all().fold(f64::INFINITY, f64::min);
        let greatest = all().fold(f64::NEG_INFINITY, f64::max);
        let low = Interval::around(least, *radius).low;
        Interval { low, high: Interval::around(greatest, *radius).high }
    };
    radius.iter().enumerate().map(range).collect()
}

/// Upper bound on the cost over polytopes whose vertices have errors up to `radius` (n), and
/// whether the gap to the maximum may be large.
///
/// Branch and bound: simplices that may hold the maximum are split across their longest edge. On
/// each simplex the cost is bounded by intervals over its bounding box, and by its [`Tangent`],
/// which attains its maximum at a vertex. The rounding of edge midpoints is far below `radius`.
pub fn largest<'a>(
    cost: &Cost,
    polytopes: impl Iterator<Item = &'a Polytope>,
    radius: &[f64],
) -> (f64, bool) {
    let simplices = polytopes.flat_map(|polytope| {
        let points = |simplex: Vec<usize>| -> Vec<Vec<f64>> {
            simplex.into_iter().map(|at| polytope.vertices[at].clone()).collect()
        };
        polytope.simplices().into_iter().map(points).collect::<Vec<_>>()
    });
    let mut parts = Parts::new(simplices.map(|simplex| judged(cost, simplex, radius)));
    parts.refine(SPLITS, PRECISION, |simplex| {
        halves(cost, &simplex, radius).into_iter().map(|half| judged(cost, half, radius)).collect()
    });
    (parts.most(), !parts.is_close(PRECISION))
}

/// Simplex with an upper bound on the cost and the largest cost at a vertex.
fn judged(cost: &Cost, simplex: Vec<Vec<f64>>, radius: &[f64]) -> Part<Vec<Vec<f64>>> {
    let ranges = around(&simplex, radius);
    let first = Tangent::new(cost, &ranges).map_or(f64::INFINITY, |tangent| {
        let at = |vertex: &Vec<f64>| {
            let mut sum = Sum::default().and(tangent.at);
            for &i in cost.names() {
                sum.add(tangent.slope[i] * vertex[i]);
                sum.add(-tangent.slope[i] * tangent.middle[i]);
                sum.add(tangent.slope[i].abs() * radius[i]);
            }
            sum.most()
        };
        simplex.iter().map(at).fold(f64::NEG_INFINITY, f64::max)
    });
    let values = simplex.iter().filter_map(|vertex| cost.of(vertex).ok());
    let value = values.fold(f64::NEG_INFINITY, f64::max);
    Part { most: cost.range(&ranges).high.min(first), value, place: simplex }
}

/// Bisects a simplex across its longest edge, measured in the coordinates of the cost.
fn halves(cost: &Cost, simplex: &[Vec<f64>], radius: &[f64]) -> [Vec<Vec<f64>>; 2] {
    let length = |[a, b]: [usize; 2]| -> f64 {
        let apart = |&i: &usize| {
            ((simplex[a][i] - simplex[b][i]) / radius[i].max(f64::MIN_POSITIVE)).powi(2)
        };
        cost.names().iter().map(apart).sum()
    };
    let edges = (0..simplex.len()).flat_map(|b| (0..b).map(move |a| [a, b]));
    let longest = edges.max_by(|e, f| length(*e).total_cmp(&length(*f)));
    let [a, b] = longest.unwrap_or([0, 0]);
    let middle: Vec<f64> =
        simplex[a].iter().zip(&simplex[b]).map(|(x, y)| x / 2.0 + y / 2.0).collect();
    [a, b].map(|end| {
        let mut half = simplex.to_vec();
        half[end] = middle.clone();
        half
    })
}
