use super::convex::Convex;
use super::ellipsoid::{Image, Support};
use super::intersection::{self, MOST};
use crate::model::spatial;
use crate::motion::lgvci::algebra::{Mat3, Vec3, add, dot, scaled, sub};
use carom_core::error::{Error, Result};

/// A convex part of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum ShapePart {
    /// An ellipsoid.
    Ellipsoid(Image),
    /// A box, and the radius by which it is rounded, in m.
    Cuboid(Image, f64),
    /// The convex hull of points, with its faces, and the radius by which it is rounded, in m.
    Polyhedron(Polyhedron),
    /// The points that lie in all of some ellipsoids.
    Intersection(Vec<Image>),
    /// A convex body that a function describes, in double precision.
    Convex(Box<Convex>),
}

/// A convex polyhedron: the points within `rounding` of the convex hull of the vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct Polyhedron {
    /// The corners, in m.
    pub vertices: Vec<Vec3>,
    /// The radius of the rounding in m, >= 0.
    pub rounding: f64,
    /// The half spaces `n . x <= d` whose intersection is the hull.
    pub faces: Vec<(Vec3, f64)>,
}

/// The union of parts, at least one.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyShape {
    /// The parts.
    pub parts: Vec<ShapePart>,
}

impl ShapePart {
    /// An ellipsoid with half axes along the columns of a rotation.
    ///
    /// # Errors
    /// A half axis that is not a finite number > 0, a centre that is not finite.
    pub fn ellipsoid(center: Vec3, half_axes: Vec3, attitude: &Mat3) -> Result<Self> {
        check_lengths(half_axes, "the half axes of an ellipsoid")?;
        check_finite(center)?;
        Ok(ShapePart::Ellipsoid(Image::new(center, half_axes, attitude)))
    }

    /// A box with half sides along the columns of a rotation.
    ///
    /// # Errors
    /// A half side that is not a finite number > 0, a rounding that is not a finite number >= 0, a
    /// centre that is not finite.
    pub fn cuboid(center: Vec3, half_sides: Vec3, attitude: &Mat3, rounding: f64) -> Result<Self> {
        check_lengths(half_sides, "the half sides of a box")?;
        check_finite(center)?;
        Ok(ShapePart::Cuboid(Image::new(center, half_sides, attitude), checked_rounding(rounding)?))
    }

    /// Convex hull of 4 to 128 points, each a corner.
    ///
    /// # Errors
    /// Points that are too few, too many, in one plane, or no corners of their hull; a rounding
    /// that is not a finite number >= 0.
    pub fn polyhedron(vertices: Vec<Vec3>, rounding: f64) -> Result<Self> {
        let points = vertices.iter().map(|v| spatial::Vector::from(*v)).collect();
        let hull = spatial::Shape::polyhedron(points)?;
        let face = |face: &spatial::Face| {
            let normal: Vec3 = face.normal.into();
            (normal, dot(normal, vertices[face.corners[0]]))
        };
        let faces = hull.faces().iter().map(face).collect();
        Ok(ShapePart::Polyhedron(Polyhedron {
            vertices,
            rounding: checked_rounding(rounding)?,
            faces,
        }))
    }

    /// The points that lie in all of some ellipsoids.
    ///
    /// # Errors
    /// No ellipsoid or more than 8; ellipsoids that have no volume in common: less than 1e-6 of the
    /// smallest one's width.
    pub fn intersection(mut parts: Vec<Image>) -> Result<Self> {
        if parts.is_empty() || parts.len() > MOST {
            let what = format!("an intersection has 1 to {MOST} ellipsoids, found {}", parts.len());
            return Err(Error::input(what));
        }
        let given = parts.clone();
        let mut number = 0..;
        parts.retain(|part| number.next().is_none_or(|i| !given[..i].contains(part)));
        for q in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
            let own = |image: &Image| width(|q| Some(image.of_ball(q)), q);
            let smallest = parts.iter().filter_map(own).fold(f64::INFINITY, f64::min);
            let common = width(|q| intersection::support(&parts, q), q);
            if !common.is_some_and(|common| common > 1e-6 * smallest) {
                return Err(Error::input(
                    "the ellipsoids of an intersection have no volume in common",
                ));
            }
        }
        Ok(ShapePart::Intersection(parts))
    }
}

