//! Contacts between two planar shapes, and the distance between shapes.

use super::touch::{Solid, on_segment};
use super::{Shape, Touch, Vector};

/// Distance between two shapes in m; for overlapping shapes the negative of the smallest separating
/// displacement.
///
/// Without overlap: the smallest distance of a vertex of one shape from an edge of the other, minus
/// the radii. Overlapping convex polygons: the largest separation along an edge normal (separating
/// axes).
pub fn separation(a: &Shape, b: &Shape) -> f64 {
    core_distance(a, b) - a.radius() - b.radius()
}

/// Minimum width in m of the Minkowski sum of two shapes: the shortest passage of one through the
/// other that does not only clip a corner. 0 for a point and a rod, which never overlap.
///
/// The width of a sum is the sum of the widths, and it is smallest along the normal of an edge.
pub fn thickness(a: &Shape, b: &Shape) -> f64 {
    let width = |shape: &Shape, normal: Vector| {
        let along = || shape.vertices().iter().map(|vertex| normal.dot(vertex));
        along().fold(f64::NEG_INFINITY, f64::max) - along().fold(f64::INFINITY, f64::min)
    };
    let normals = a.edges().chain(b.edges()).map(|(_, _, normal)| normal);
    let least =
        normals.map(|normal| width(a, normal) + width(b, normal)).reduce(f64::min).unwrap_or(0.0);
    least + 2.0 * (a.radius() + b.radius())
}

/// Touches of two shapes within `tolerance`, with normals from `a` to `b`, in the order of the
/// touched edge.
///
/// A disk or point touches once; two polygons touch once, or twice edge on edge. Shapes that
/// overlap by more than the tolerance have one touch with this gap. Two points never touch. Between
/// two corners the normal joins the corners; for coincident corners, and for a point exactly on a
/// rod, which has two sides, the normal is taken from the edge of largest separation.
pub fn touches(a: &Shape, b: &Shape, tolerance: f64) -> Vec<Touch> {
    let gap = separation(a, b);
    let points = a.extent() + b.extent() == 0.0;
    if gap > tolerance || points {
        return Vec::new();
    }
    let size = a.extent().max(b.extent());
    if gap >= -tolerance && a.vertices().len() > 1 && b.vertices().len() > 1 {
        let clipped = edge_touches(a, b, tolerance, size);
        // Here a corner faces a corner, beyond the end of the edge.
        if clipped.iter().any(|touch| touch.gap <= gap + 1e-9 * size) {
            return clipped;
        }
    }
    let (p, q) = closest(a, b);
    let apart = (q - p).norm();
    let across = best_edge(a, b, size);
    let normal = match across {
        Some(edge)
            if apart <= 1e-9 * size || core_distance(a, b) < 0.0 || is_inside(&edge, p, q) =>
        {
            edge.towards_b()
        }
        _ if apart > 0.0 => (q - p) / apart,
        _ => Vector::new(1.0, 0.0),
    };
    vec![Touch { point: (p + normal * a.radius() + q - normal * b.radius()) * 0.5, normal, gap }]
}

/// Edge that separates two shapes, with the separation along its outward normal.
struct Edge {
    start: Vector,
    end: Vector,
    normal: Vector,
    /// Whether the edge belongs to the first shape.
    of_a: bool,
    separation: f64,
}

impl Edge {
    fn towards_b(&self) -> Vector {
        if self.of_a { self.normal } else { -self.normal }
    }
}

/// Whether the closest point on the edge's own shape lies strictly between the edge's ends.
fn is_inside(edge: &Edge, p: Vector, q: Vector) -> bool {
    let along = edge.end - edge.start;
    let s = (if edge.of_a { p } else { q } - edge.start).dot(&along) / along.norm_squared();
    1e-9 < s && s < 1.0 - 1e-9
}

/// Edge whose outward normal gives the largest separation of the other shape's vertices; at a tie,
/// of the first shape.
fn best_edge(a: &Shape, b: &Shape, size: f64) -> Option<Edge> {
    let mut best: Option<Edge> = None;
    for (shape, other, of_a) in [(a, b, true), (b, a, false)] {
        for (start, end, normal) in shape.edges() {
            let separation = other
                .vertices()
                .iter()
                .map(|v| normal.dot(&(v - start)))
                .fold(f64::INFINITY, f64::min);
            if best.as_ref().is_none_or(|edge| separation > edge.separation + 1e-12 * size) {
                best = Some(Edge { start, end, normal, of_a, separation });
            }
        }
    }
    best
}

fn core_distance(a: &Shape, b: &Shape) -> f64 {
    match best_edge(a, b, 0.0) {
        Some(edge) if edge.separation < 0.0 => edge.separation,
        _ => {
            let (p, q) = closest(a, b);
            (q - p).norm()
        }
    }
}

/// Closest pair of a vertex of one hull and a boundary point of the other, as (point of `a`, point
/// of `b`).
fn closest(a: &Shape, b: &Shape) -> (Vector, Vector) {
    let mut best = (a.vertices()[0], b.vertices()[0]);
    let mut least = f64::INFINITY;
    for (shape, other, of_a) in [(a, b, true), (b, a, false)] {
        let count = shape.vertices().len();
        for i in 0..count {
            let (start, end) = (shape.vertices()[i], shape.vertices()[(i + 1) % count]);
            for vertex in other.vertices() {
                let on = on_segment(start, end, *vertex);
                let distance = (on - vertex).norm_squared();
                if distance < least {
                    least = distance;
                    best = if of_a { (on, *vertex) } else { (*vertex, on) };
                }
            }
        }
    }
    best
}

/// Touches of two hulls across their separating edge: the opposite edge of the other hull is
/// clipped to the separating edge; its ends within the tolerance are touches.
fn edge_touches(a: &Shape, b: &Shape, tolerance: f64, size: f64) -> Vec<Touch> {
    let Some(edge) = best_edge(a, b, size) else { return Vec::new() };
    let other = if edge.of_a { b } else { a };
    let opposite = other
        .edges()
        .min_by(|(_, _, m), (_, _, n)| m.dot(&edge.normal).total_cmp(&n.dot(&edge.normal)));
    // In the reverse direction, the opposite edge runs along the separating one.
    let Some((end, start, _)) = opposite else { return Vec::new() };
    let length = (edge.end - edge.start).norm();
    let along = (edge.end - edge.start) / length;
    let s = |p: Vector| along.dot(&(p - edge.start));
    let slack = 1e-9 * length;
    let (s0, s1) = (s(start), s(end));
    if s0 > length + slack || s1 < -slack {
        return Vec::new();
    }
    let at = |target: f64| start + (end - start) * ((target - s0) / (s1 - s0)).clamp(0.0, 1.0);
    let first = if s0 < -slack { at(0.0) } else { start };
    let second = if s1 > length + slack { at(length) } else { end };
    let mut found: Vec<Touch> = Vec::new();
    for p in [first, second] {
        let gap = edge.normal.dot(&(p - edge.start)) - a.radius() - b.radius();
        let is_new = found.iter().all(|touch| (touch.point - p).norm() > 1e-9 * size);
        if gap <= tolerance && is_new {
            found.push(Touch { point: p, normal: edge.towards_b(), gap });
        }
    }
    found
}
