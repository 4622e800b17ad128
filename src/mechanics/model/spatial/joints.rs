//! Joints in space: the motion of a body relative to its parent, and the resulting pose.

use nalgebra::Quaternion;

use super::{Attitude, Vector};

/// Position of a body's origin and attitude of its axes, in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// The origin of the body frame, in m.
    pub origin: Vector,
    /// The attitude of the body frame.
    pub attitude: Attitude,
}

impl Pose {
    /// The world's own frame.
    pub fn world() -> Pose {
        Pose { origin: Vector::zeros(), attitude: Attitude::identity() }
    }

    /// A direction of the body frame, in the world.
    pub fn direction(&self, local: Vector) -> Vector {
        self.attitude * local
    }

    /// A point of the body frame, in the world.
    pub fn point(&self, local: Vector) -> Vector {
        self.origin + self.direction(local)
    }

    /// A point of the world, in the body frame.
    pub fn local(&self, point: Vector) -> Vector {
        self.attitude.inverse() * (point - self.origin)
    }
}

/// The motion of a body relative to its parent. The coordinates are in the order given here.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Joint {
    /// All motions; only for bodies whose parent is the world.
    Floating,
    /// Displacements along the parent's axes, without rotation.
    Translating,
    /// Rotation about a unit vector of the parent's frame: one angle.
    Revolute {
        /// The axis, of length 1.
        axis: Vector,
    },
    /// Sliding along a unit vector of the parent's frame: one displacement.
    Prismatic {
        /// The direction of sliding, of length 1.
        axis: Vector,
    },
    /// All rotations about the joint.
    Spherical,
    /// No motion.
    Fixed,
}

impl Joint {
    /// The names of the entries of the velocity, which follow the body's name and a dot.
    pub fn coordinates(&self) -> &'static [&'static str] {
        match self {
            Joint::Floating => &["x", "y", "z", "wx", "wy", "wz"],
            Joint::Translating => &["x", "y", "z"],
            Joint::Revolute { .. } => &["theta"],
            Joint::Prismatic { .. } => &["d"],
            Joint::Spherical => &["wx", "wy", "wz"],
            Joint::Fixed => &[],
        }
    }

    /// Number of the joint's entries of the configuration.
    pub fn positions(&self) -> usize {
        self.position_names().len()
    }

    /// The names of the joint's entries of the configuration, which follow the body's name and a
    /// dot.
    pub fn position_names(&self) -> &'static [&'static str] {
        match self {
            Joint::Floating => &["x", "y", "z", "qw", "qx", "qy", "qz"],
            Joint::Spherical => &["qw", "qx", "qy", "qz"],
            other => other.coordinates(),
        }
    }

    /// The pose of a body whose joint sits at `anchor` in the frame of `parent` and whose axes are
    /// turned by `offset` where the joint's own rotation is none; `q` starts with the joint's
    /// positions.
    pub(super) fn pose(&self, parent: &Pose, anchor: Vector, offset: Attitude, q: &[f64]) -> Pose {
        let (displacement, turn) = match self {
            Joint::Floating => (vector(q), attitude(&q[3..])),
            Joint::Translating => (vector(q), Attitude::identity()),
            Joint::Revolute { axis } => (Vector::zeros(), Attitude::from_scaled_axis(axis * q[0])),
            Joint::Prismatic { axis } => (axis * q[0], Attitude::identity()),
            Joint::Spherical => (Vector::zeros(), attitude(q)),
            Joint::Fixed => (Vector::zeros(), Attitude::identity()),
        };
        Pose {
            origin: parent.point(anchor + displacement),
            attitude: parent.attitude * turn * offset,
        }
    }
}

/// The first three numbers.
pub(super) fn vector(q: &[f64]) -> Vector {
    Vector::new(q[0], q[1], q[2])
}

/// The first four numbers, `(w, x, y, z)`, normalised.
pub(super) fn attitude(q: &[f64]) -> Attitude {
    Attitude::from_quaternion(Quaternion::new(q[0], q[1], q[2], q[3]))
}
