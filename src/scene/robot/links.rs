//! The content of a robot file: links in trees of joints, their shapes, and the pairs that may
//! touch.

use std::collections::BTreeMap;

use super::solid::Inertial;
use super::xml::Place;
use crate::model::spatial::{Attitude, Pose, Vector};

/// A robot and what surrounds it.
pub(super) struct Robot {
    pub name: String,
    pub links: Vec<Link>,
    pub walls: Vec<Wall>,
    /// Pairs of links that do not touch.
    pub exclusions: Vec<(usize, usize)>,
    /// Pairs of shapes that touch whatever other rules exclude them.
    pub pairs: Vec<Pair>,
    /// Whether a link may touch a fixed link that carries it.
    pub touches_base: bool,
    pub notes: Notes,
}

/// A rigid body. A parent comes before its children.
pub(super) struct Link {
    pub name: String,
    pub place: Place,
    /// The link that carries it; `None` for the world.
    pub parent: Option<usize>,
    /// The frame of the link in that of its parent, where no joint has moved.
    pub pose: Pose,
    /// The joints of the link, from the parent on; none: the link is fixed.
    pub joints: Vec<Pivot>,
    pub inertial: Inertial,
    pub geoms: Vec<Geom>,
}

/// A joint with its state.
pub(super) struct Pivot {
    pub name: Option<String>,
    pub place: Place,
    pub motion: Motion,
    /// The place of the joint in the frame of its link.
    pub at: Vector,
    pub armature: f64,
}

/// The motion that a joint allows, with its position and its rate.
#[derive(Clone, Copy, Debug)]
pub(super) enum Motion {
    Hinge(Along),
    Slide(Along),
    /// `turn` relative to the parent, `spin` along the link's axes.
    Ball {
        turn: Attitude,
        spin: Vector,
    },
    /// The link's frame in the world, the velocity of its origin in the world, and the spin along
    /// the link's axes.
    Free {
        pose: Pose,
        velocity: Vector,
        spin: Vector,
    },
}

/// An axis of the link's frame, with the position along it and its rate. `zero` is what the file
/// calls no motion.
#[derive(Clone, Copy, Debug)]
pub(super) struct Along {
    pub axis: Vector,
    pub zero: f64,
    pub value: f64,
    pub rate: f64,
}

/// A shape that can touch others.
pub(super) struct Geom {
    pub form: Form,
    pub surface: Surface,
    /// The pairs that name it.
    pub named: bool,
}

/// A shape in the frame of its link.
#[derive(Clone, Debug)]
pub(super) enum Form {
    Sphere { center: Vector, radius: f64 },
    Capsule { from: Vector, to: Vector, radius: f64 },
    Box { sides: Vector, center: Vector, attitude: Attitude },
    Polyhedron(Vec<Vector>),
}

/// The rules by which a shape collides, as in MuJoCo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Surface {
    pub contype: i64,
    pub conaffinity: i64,
    pub condim: i64,
    pub priority: i64,
    pub friction: f64,
}

/// A plane that bounds a half-space.
pub(super) struct Wall {
    pub name: String,
    pub link: Option<usize>,
    pub point: Vector,
    pub normal: Vector,
    pub surface: Surface,
}

/// Two shapes that touch each other, by the coefficient of friction.
pub(super) struct Pair {
    pub between: [Touching; 2],
    pub friction: f64,
}

/// A wall by its index, or a shape by the indices of its link and in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Touching {
    Wall(usize),
    Geom(usize, usize),
}

impl Surface {
    /// A surface that touches every other one.
    pub fn rubbing(friction: f64) -> Surface {
        Surface { contype: 1, conaffinity: 1, condim: 3, priority: 0, friction }
    }

    /// The coefficient of friction between two surfaces; `None` where they pass through each other.
    pub fn against(&self, other: &Surface) -> Option<f64> {
        let meet = self.contype & other.conaffinity | other.contype & self.conaffinity;
        let (condim, friction) = self.with(other);
        (meet != 0).then_some(if condim == 1 { 0.0 } else { friction })
    }

    /// The dimensions of the contact between two surfaces, and its coefficient of friction if they
    /// are more than 1.
    pub fn with(&self, other: &Surface) -> (i64, f64) {
        match self.priority.cmp(&other.priority) {
            std::cmp::Ordering::Greater => (self.condim, self.friction),
            std::cmp::Ordering::Less => (other.condim, other.friction),
            std::cmp::Ordering::Equal => {
                (self.condim.max(other.condim), self.friction.max(other.friction))
            }
        }
    }
}

impl Form {
    /// The shape in a frame with another origin.
    pub fn about(&self, origin: Vector) -> Form {
        let mut form = self.clone();
        match &mut form {
            Form::Sphere { center, .. } | Form::Box { center, .. } => *center -= origin,
            Form::Capsule { from, to, .. } => {
                *from -= origin;
                *to -= origin;
            }
            Form::Polyhedron(points) => points.iter_mut().for_each(|p| *p -= origin),
        }
        form
    }
}

impl Robot {
    /// Whether a body floats.
    pub fn floats(&self) -> bool {
        let mut joints = self.links.iter().flat_map(|link| &link.joints);
        joints.any(|joint| matches!(joint.motion, Motion::Free { .. }))
    }

    /// The motions of all joints.
    pub fn motions(&mut self) -> impl Iterator<Item = &mut Motion> {
        self.links.iter_mut().flat_map(|link| &mut link.joints).map(|joint| &mut joint.motion)
    }
}

impl Motion {
    /// The pose of a floating body.
    pub fn floating(&mut self) -> Option<&mut Pose> {
        match self {
            Motion::Free { pose, .. } => Some(pose),
            _ => None,
        }
    }
}

/// A pose in the frame of another one.
pub(super) fn composed(outer: &Pose, inner: &Pose) -> Pose {
    Pose { origin: outer.point(inner.origin), attitude: outer.attitude * inner.attitude }
}

/// Notes for a reader.
#[derive(Default)]
pub(super) struct Notes {
    texts: Vec<String>,
    left_out: BTreeMap<String, usize>,
}

impl Notes {
    /// Something that was changed or assumed.
    pub fn say(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.texts.contains(&text) {
            self.texts.push(text);
        }
    }

    /// Something that has no effect on an impact.
    pub fn leave_out(&mut self, what: impl Into<String>) {
        *self.left_out.entry(what.into()).or_default() += 1;
    }

    /// All of it, a line each.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = self.texts.clone();
        if !self.left_out.is_empty() {
            let count = |(what, count): (&String, &usize)| match count {
                1 => what.clone(),
                _ => format!("{what} ({count} times)"),
            };
            let list: Vec<String> = self.left_out.iter().map(count).collect();
            lines.push(format!("left out, as it has no effect on an impact: {}", list.join(", ")));
        }
        lines
    }
}
