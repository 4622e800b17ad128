//! Planar joints: the motion of a body relative to its parent, and the resulting pose.

use super::Vector;

/// Position of a body's origin and angle of its axes, in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// The origin of the body frame, in m.
    pub origin: Vector,
    /// The angle of the body frame, counter-clockwise, in rad.
    pub angle: f64,
}

impl Pose {
    /// The world's own frame.
    pub const WORLD: Pose = Pose { origin: Vector::new(0.0, 0.0), angle: 0.0 };

    /// A direction of the body frame, in the world.
    pub fn direction(&self, local: Vector) -> Vector {
        let (sin, cos) = self.angle.sin_cos();
        Vector::new(cos * local.x - sin * local.y, sin * local.x + cos * local.y)
    }

    /// A point of the world, in the body frame.
    pub fn local(&self, point: Vector) -> Vector {
        Pose { origin: Vector::zeros(), angle: -self.angle }.direction(point - self.origin)
    }

    /// A point of the body frame, in the world.
    pub fn point(&self, local: Vector) -> Vector {
        self.origin + self.direction(local)
    }
}

/// Joint: motion of a body relative to its parent. Coordinates are in the order given here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Joint {
    /// All planar motions: `x`, `y` along the parent's axes, then the angle.
    Floating,
    /// Displacement `x`, `y` along the parent's axes, without rotation.
    Translating,
    /// Rotation about the joint: one angle.
    Revolute {
        /// Whether the angle is measured from the world's axes instead of the parent's.
        absolute: bool,
    },
    /// Sliding along a unit vector of the parent's frame: one displacement.
    Prismatic {
        /// The direction of sliding, of length 1.
        axis: Vector,
    },
    /// No motion.
    Fixed,
}

impl Joint {
    /// The names of the coordinates, which follow the body's name and a dot.
    pub fn coordinates(&self) -> &'static [&'static str] {
        match self {
            Joint::Floating => &["x", "y", "theta"],
            Joint::Translating => &["x", "y"],
            Joint::Revolute { .. } => &["theta"],
            Joint::Prismatic { .. } => &["d"],
            Joint::Fixed => &[],
        }
    }

    /// Directions of the parent's frame along which coordinates displace the body, and their
    /// number.
    pub fn translations(&self) -> ([Vector; 2], usize) {
        match self {
            Joint::Floating | Joint::Translating => {
                ([Vector::new(1.0, 0.0), Vector::new(0.0, 1.0)], 2)
            }
            Joint::Prismatic { axis } => ([*axis, Vector::zeros()], 1),
            Joint::Revolute { .. } | Joint::Fixed => ([Vector::zeros(); 2], 0),
        }
    }

    /// Whether the last coordinate is an angle.
    pub fn turns(&self) -> bool {
        matches!(self, Joint::Floating | Joint::Revolute { .. })
    }

    /// Whether the body's angle does not depend on its parent's.
    pub fn is_absolute(&self) -> bool {
        matches!(self, Joint::Revolute { absolute: true })
    }

    /// The pose of a body whose joint sits at `anchor` in the frame of `parent`, turned by `offset`
    /// there.
    pub(super) fn pose(&self, parent: &Pose, anchor: Vector, offset: f64, q: &[f64]) -> Pose {
        let (axes, count) = self.translations();
        let displacement: Vector = (0..count).map(|i| axes[i] * q[i]).sum();
        let angle = if self.turns() { q[count] } else { 0.0 };
        let reference = if self.is_absolute() { 0.0 } else { parent.angle };
        Pose { origin: parent.point(anchor + displacement), angle: reference + offset + angle }
    }
}
