use std::f64::consts::PI;

use nalgebra::{Matrix3, Vector3};

use super::convex::Convex;
use super::ellipsoid::Image;
use super::part::{BodyShape, Polyhedron, ShapePart};
use super::quadrature::{COUNT, integrate};
use crate::model::spatial;
use crate::motion::lgvci::algebra::{Vec3, add, apply, apply_transposed, dot, sub};

/// Relative accuracy of the moments of an intersection, of a convex body from a function, and of a
/// union of parts without overlap or corners, compared with a box around it. With corners inside
/// other parts, the error may be 1000 times as large.
pub const ACCURACY: f64 = 1e-9;

/// Tolerances of the outer and the inner quadrature, relative to the box around the shape. The
/// estimates of errors are cautious.
const OUTER: f64 = 1e-11;
const INNER: f64 = 1e-12;
/// Number of bisections of the angle that locate the end of a slice of an intersection. The error
/// of the end is the square of the angle's error, and quadrature refines the end.
const HALVINGS: usize = 16;
/// Number of parts of a range at the start, where shapes overlap.
const PANELS: u32 = 8;

/// The mass properties of a shape at uniform density.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UniformInertia {
    /// The volume in m^3.
    pub volume: f64,
    /// The mass centre, in m.
    pub center: Vector3<f64>,
    /// The inertia tensor about the centre over the mass, in m^2.
    pub gyration: Matrix3<f64>,
    /// Whether the result is in closed form; otherwise it is accurate to [`ACCURACY`].
    pub closed: bool,
}

impl UniformInertia {
    /// Mass properties from the mean `spread` of `x x'` about the centre.
    fn of(volume: f64, center: Vector3<f64>, spread: Matrix3<f64>, closed: bool) -> Self {
        let gyration = Matrix3::identity() * spread.trace() - spread;
        UniformInertia { volume, center, gyration, closed }
    }
}

/// Volume, centre and inertia of a shape, up to rounding.
///
/// A single ellipsoid has `J/m = (tr(S) I - S) / 5`, `S = H H'`; a single box the same with 3 for
/// 5; a single polyhedron a sum over tetrahedra; a single body from a function [integrals over the
/// sphere](Convex::moments). Other shapes: the moments `int (1, x, x x') dV` along lines through
/// the shape, on which parts are intervals with an exact union, and adaptive quadrature over the
/// two transverse directions, none along an axis of the body. Ranges are divided at the ends and
/// corners of parts. Source: \[TL24\] Sec. 7 for one ellipsoid and the cube; own method for the
/// others.
pub fn of_shape(shape: &BodyShape) -> UniformInertia {
    match &shape.parts[..] {
        [ShapePart::Ellipsoid(image)] => of_image(image, 4.0 / 3.0 * PI, 5.0),
        [ShapePart::Cuboid(image, _)] => of_image(image, 8.0, 3.0),
        [ShapePart::Intersection(parts)] if parts.len() == 1 => {
            of_image(&parts[0], 4.0 / 3.0 * PI, 5.0)
        }
        [ShapePart::Convex(convex)] => of_convex(convex),
        [ShapePart::Polyhedron(polyhedron)] => {
            of_polyhedron(polyhedron).unwrap_or_else(|| by_lines(&shape.parts))
        }
        parts => by_lines(parts),
    }
}

/// The image of a symmetric body of volume `unit` whose points have the mean square `1 / part`
/// along each axis.
fn of_image(image: &Image, unit: f64, part: f64) -> UniformInertia {
    let half = Matrix3::from_fn(|i, j| image.half[i][j]);
    let spread = half * half.transpose() / part;
    UniformInertia::of(unit * half.determinant().abs(), image.center.into(), spread, true)
}

fn of_polyhedron(polyhedron: &Polyhedron) -> Option<UniformInertia> {
    let points = polyhedron.vertices.iter().map(|v| Vector3::from(*v)).collect();
    let hull = spatial::Shape::polyhedron(points).ok()?;
    let (volume, center, gyration) = (hull.volume(), hull.centroid(), hull.gyration());
    Some(UniformInertia { volume, center, gyration, closed: true })
}

fn of_convex(convex: &Convex) -> UniformInertia {
    let (center, turn) = convex.pose();
    let turn = Matrix3::from_fn(|i, j| turn[i][j]);
    let (volume, mean, second) = of_moments(convex.moments());
    let spread = turn * second * turn.transpose();
    UniformInertia::of(volume, Vector3::from(center) + turn * mean, spread, false)
}

/// The volume, the mean of the points and their spread about it, from the moments
/// `int (1, x, y, z, xx, yy, zz, xy, xz, yz) dV`.
fn of_moments(moments: [f64; COUNT]) -> (f64, Vector3<f64>, Matrix3<f64>) {
    let [v, x, y, z, xx, yy, zz, xy, xz, yz] = moments;
    let mean = Vector3::new(x, y, z) / v;
    let second = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz) / v;
    (v, mean, second - mean * mean.transpose())
}

