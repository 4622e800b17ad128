//! Spatial shapes: points, rods, spheres, capsules, boxes and convex polyhedra, each a convex hull
//! with a radius.

use super::hull::{Face, hull};
use super::joints::Pose;
use super::manifold::meet;
use super::{Attitude, Matrix, Touch, Vector, separation};
use crate::model::touch::{Solid, check_ends, check_radius};
use carom_core::error::{Error, Result};

/// A convex shape: the points within `radius` of the convex hull of its vertices.
///
/// One vertex makes a point (radius 0) or a sphere, two a rod (radius 0) or a capsule, more a
/// polyhedron (radius 0).
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    vertices: Vec<Vector>,
    radius: f64,
    faces: Vec<Face>,
    edges: Vec<[usize; 2]>,
}

impl Shape {
    /// A point, such as a foot.
    ///
    /// # Errors
    /// When a coordinate is not finite.
    pub fn point(at: Vector) -> Result<Shape> {
        Shape::new(vec![at], 0.0)
    }

    /// A sphere.
    ///
    /// # Errors
    /// When the radius is not a finite number > 0.
    pub fn sphere(center: Vector, radius: f64) -> Result<Shape> {
        check_radius(radius, "a sphere")?;
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

    /// A capsule: the points within `radius` of the straight line between two points.
    ///
    /// # Errors
    /// When its ends coincide or its radius is not a finite number > 0.
    pub fn capsule(from: Vector, to: Vector, radius: f64) -> Result<Shape> {
        check_ends(from, to, "a capsule")?;
        check_radius(radius, "a capsule")?;
        Shape::new(vec![from, to], radius)
    }

    /// A box with the given sides, turned by `attitude` about its centre.
    ///
    /// Vertices: the bottom from the corner of least x and y, counter-clockwise from above, then
    /// the top.
    ///
    /// # Errors
    /// When a side is not a finite number > 0.
    pub fn cuboid(sides: Vector, center: Vector, attitude: Attitude) -> Result<Shape> {
        if !sides.iter().all(|side| side.is_finite() && *side > 0.0) {
            return Err(Error::input(format!(
                "the sides of a box are finite numbers > 0, found {}, {}, {}",
                sides.x, sides.y, sides.z
            )));
        }
        let frame = Pose { origin: center, attitude };
        let ring = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)];
        let corner = |z: f64| {
            ring.map(|(x, y)| frame.point(Vector::new(x * sides.x, y * sides.y, z * sides.z)))
        };
        Shape::polyhedron([corner(-0.5), corner(0.5)].concat())
    }

    /// Convex hull of 4 to 128 points, each a corner.
    ///
    /// # Errors
    /// Points that are too few, too many, in one plane, or no corners of their hull.
    pub fn polyhedron(vertices: Vec<Vector>) -> Result<Shape> {
        let (faces, edges) = hull(&vertices)?;
        Ok(Shape { faces, edges, ..Shape::new(vertices, 0.0)? })
    }

    fn new(vertices: Vec<Vector>, radius: f64) -> Result<Shape> {
        if !vertices.iter().all(|v| v.iter().all(|x| x.is_finite())) {
            return Err(Error::input("expected finite numbers"));
        }
        let edges = if vertices.len() == 2 { vec![[0, 1]] } else { Vec::new() };
        Ok(Shape { vertices, radius, faces: Vec::new(), edges })
    }

    /// The vertices of the hull.
    pub fn vertices(&self) -> &[Vector] {
        &self.vertices
    }

    /// The radius around the hull.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The faces of a polyhedron; none for the other shapes.
    pub fn faces(&self) -> &[Face] {
        &self.faces
    }

    /// The edges of the hull, as pairs of vertices.
    pub fn edges(&self) -> impl Iterator<Item = (Vector, Vector)> + '_ {
        self.edges.iter().map(|&[a, b]| (self.vertices[a], self.vertices[b]))
    }

    /// The corners of a face, counter-clockwise as seen from outside.
    pub fn corners<'a>(&'a self, face: &'a Face) -> impl ExactSizeIterator<Item = Vector> + 'a {
        face.corners.iter().map(|&i| self.vertices[i])
    }

    /// The shape in the world, given the pose of its body.
    pub fn placed(&self, pose: &Pose) -> Shape {
        let face = |face: &Face| Face {
            corners: face.corners.clone(),
            normal: pose.direction(face.normal),
        };
        Shape {
            vertices: self.vertices.iter().map(|v| pose.point(*v)).collect(),
            radius: self.radius,
            faces: self.faces.iter().map(face).collect(),
            edges: self.edges.clone(),
        }
    }

    /// Lower bound on the width along every direction, in m: the diameter of an inscribed sphere of
    /// the hull, plus twice the radius.
    ///
    /// The sphere is about the mean of the vertices, up to the nearest face.
    pub fn width(&self) -> f64 {
        let middle = self.vertices.iter().sum::<Vector>() / self.vertices.len() as f64;
        let depth = |face: &Face| face.normal.dot(&(self.vertices[face.corners[0]] - middle));
        let inner = self.faces.iter().map(depth).reduce(f64::min).unwrap_or(0.0);
        2.0 * (inner.max(0.0) + self.radius)
    }

    /// The centroid at uniform density.
    pub fn centroid(&self) -> Vector {
        let origin = self.vertices[0];
        match self.vertices.len() {
            1 => origin,
            2 => (origin + self.vertices[1]) * 0.5,
            _ => {
                let (volume, moment, _) = self.moments();
                origin + moment / volume
            }
        }
    }

    /// The volume of a polyhedron; 0 for the other shapes, whatever their radius.
    pub fn volume(&self) -> f64 {
        if self.faces.is_empty() { 0.0 } else { self.moments().0 }
    }

    /// The inertia tensor over the mass, about the centroid at uniform density, in m^2.
    ///
    /// Sphere `2 r^2/5`; rod `l^2/12` across; capsule: a cylinder and two half spheres; polyhedron:
    /// exactly, with the second moments `C = int x x' dV` of the tetrahedra from the first vertex
    /// to its faces, `tr(C/V - c c') 1 - C/V + c c'`.
    pub fn gyration(&self) -> Matrix {
        let r2 = self.radius * self.radius;
        match self.vertices.len() {
            1 => Matrix::identity() * (0.4 * r2),
            2 => {
                let along = self.vertices[1] - self.vertices[0];
                let l = along.norm();
                let axis = along / l;
                // Volumes over pi r^2; a capsule without thickness has all its mass in the
                // cylinder.
                let (cylinder, ends) = (l, 4.0 * self.radius / 3.0);
                let axial = cylinder * r2 / 2.0 + ends * 0.4 * r2;
                let across = cylinder * (l * l / 12.0 + r2 / 4.0)
                    + ends * (0.4 * r2 + l * l / 4.0 + 0.375 * l * self.radius);
                let outer = axis * axis.transpose();
                (outer * axial + (Matrix::identity() - outer) * across) / (cylinder + ends)
            }
            _ => {
                let (volume, moment, second) = self.moments();
                let centre = moment / volume;
                let spread = second / volume - centre * centre.transpose();
                Matrix::identity() * spread.trace() - spread
            }
        }
    }

    /// Volume, first and second moments of a polyhedron, from its first vertex.
    ///
    /// A tetrahedron `(0, a, b, c)` with `d = a . (b x c)` and `s = a + b + c` has the volume
    /// `d/6`, the first moment `d s/24` and the second moments `d (s s' + a a' + b b' + c c')/120`.
    fn moments(&self) -> (f64, Vector, Matrix) {
        let origin = self.vertices[0];
        let (mut volume, mut moment, mut second) = (0.0, Vector::zeros(), Matrix::zeros());
        for face in &self.faces {
            let corners: Vec<Vector> = self.corners(face).map(|v| v - origin).collect();
            for pair in corners[1..].windows(2) {
                let (a, b, c) = (corners[0], pair[0], pair[1]);
                let (d, s) = (a.dot(&b.cross(&c)), a + b + c);
                volume += d / 6.0;
                moment += s * (d / 24.0);
                let squares = [s, a, b, c].map(|x| x * x.transpose());
                second += squares.iter().sum::<Matrix>() * (d / 120.0);
            }
        }
        (volume, moment, second)
    }
}

impl Solid<3> for Shape {
    type Pose = Pose;

    fn hull(&self) -> (&[Vector], f64) {
        (&self.vertices, self.radius)
    }

    fn at(&self, pose: &Pose) -> Shape {
        self.placed(pose)
    }

    fn meet(&self, other: &Shape, tolerance: f64) -> (f64, Vec<Touch>) {
        meet(self, other, tolerance)
    }

    fn gap(&self, other: &Shape) -> f64 {
        separation(self, other)
    }

    fn thickness(&self, other: &Shape) -> f64 {
        self.width() + other.width()
    }

    fn is_near(&self, other: &Shape, within: f64) -> bool {
        self.least_gap(other) <= within
    }
}
