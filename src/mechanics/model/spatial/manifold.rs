//! Contacts between two shapes in space.

use super::distance::{Axis, best_axis, closest, core_distance, highest, lowest};
use super::{Shape, Touch, Vector, tangents};
use crate::model::touch::{Solid, on_segment};

/// Touches of two shapes within `tolerance`, with normals from `a` to `b`.
///
/// A sphere or point touches once, and so do two crossing edges; an edge touches a parallel edge or
/// a face twice; two faces touch at the corners of their overlap, in the order of the corners of
/// the touching face. A touch is half way between the two surfaces. Shapes that overlap by more
/// than the tolerance have one touch with this gap. Two points never touch. The normal is a face
/// normal, if a face touches or nearly touches (within the tolerance, at most 1e-6 of the shapes'
/// size); otherwise it joins the closest points. If two corners or edges coincide, it is the normal
/// of the face of largest separation; for two crossing rods, it is the cross product of their
/// directions.
pub fn touches(a: &Shape, b: &Shape, tolerance: f64) -> Vec<Touch> {
    meet(a, b, tolerance).1
}

/// The [`separation`](super::separation) of two shapes, and their [`touches`].
pub(super) fn meet(a: &Shape, b: &Shape, tolerance: f64) -> (f64, Vec<Touch>) {
    let size = a.extent().max(b.extent());
    // Differences below this count as zero.
    let slack = size * 1e-9 + tolerance.min(1e-6 * size);
    let axis = best_axis(a, b, slack);
    let core = core_distance(a, b, axis.as_ref());
    let gap = core - a.radius() - b.radius();
    let points = a.extent() + b.extent() == 0.0;
    if gap > tolerance || points || gap.is_nan() {
        return (gap, Vec::new());
    }
    if gap >= -tolerance
        && let Some(Axis { face: Some((face, of_a)), .. }) = axis
    {
        let (on, other) = if of_a { (a, b) } else { (b, a) };
        let mut found = on_face(on, face, other, size);
        found.retain(|touch| touch.gap <= tolerance);
        // Here a corner or an edge faces another one, beyond the edge of the face.
        if found.iter().any(|touch| touch.gap <= gap + slack) {
            let turn = |touch: Touch| Touch {
                normal: if of_a { touch.normal } else { -touch.normal },
                ..touch
            };
            return (gap, found.into_iter().map(turn).collect());
        }
    }
    let (p, q) = closest(a, b);
    let normal =
        direction(a, b, p, q, axis.filter(|axis| core < 0.0 || is_across(axis, p, q, size)), size);
    if gap >= -tolerance {
        let mut found = along_edges(a, b, normal, slack, size);
        found.retain(|touch| touch.gap <= tolerance);
        if !found.is_empty() {
            return (gap, found);
        }
    }
    (gap, vec![between(a, b, p, q, normal, gap)])
}

/// The touch half way between the surfaces, given two points of the hulls.
fn between(a: &Shape, b: &Shape, p: Vector, q: Vector, normal: Vector, gap: f64) -> Touch {
    Touch { point: (p + normal * a.radius() + q - normal * b.radius()) * 0.5, normal, gap }
}

/// Whether an axis joins two closest points, up to rounding.
fn is_across(axis: &Axis, p: Vector, q: Vector, size: f64) -> bool {
    let apart = (q - p).norm();
    apart <= 1e-9 * size || (q - p - axis.normal * apart).norm() <= 1e-14 * size
}

/// Unit normal at the closest points `p` and `q`: the normal of `axis`, if given.
fn direction(a: &Shape, b: &Shape, p: Vector, q: Vector, axis: Option<Axis>, size: f64) -> Vector {
    let apart = (q - p).norm();
    match axis {
        Some(axis) => axis.normal,
        None if apart > 1e-9 * size => (q - p) / apart,
        None => {
            let lines = a.edges().next().zip(b.edges().next());
            let across = lines.map(|((s, e), (t, f))| (e - s).cross(&(f - t)).normalize());
            match across {
                Some(normal) if normal.norm() > 0.5 => normal,
                // One line lies in another, or an end of one on the other: any perpendicular
                // direction will do.
                _ => match a.edges().chain(b.edges()).next() {
                    Some((start, end)) => tangents((end - start).normalize())[0],
                    None => Vector::z(),
                },
            }
        }
    }
}

