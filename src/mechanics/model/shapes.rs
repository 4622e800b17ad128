//! Planar shapes: points, rods, disks and convex polygons, each the convex hull of vertices with a
//! radius.

use super::joints::Pose;
use super::touch::{Solid, check_ends, check_radius};
use super::{Touch, Vector, cross, separation, thickness, touches, turned};
use carom_core::error::{Error, Result};

/// A convex shape: the points within `radius` of the convex hull of its vertices.
///
/// A shape with one vertex is a point (radius 0) or a disk, with two a rod, with three or more,
/// counter-clockwise, a polygon.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    vertices: Vec<Vector>,
    radius: f64,
}

impl Shape {
    /// A point, such as a foot.
    ///
    /// # Errors
    /// When a coordinate is not finite.
    pub fn point(at: Vector) -> Result<Shape> {
        Shape::new(vec![at], 0.0)
    }

    /// A disk.
    ///
    /// # Errors
    /// When the radius is not a finite number > 0.
    pub fn disk(center: Vector, radius: f64) -> Result<Shape> {
        check_radius(radius, "a disk")?;
        Shape::new(vec![center], radius)
    }

    /// A rod without thickness.
    ///
    /// # Errors
    /// When its ends coincide.
    pub fn rod(from: Vector, to: Vector) -> Result<Shape> {
        check_ends(from, to, "a rod")?;
        Shape::new(vec![from, to], 0.0)
    }

    /// A rectangle of the given width and height, turned by `angle` about its centre.
    ///
    /// Vertices: bottom left, bottom right, top right, top left.
    ///
    /// # Errors
    /// When a side is not a finite number > 0.
    pub fn rectangle(width: f64, height: f64, center: Vector, angle: f64) -> Result<Shape> {
        if !(width.is_finite() && width > 0.0 && height.is_finite() && height > 0.0) {
            return Err(Error::input(format!(
                "the sides of a box are finite numbers > 0, found {width}, {height}"
            )));
        }
        let frame = Pose { origin: center, angle };
        let corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)];
        Shape::new(
            corners.iter().map(|(x, y)| frame.point(Vector::new(x * width, y * height))).collect(),
            0.0,
        )
    }

    /// A convex polygon; clockwise vertices are reversed.
    ///
    /// # Errors
    /// When it has not 3 to 4096 vertices, or has a corner that does not turn the way of the
    /// others.
    pub fn polygon(mut vertices: Vec<Vector>) -> Result<Shape> {
        let count = vertices.len();
        if !(3..=4096).contains(&count) {
            return Err(Error::input(format!("a polygon has 3 to 4096 vertices, found {count}")));
        }
        let area: f64 = (1..count - 1)
            .map(|i| cross(vertices[i] - vertices[0], vertices[i + 1] - vertices[0]))
            .sum();
        if area < 0.0 {
            vertices.reverse();
        }
        let mut total = 0.0;
        for i in 0..count {
            let (a, b, c) = (vertices[i], vertices[(i + 1) % count], vertices[(i + 2) % count]);
            let (first, second) = (b - a, c - b);
            let turn = cross(first, second);
            if turn.is_nan() || turn <= 1e-12 * first.norm() * second.norm() {
                return Err(Error::input(format!(
                    "the polygon is not strictly convex at the vertex ({}, {})",
                    b.x, b.y
                ))
                .hint("split it into convex polygons, and leave out vertices on a straight side"));
            }
            total += turn.atan2(first.dot(&second));
        }
        if total > 2.0 * std::f64::consts::PI + 1e-6 {
            return Err(Error::input("the polygon winds around more than once"));
        }
        Shape::new(vertices, 0.0)
    }

    fn new(vertices: Vec<Vector>, radius: f64) -> Result<Shape> {
        if !vertices.iter().all(|v| v.x.is_finite() && v.y.is_finite()) {
            return Err(Error::input("expected finite numbers"));
        }
        Ok(Shape { vertices, radius })
    }

    /// The vertices of the hull, counter-clockwise.
    pub fn vertices(&self) -> &[Vector] {
        &self.vertices
    }

    /// The radius around the hull.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The shape in the world, given the pose of its body.
    pub fn placed(&self, pose: &Pose) -> Shape {
        Shape {
            vertices: self.vertices.iter().map(|v| pose.point(*v)).collect(),
            radius: self.radius,
        }
    }

    /// The edges `(start, end, outward unit normal)`; a rod has two, one per side, a point none.
    pub(super) fn edges(&self) -> impl Iterator<Item = (Vector, Vector, Vector)> + '_ {
        let count = if self.vertices.len() > 1 { self.vertices.len() } else { 0 };
        (0..count).map(move |i| {
            let (start, end) = (self.vertices[i], self.vertices[(i + 1) % count]);
            (start, end, -turned(end - start).normalize())
        })
    }

    /// The centroid at uniform density.
    pub fn centroid(&self) -> Vector {
        let origin = self.vertices[0];
        match self.vertices.len() {
            1 => origin,
            2 => (origin + self.vertices[1]) * 0.5,
            _ => {
                let (mut area, mut moment) = (0.0, Vector::zeros());
                for (a, b) in self.triangles() {
                    area += cross(a, b);
                    moment += (a + b) * (cross(a, b) / 3.0);
                }
                origin + moment / area
            }
        }
    }

    /// The squared radius of gyration `I / m` about the centroid at uniform density, in m^2.
    ///
    /// Point 0; disk `r^2/2`; rod `l^2/12`; polygon `sum A (a.a + a.b + b.b)/6 / sum A - c.c` over
    /// the triangles `(0, a, b)` of area `A/2`, with centroid `c`, all from the first vertex; for a
    /// box that is `(w^2 + h^2)/12`.
    pub fn gyration_squared(&self) -> f64 {
        match self.vertices.len() {
            1 => 0.5 * self.radius * self.radius,
            2 => (self.vertices[1] - self.vertices[0]).norm_squared() / 12.0,
            _ => {
                let (mut area, mut moment) = (0.0, 0.0);
                for (a, b) in self.triangles() {
                    area += cross(a, b);
                    moment += cross(a, b) * (a.norm_squared() + a.dot(&b) + b.norm_squared()) / 6.0;
                }
                moment / area - (self.centroid() - self.vertices[0]).norm_squared()
            }
        }
    }

    /// The triangles of a polygon's fan, as two vectors from its first vertex.
    fn triangles(&self) -> impl Iterator<Item = (Vector, Vector)> + '_ {
        let origin = self.vertices[0];
        self.vertices[1..].windows(2).map(move |pair| (pair[0] - origin, pair[1] - origin))
    }
}

impl Solid<2> for Shape {
    type Pose = Pose;

    fn hull(&self) -> (&[Vector], f64) {
        (&self.vertices, self.radius)
    }

    fn at(&self, pose: &Pose) -> Shape {
        self.placed(pose)
    }

    fn meet(&self, other: &Shape, tolerance: f64) -> (f64, Vec<Touch>) {
        (separation(self, other), touches(self, other, tolerance))
    }

    fn gap(&self, other: &Shape) -> f64 {
        separation(self, other)
    }

    fn thickness(&self, other: &Shape) -> f64 {
        thickness(self, other)
    }

    fn is_near(&self, _: &Shape, _: f64) -> bool {
        true
    }
}