/// The edges of a box or a polyhedron; none for round parts.
fn edges(part: &ShapePart) -> Vec<[Vec3; 2]> {
    match part {
        ShapePart::Ellipsoid(_) | ShapePart::Intersection(_) | ShapePart::Convex(_) => Vec::new(),
        ShapePart::Cuboid(image, _) => {
            let corner = |i: usize| {
                let z = [0, 1, 2].map(|k| if i >> k & 1 == 1 { 1.0 } else { -1.0 });
                add(image.center, apply(&image.half, z))
            };
            let pairs = (0..8).flat_map(|i| [1, 2, 4].map(|bit| (i, i | bit)));
            pairs.filter(|(i, j)| i != j).map(|(i, j)| [corner(i), corner(j)]).collect()
        }
        ShapePart::Polyhedron(polyhedron) => {
            let points = polyhedron.vertices.iter().map(|v| Vector3::from(*v)).collect();
            // The polyhedron was checked to be a hull when it was made.
            let hull = spatial::Shape::polyhedron(points);
            hull.iter().flat_map(|hull| hull.edges()).map(|(a, b)| [a.into(), b.into()]).collect()
        }
    }
}

/// Ends of the slice of a part at `x` along `along`, and positions of its corners there; empty
/// without a slice.
fn ends_of_slice(
    part: &ShapePart,
    edges: &[[Vec3; 2]],
    x: f64,
    [across, along]: [Vec3; 2],
) -> Vec<f64> {
    match part {
        ShapePart::Ellipsoid(image) => {
            let (u, v) =
                (apply_transposed(&image.half, across), apply_transposed(&image.half, along));
            let (s, size, common) = (x - dot(across, image.center), dot(u, u), dot(u, v));
            let room = (1.0 - s * s / size) * (dot(v, v) - common * common / size);
            let middle = dot(along, image.center) + common / size * s;
            if room > 0.0 { vec![middle - room.sqrt(), middle + room.sqrt()] } else { Vec::new() }
        }
        ShapePart::Intersection(_) | ShapePart::Convex(_) => {
            let away = along.map(|x| -x);
            let ends =
                [least_by_angles(part, x, across, along), -least_by_angles(part, x, across, away)];
            if ends[0] < ends[1] { ends.to_vec() } else { Vec::new() }
        }
        ShapePart::Cuboid(..) | ShapePart::Polyhedron(_) => (edges.iter())
            .map(|edge| edge.map(|v| [dot(across, v) - x, dot(along, v)]))
            .filter(|[[a, _], [b, _]]| (*a <= 0.0) != (*b <= 0.0))
            .map(|[[a, y], [b, z]]| (b * y - a * z) / (b - a))
            .collect(),
    }
}

/// Minimum `y` of a part at given `x`, by supports; a lower bound.
///
/// For any angle t, `min (cos t y + sin t x)` bounds y from below; at the best angle it is y. The
/// support point's x falls as t grows.
fn least_by_angles(part: &ShapePart, x: f64, across: Vec3, along: Vec3) -> f64 {
    let (mut low, mut high) = (-0.5 * PI, 0.5 * PI);
    let mut most = f64::NEG_INFINITY;
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        let (sin, cos) = middle.sin_cos();
        let q = [0, 1, 2].map(|i| cos * along[i] + sin * across[i]);
        let found = part.support(q);
        most = most.max((found.value - sin * x) / cos);
        if dot(across, found.point) > x { low = middle } else { high = middle }
    }
    most
}

