//! Walls, contacts and touches, in a plane (D = 2) or in space (D = 3).

use nalgebra::SVector;

use carom_core::error::{Error, Result};

/// A half-plane or half-space that no body may enter: a floor, a wall, a slope.
#[derive(Clone, Debug, PartialEq)]
pub struct HalfSpace<const D: usize> {
    /// The name of the wall.
    pub name: String,
    /// A point of its surface.
    pub point: SVector<f64, D>,
    /// Unit normal into the free side.
    pub normal: SVector<f64, D>,
}

/// The first partner of a contact, which the second body touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Surface {
    /// The wall with this index.
    Wall(usize),
    /// The body with this index.
    Body(usize),
}

/// Potential contact: a corner of a body and a wall, or two shapes of two bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Site {
    /// The wall or body that is touched.
    pub first: Surface,
    /// The index of the body that touches it.
    pub second: usize,
    /// Number of the corner, or of the pair of shapes.
    pub corner: usize,
}

impl Surface {
    /// The body, unless it is a wall.
    pub(super) fn body(self) -> Option<usize> {
        match self {
            Surface::Wall(_) => None,
            Surface::Body(body) => Some(body),
        }
    }

    /// Pair of this surface and a body; in a pair of bodies the lower index comes first.
    pub(super) fn ordered(self, body: usize) -> (Surface, usize) {
        match self {
            Surface::Body(other) if other > body => (Surface::Body(body), other),
            _ => (self, body),
        }
    }
}

/// Touch: place where two shapes touch, or nearly touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch<const D: usize> {
    /// The point of contact, in the world.
    pub point: SVector<f64, D>,
    /// The unit normal from the first to the second.
    pub normal: SVector<f64, D>,
    /// The distance in m; negative where they overlap.
    pub gap: f64,
}

/// A contact of a model's configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact<const D: usize> {
    /// The wall or body that is touched.
    pub first: Surface,
    /// The index of the body that touches it; the normal points towards this body.
    pub second: usize,
    /// Point, normal and gap.
    pub touch: Touch<D>,
}

/// The point of a straight line between two points that is nearest to `p`.
pub(super) fn on_segment<const D: usize>(
    start: SVector<f64, D>,
    end: SVector<f64, D>,
    p: SVector<f64, D>,
) -> SVector<f64, D> {
    let along = end - start;
    let length = along.norm_squared();
    let s = if length > 0.0 { ((p - start).dot(&along) / length).clamp(0.0, 1.0) } else { 0.0 };
    start + along * s
}

pub(super) fn check_radius(radius: f64, of: &str) -> Result<()> {
    if radius.is_finite() && radius > 0.0 {
        return Ok(());
    }
    Err(Error::input(format!("the radius of {of} is a finite number > 0, found {radius}")))
}

pub(super) fn check_ends<const D: usize>(
    from: SVector<f64, D>,
    to: SVector<f64, D>,
    of: &str,
) -> Result<()> {
    if (to - from).norm() == 0.0 {
        return Err(Error::input(format!("the two ends of {of} coincide")));
    }
    Ok(())
}

/// A convex shape: the points within a radius of a hull.
pub trait Solid<const D: usize>: Sized {
    /// The pose of a body.
    type Pose: Copy;

    /// The vertices of the hull, and the radius around it.
    fn hull(&self) -> (&[SVector<f64, D>], f64);

    /// The shape in the world, given the pose of its body.
    fn at(&self, pose: &Self::Pose) -> Self;

    /// The gap of two shapes, and their touches within `tolerance`.
    fn meet(&self, other: &Self, tolerance: f64) -> (f64, Vec<Touch<D>>);

    /// The distance between two shapes, and a width of their Minkowski sum, in m.
    fn gap(&self, other: &Self) -> f64;
    fn thickness(&self, other: &Self) -> f64;

    /// Whether a list of pairs up to the distance `within` needs this one.
    fn is_near(&self, other: &Self, within: f64) -> bool;

    /// The largest distance of a point of the shape from its first vertex, in m.
    fn extent(&self) -> f64 {
        let (vertices, radius) = self.hull();
        vertices.iter().map(|v| (v - vertices[0]).norm()).fold(0.0, f64::max) + radius
    }

    /// The largest distance of a point of the shape from the origin, in m.
    fn reach(&self) -> f64 {
        let (vertices, radius) = self.hull();
        vertices.iter().map(|v| v.norm()).fold(0.0, f64::max) + radius
    }

    /// Lower bound on the gap of two shapes: the gap of their bounding balls about the first
    /// vertices.
    fn least_gap(&self, other: &Self) -> f64 {
        (self.hull().0[0] - other.hull().0[0]).norm() - self.extent() - other.extent()
    }
}

impl<const D: usize> HalfSpace<D> {
    /// Touches of a shape, one per vertex: its gap, and the shape's point nearest to the surface.
    pub fn touches<'a>(&'a self, shape: &'a impl Solid<D>) -> impl Iterator<Item = Touch<D>> + 'a {
        let (vertices, radius) = shape.hull();
        vertices.iter().map(move |vertex| Touch {
            point: vertex - self.normal * radius,
            normal: self.normal,
            gap: self.normal.dot(&(vertex - self.point)) - radius,
        })
    }
}