/// Touches of another hull with a face: the other hull's face, edge or vertex towards this face is
/// clipped to the prism over the face. The normal is this face's.
fn on_face(shape: &Shape, face: usize, other: &Shape, size: f64) -> Vec<Touch> {
    let face = &shape.faces()[face];
    let (normal, rim) = (face.normal, shape.corners(face).collect::<Vec<_>>());
    let facing =
        other.faces().iter().min_by(|f, g| f.normal.dot(&normal).total_cmp(&g.normal.dot(&normal)));
    let mut outline: Vec<Vector> = match facing {
        Some(facing) => other.corners(facing).collect(),
        None => other.vertices().to_vec(),
    };
    for i in 0..rim.len() {
        let (start, end) = (rim[i], rim[(i + 1) % rim.len()]);
        let outwards = (end - start).cross(&normal).normalize();
        outline = cut(&outline, |p| outwards.dot(&(p - start)), 1e-9 * size);
    }
    let mut found: Vec<Touch> = Vec::new();
    for p in outline {
        let height = normal.dot(&(p - rim[0]));
        let point = p - normal * (0.5 * (height + other.radius()));
        if found.iter().all(|touch| (touch.point - point).norm() > 1e-9 * size) {
            found.push(Touch { point, normal, gap: height - other.radius() });
        }
    }
    found
}

/// Clips a convex polygon, line or point to `beyond <= 0`; vertices with `beyond` up to `slack`
/// stay.
fn cut(outline: &[Vector], beyond: impl Fn(&Vector) -> f64, slack: f64) -> Vec<Vector> {
    let mut kept = Vec::with_capacity(outline.len() + 1);
    for (i, p) in outline.iter().enumerate() {
        let next = &outline[(i + 1) % outline.len()];
        let (here, there) = (beyond(p), beyond(next));
        if here <= slack {
            kept.push(*p);
        }
        if (here <= slack) != (there <= slack) {
            kept.push(p + (next - p) * (here / (here - there)).clamp(0.0, 1.0));
        }
    }
    kept
}

/// The touches of two parallel edges, where the normal is perpendicular to both: the ends of the
/// part that they share.
fn along_edges(a: &Shape, b: &Shape, normal: Vector, slack: f64, size: f64) -> Vec<Touch> {
    let (top, bottom) = (highest(a, normal) - slack, lowest(b, normal) + slack);
    let first: Vec<&Vector> = a.vertices().iter().filter(|v| normal.dot(v) >= top).collect();
    let second: Vec<&Vector> = b.vertices().iter().filter(|v| normal.dot(v) <= bottom).collect();
    let ([start, end], [other_start, other_end]) = (&first[..], &second[..]) else {
        return Vec::new();
    };
    let (along, other) = (*end - *start, *other_end - *other_start);
    if along.cross(&other).norm() > 1e-6 * along.norm() * other.norm() {
        return Vec::new();
    }
    let length = along.norm();
    let place = |p: &Vector| along.dot(&(p - *start)) / length;
    let (s, t) = (place(other_start), place(other_end));
    let (from, to) = (s.min(t).max(0.0), s.max(t).min(length));
    if to - from <= 1e-9 * size {
        return Vec::new();
    }
    let touch = |at: f64| {
        let p = *start + along * (at / length);
        let q = on_segment(**other_start, **other_end, p);
        between(a, b, p, q, normal, normal.dot(&(q - p)) - a.radius() - b.radius())
    };
    vec![touch(from), touch(to)]
}