impl ShapePart {
    /// The least `q . x` of the part for a unit vector `q`, and its point.
    ///
    /// Rounding by eps lowers the value by eps and moves the point by `-eps q`. Where several
    /// corners are least, the first one counts. Source: \[TL24\] (7), (66), Sec. 6.2 to 6.4.
    /// Deviation: (66) names the centre of the rounding `rho_C`.
    pub fn support(&self, q: Vec3) -> Support {
        let rounded = |support: Support, rounding: f64| Support {
            value: support.value - rounding,
            point: sub(support.point, scaled(q, rounding)),
        };
        match self {
            ShapePart::Ellipsoid(image) => image.of_ball(q),
            ShapePart::Cuboid(image, rounding) => rounded(image.of_cube(q), *rounding),
            ShapePart::Polyhedron(Polyhedron { vertices, rounding, .. }) => {
                let mut first = Support { value: f64::MAX, point: [0.0; 3] };
                for &vertex in vertices {
                    first = first.first(Support { value: dot(q, vertex), point: vertex });
                }
                rounded(first, *rounding)
            }
            // The intersection was not empty when it was made.
            ShapePart::Intersection(parts) => {
                intersection::support(parts, q).unwrap_or_else(|| parts[0].of_ball(q))
            }
            ShapePart::Convex(convex) => {
                let Support { value, point } = convex.support(q);
                Support { value, point }
            }
        }
    }

    /// The part moved by `by`.
    fn moved(&self, by: Vec3) -> Self {
        match self {
            ShapePart::Ellipsoid(image) => ShapePart::Ellipsoid(image.moved(by)),
            ShapePart::Cuboid(image, rounding) => ShapePart::Cuboid(image.moved(by), *rounding),
            ShapePart::Intersection(parts) => {
                ShapePart::Intersection(parts.iter().map(|part| part.moved(by)).collect())
            }
            ShapePart::Convex(convex) => ShapePart::Convex(Box::new(convex.moved(by))),
            ShapePart::Polyhedron(Polyhedron { vertices, rounding, faces }) => {
                ShapePart::Polyhedron(Polyhedron {
                    vertices: vertices.iter().map(|v| add(*v, by)).collect(),
                    rounding: *rounding,
                    faces: faces.iter().map(|(n, d)| (*n, *d + dot(*n, by))).collect(),
                })
            }
        }
    }
}

impl BodyShape {
    /// The least `q . x` of the shape for a unit vector `q`, and its point; where several parts are
    /// least, the first one counts.
    pub fn support(&self, q: Vec3) -> Support {
        let mut first = self.parts[0].support(q);
        for part in &self.parts[1..] {
            first = first.first(part.support(q));
        }
        first
    }

    /// The shape moved by `by`.
    pub fn moved(&self, by: Vec3) -> Self {
        BodyShape { parts: self.parts.iter().map(|part| part.moved(by)).collect() }
    }
}

/// The extent of a shape along a unit vector, from end to end.
fn width(support: impl Fn(Vec3) -> Option<Support>, q: Vec3) -> Option<f64> {
    Some(-support(scaled(q, -1.0))?.value - support(q)?.value)
}

fn check_lengths(lengths: Vec3, what: &str) -> Result<()> {
    if lengths.iter().all(|x| x.is_finite() && *x > 0.0) {
        return Ok(());
    }
    let [a, b, c] = lengths;
    Err(Error::input(format!("{what} are finite numbers > 0, found {a}, {b}, {c}")))
}

fn check_finite(center: Vec3) -> Result<()> {
    if center.iter().all(|x| x.is_finite()) {
        Ok(())
    } else {
        Err(Error::input("expected finite numbers"))
    }
}

fn checked_rounding(rounding: f64) -> Result<f64> {
    if rounding.is_finite() && rounding >= 0.0 {
        return Ok(rounding);
    }
    Err(Error::input(format!("a rounding is a finite number >= 0, found {rounding}"))
        .at("rounding"))
}