/// The moments of a union by quadrature over lines.
fn by_lines(parts: &[ShapePart]) -> UniformInertia {
    // No direction of the frame of the lines is along an axis of the body.
    let turn = nalgebra::Rotation3::from_scaled_axis(Vector3::new(0.3717, 0.5291, 0.8153));
    let frame = turn.into_inner();
    let axis = |i: usize| -> Vec3 { frame.column(i).into_owned().into() };
    let axes = [axis(0), axis(1), axis(2)];
    let reach = |i: usize| {
        let q = axes[i];
        let away = q.map(|x| -x);
        let (low, high) = (f64::INFINITY, f64::NEG_INFINITY);
        parts.iter().fold([low, high], |[low, high], part| {
            [low.min(part.support(q).value), high.max(-part.support(away).value)]
        })
    };
    let [across, along, through] = [reach(0), reach(1), reach(2)];
    // Coordinates from the middle of the box.
    let middle = [across, along, through].map(|[low, high]| 0.5 * (low + high));
    let sides = [across, along, through].map(|[low, high]| high - low);
    let volume: f64 = sides.iter().product();
    let [a, b, c] = sides;
    let sizes = [1.0, a, b, c, a * a, b * b, c * c, a * b, a * c, b * c];
    let outer = sizes.map(|size| OUTER * volume * size);
    let inner = sizes.map(|size| INNER * volume * size / a);
    let mut intervals: Vec<[f64; 2]> = Vec::new();
    let edges: Vec<Vec<[Vec3; 2]>> = parts.iter().map(edges).collect();
    let sorted = |mut ends: Vec<f64>, middle: f64| {
        ends.iter_mut().for_each(|x| *x -= middle);
        ends.sort_by(f64::total_cmp);
        // Overlaps of parts have borders of their own.
        let least = if parts.len() > 1 { PANELS.div_ceil(ends.len().max(1) as u32) } else { 1 };
        (ends, least)
    };
    let mut slice = |x: f64| {
        let at = middle[0] + x;
        let both = parts.iter().zip(&edges);
        let ends =
            both.flat_map(|(part, edges)| ends_of_slice(part, edges, at, [axes[0], axes[1]]));
        let (ends, panels) = sorted(ends.collect(), middle[1]);
        let mut line = |y: f64| {
            let at = |i: usize| {
                (middle[0] + x) * axes[0][i] + (middle[1] + y) * axes[1][i] + middle[2] * axes[2][i]
            };
            intervals.clear();
            intervals.extend(
                parts.iter().filter_map(|part| interval(part, [at(0), at(1), at(2)], axes[2])),
            );
            moments(x, y, &mut intervals)
        };
        integrate(&ends, panels, &inner, &mut line)
    };
    let opposite = axes[0].map(|x| -x);
    let ranges =
        parts.iter().flat_map(|part| [part.support(axes[0]).value, -part.support(opposite).value]);
    let corners = edges.iter().flatten().flatten().map(|corner| dot(axes[0], *corner));
    let (ends, panels) = sorted(ranges.chain(corners).collect(), middle[0]);
    let (volume, mean, second) = of_moments(integrate(&ends, panels, &outer, &mut slice));
    let spread = frame * second * frame.transpose();
    UniformInertia::of(volume, frame * (mean + Vector3::from(middle)), spread, false)
}

/// The moments of a union of intervals on the line at `(x, y)`.
fn moments(x: f64, y: f64, intervals: &mut [[f64; 2]]) -> [f64; COUNT] {
    intervals.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let (mut length, mut first, mut second) = (0.0, 0.0, 0.0);
    let mut end = f64::NEG_INFINITY;
    for &[low, high] in intervals.iter() {
        let low = low.max(end);
        if high > low {
            length += high - low;
            first += 0.5 * (high * high - low * low);
            second += (high * high * high - low * low * low) / 3.0;
            end = high;
        }
    }
    let [xx, yy, xy] = [x * x * length, y * y * length, x * y * length];
    [length, x * length, y * length, first, xx, yy, second, xy, x * first, y * first]
}

/// The interval of `t` in which the line `p + t e` is in a part, if there is one.
fn interval(part: &ShapePart, p: Vec3, e: Vec3) -> Option<[f64; 2]> {
    let whole = [f64::NEG_INFINITY, f64::INFINITY];
    let both = |a: [f64; 2], b: [f64; 2]| {
        let [low, high] = [a[0].max(b[0]), a[1].min(b[1])];
        (low < high).then_some([low, high])
    };
    match part {
        // A union with the body of a function has its inertia from the file.
        ShapePart::Convex(_) => None,
        ShapePart::Ellipsoid(image) => in_ball(image, p, e),
        ShapePart::Intersection(parts) => {
            parts.iter().try_fold(whole, |so_far, image| both(so_far, in_ball(image, p, e)?))
        }
        ShapePart::Cuboid(image, _) => {
            let (z, d) = (apply(&image.inverse, sub(p, image.center)), apply(&image.inverse, e));
            (0..3).try_fold(whole, |so_far, i| {
                both(both(so_far, below(d[i], 1.0 - z[i])?)?, below(-d[i], 1.0 + z[i])?)
            })
        }
        ShapePart::Polyhedron(polyhedron) => (polyhedron.faces.iter())
            .try_fold(whole, |so_far, (n, d)| both(so_far, below(dot(*n, e), d - dot(*n, p))?)),
    }
}

/// The interval in which `slope t <= room`.
fn below(slope: f64, room: f64) -> Option<[f64; 2]> {
    match () {
        () if slope > 0.0 => Some([f64::NEG_INFINITY, room / slope]),
        () if slope < 0.0 => Some([room / slope, f64::INFINITY]),
        () => (room >= 0.0).then_some([f64::NEG_INFINITY, f64::INFINITY]),
    }
}

fn in_ball(image: &Image, p: Vec3, e: Vec3) -> Option<[f64; 2]> {
    let (z, d) = (image.preimage(p), apply(&image.inverse, e));
    let (a, b) = (dot(d, d), dot(z, d));
    // The line is seen from its point nearest to the middle, for the sake of digits.
    let nearest = [0, 1, 2].map(|i| z[i] - b / a * d[i]);
    let room = 1.0 - dot(nearest, nearest);
    if room <= 0.0 {
        return None;
    }
    let half = (room / a).sqrt();
    Some([-b / a - half, -b / a + half])
}
