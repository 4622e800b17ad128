//! The distance between two convex shapes: closest points and separating axes, by comparing all
//! pairs of features.

use super::{Shape, Vector};
use crate::model::touch::on_segment;

/// The distance between two shapes in m; where they overlap, minus the smallest displacement that
/// separates them.
///
/// Shapes that do not overlap: the smallest distance of a vertex of one from the other, or of two
/// edges, less the radii. Overlapping convex polyhedra: the largest separation along a face normal
/// or a cross product of two edges. The centre lines of two capsules or rods never overlap; their
/// distance is at least 0.
pub fn separation(a: &Shape, b: &Shape) -> f64 {
    core_distance(a, b, best_axis(a, b, 0.0).as_ref()) - a.radius() - b.radius()
}

/// The distance of two hulls, without their radii, given their best axis.
pub(super) fn core_distance(a: &Shape, b: &Shape, axis: Option<&Axis>) -> f64 {
    match axis {
        Some(axis) if axis.separation < 0.0 => axis.separation,
        _ => {
            let (p, q) = closest(a, b);
            (q - p).norm()
        }
    }
}

/// Axis along which two hulls are separate, or overlap least.
pub(super) struct Axis {
    /// The unit vector from the first hull to the second.
    pub normal: Vector,
    /// The distance between the hulls along it; negative where they overlap.
    pub separation: f64,
    /// Index of the face with this normal, and whether the face belongs to the first hull.
    pub face: Option<(usize, bool)>,
}

/// Axis with the largest separation among the face normals and the cross products of edges; `None`
/// if neither hull has faces. A cross product has to exceed all faces by `slack`.
pub(super) fn best_axis(a: &Shape, b: &Shape, slack: f64) -> Option<Axis> {
    let mut best: Option<Axis> = None;
    for (shape, other, of_a) in [(a, b, true), (b, a, false)] {
        for (i, face) in shape.faces().iter().enumerate() {
            let plane = face.normal.dot(&shape.vertices()[face.corners[0]]);
            let separation = lowest(other, face.normal) - plane;
            if best.as_ref().is_none_or(|axis| separation > axis.separation) {
                let normal = if of_a { face.normal } else { -face.normal };
                best = Some(Axis { normal, separation, face: Some((i, of_a)) });
            }
        }
    }
    let mut best = best?;
    let bar = best.separation + slack;
    for (start, end) in a.edges() {
        for (other_start, other_end) in b.edges() {
            let (along, other) = (end - start, other_end - other_start);
            let across = along.cross(&other);
            let length = across.norm();
            if length.is_nan() || length <= 1e-9 * along.norm() * other.norm() {
                continue;
            }
            for normal in [across / length, -across / length] {
                let separation = lowest(b, normal) - highest(a, normal);
                if separation > bar.max(best.separation) {
                    best = Axis { normal, separation, face: None };
                }
            }
        }
    }
    Some(best)
}

/// Maximum coordinate of a hull along a direction.
pub(super) fn highest(shape: &Shape, along: Vector) -> f64 {
    shape.vertices().iter().map(|v| along.dot(v)).fold(f64::NEG_INFINITY, f64::max)
}

/// Minimum coordinate of a hull along a direction.
pub(super) fn lowest(shape: &Shape, along: Vector) -> f64 {
    -highest(shape, -along)
}

/// The closest points of the boundaries of two hulls, without their radii, as (point of `a`, point
/// of `b`).
///
/// The closest points are a vertex of one and a point of the other, or points within two edges; of
/// several such pairs, the first.
pub fn closest(a: &Shape, b: &Shape) -> (Vector, Vector) {
    let mut best = (a.vertices()[0], b.vertices()[0]);
    let mut least = f64::INFINITY;
    let mut consider = |p: Vector, q: Vector| {
        let distance = (q - p).norm_squared();
        if distance < least {
            least = distance;
            best = (p, q);
        }
    };
    for q in b.vertices() {
        consider(nearest(a, *q), *q);
    }
    for p in a.vertices() {
        consider(*p, nearest(b, *p));
    }
    for first in a.edges() {
        for second in b.edges() {
            if let Some((p, q)) = across(first, second) {
                consider(p, q);
            }
        }
    }
    best
}

/// The point of a hull's boundary that is nearest to `p`.
fn nearest(shape: &Shape, p: Vector) -> Vector {
    let mut best = shape.vertices()[0];
    let mut least = (best - p).norm_squared();
    let mut consider = |q: Vector| {
        let distance = (q - p).norm_squared();
        if distance < least {
            least = distance;
            best = q;
        }
    };
    for (start, end) in shape.edges() {
        consider(on_segment(start, end, p));
    }
    for face in shape.faces() {
        let corners: Vec<Vector> = shape.corners(face).collect();
        let inside = (0..corners.len()).all(|i| {
            let (start, end) = (corners[i], corners[(i + 1) % corners.len()]);
            face.normal.cross(&(end - start)).dot(&(p - start)) >= 0.0
        });
        if inside {
            consider(p - face.normal * face.normal.dot(&(p - corners[0])));
        }
    }
    best
}

/// Closest points of two lines, if both lie between the ends.
fn across(first: (Vector, Vector), second: (Vector, Vector)) -> Option<(Vector, Vector)> {
    let (d, e, r) = (first.1 - first.0, second.1 - second.0, second.0 - first.0);
    let normal = d.cross(&e);
    let size = normal.norm_squared();
    if size.is_nan() || size <= 1e-18 * d.norm_squared() * e.norm_squared() {
        return None;
    }
    let (s, t) = (r.cross(&e).dot(&normal) / size, r.cross(&d).dot(&normal) / size);
    let within = |x: f64| (0.0..=1.0).contains(&x);
    (within(s) && within(t)).then(|| (first.0 + d * s, second.0 + e * t))
}
