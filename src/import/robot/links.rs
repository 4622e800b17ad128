//! The content of a robot file: links in trees of joints, their shapes, and pairs of shapes that
//! may touch.

use std::collections::BTreeMap;

use super::solid::Inertial;
use super::xml::Place;
use carom_mechanics::model::spatial::{Attitude, Pose, Vector};

pub(super) struct Robot {
    pub name: String,
    pub links: Vec<Link>,
    pub walls: Vec<Wall>,
    /// Pairs of links that do not touch.
    pub exclusions: Vec<(usize, usize)>,
    /// Pairs of shapes that touch even if other rules exclude them.
    pub pairs: Vec<Pair>,
    /// Rules that combine the coefficients of two surfaces: of friction, of restitution.
    pub combining: [Combining; 2],
    /// Whether a link may touch a fixed parent link.
    pub touches_base: bool,
    pub notes: Notes,
}

/// A rigid body. A parent comes before its children.
pub(super) struct Link {
    pub name: String,
    pub place: Place,
    /// The parent link; `None` for the world.
    pub parent: Option<usize>,
    /// The frame of the link in its parent's frame, with all joints at zero.
    pub pose: Pose,
    /// The joints of the link, starting at the parent; empty: the link is fixed.
    pub joints: Vec<Pivot>,
    pub inertial: Inertial,
    pub geoms: Vec<Geom>,
}

pub(super) struct Pivot {
    pub name: Option<String>,
    pub place: Place,
    pub motion: Motion,
    /// The place of the joint in the frame of its link.
    pub at: Vector,
    pub armature: f64,
}

/// The motion of a joint, with its position and rate.
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

/// An axis in the link's frame, with joint position and rate. `zero`: joint position of the
/// modelled pose; `range`: joint limits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Along {
    pub axis: Vector,
    pub zero: f64,
    pub value: f64,
    pub rate: f64,
    pub range: Option<[f64; 2]>,
}

pub(super) struct Geom {
    pub form: Form,
    pub surface: Surface,
    /// Whether a pair names the shape.
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
    /// The coefficient of friction; `None` if the file has none.
    pub friction: Option<f64>,
    /// The coefficient of restitution; `None` if the file has none.
    pub restitution: Option<f64>,
}

/// The rule by which a program combines the coefficients of two surfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Combining {
    /// The larger one, as in MuJoCo.
    Largest,
    /// The product, as in Bullet.
    Product,
    /// The smaller one, as in Gazebo with ODE.
    Smallest,
    /// `2 a b / (a + b)`, as in Drake.
    Harmonic,
}

/// A plane that bounds a half-space.
pub(super) struct Wall {
    pub name: String,
    pub link: Option<usize>,
    pub point: Vector,
    pub normal: Vector,
    pub surface: Surface,
}

/// Two shapes that touch each other, with the coefficients of the contact.
pub(super) struct Pair {
    pub between: [Touching; 2],
    pub rubbing: Rubbing,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rubbing {
    pub friction: f64,
    pub restitution: Option<f64>,
}

/// A wall by its index, or a shape by the indices of its link and in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Touching {
    Wall(usize),
    Geom(usize, usize),
}

impl Combining {
    /// The combined coefficient; if only one surface has a coefficient, it applies.
    pub fn of(self, a: Option<f64>, b: Option<f64>) -> Option<f64> {
        let (Some(a), Some(b)) = (a, b) else { return a.or(b) };
        Some(match self {
            Combining::Largest => a.max(b),
            Combining::Product => a * b,
            Combining::Smallest => a.min(b),
            Combining::Harmonic if a + b == 0.0 => 0.0,
            Combining::Harmonic => 2.0 * a * b / (a + b),
        })
    }
}

impl Surface {
    /// A surface that collides with every other surface, with these coefficients.
    pub fn rubbing(friction: Option<f64>, restitution: Option<f64>) -> Surface {
        Surface { contype: 1, conaffinity: 1, condim: 3, priority: 0, friction, restitution }
    }

    /// The coefficients of a contact of two surfaces; `None` if they do not collide.
    pub fn against(&self, other: &Surface, combining: [Combining; 2]) -> Option<Rubbing> {
        let meet = self.contype & other.conaffinity | other.contype & self.conaffinity;
        let (condim, rubbing) = self.with(other, combining);
        let smooth = Rubbing { friction: 0.0, ..rubbing };
        (meet != 0).then_some(if condim == 1 { smooth } else { rubbing })
    }

    /// The dimensions of the contact between two surfaces, and its coefficients if they are more
    /// than 1.
    pub fn with(&self, other: &Surface, combining: [Combining; 2]) -> (i64, Rubbing) {
        let of = |a: &Surface, b: &Surface| Rubbing {
            friction: combining[0].of(a.friction, b.friction).unwrap_or(1.0),
            restitution: combining[1].of(a.restitution, b.restitution),
        };
        match self.priority.cmp(&other.priority) {
            std::cmp::Ordering::Greater => (self.condim, of(self, self)),
            std::cmp::Ordering::Less => (other.condim, of(other, other)),
            std::cmp::Ordering::Equal => (self.condim.max(other.condim), of(self, other)),
        }
    }
}

impl Form {
    /// The shape relative to another origin.
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
    pub fn new(name: Option<&str>, links: Vec<Link>, walls: Vec<Wall>, notes: Notes) -> Robot {
        Robot {
            name: name.unwrap_or("robot").to_string(),
            links,
            walls,
            exclusions: Vec::new(),
            pairs: Vec::new(),
            combining: [Combining::Largest; 2],
            touches_base: false,
            notes,
        }
    }

    pub fn floats(&self) -> bool {
        let mut joints = self.links.iter().flat_map(|link| &link.joints);
        joints.any(|joint| matches!(joint.motion, Motion::Free { .. }))
    }

    pub fn motions(&mut self) -> impl Iterator<Item = &mut Motion> {
        self.links.iter_mut().flat_map(|link| &mut link.joints).map(|joint| &mut joint.motion)
    }
}

impl Link {
    /// A link without joints and shapes.
    pub fn new(name: String, place: &Place, parent: Option<usize>, pose: Pose) -> Link {
        let (place, inertial) = (place.clone(), Inertial::default());
        Link { name, place, parent, pose, joints: Vec::new(), inertial, geoms: Vec::new() }
    }
}

impl Motion {
    /// A free joint, at rest.
    pub fn free(pose: Pose) -> Motion {
        Motion::Free { pose, velocity: Vector::zeros(), spin: Vector::zeros() }
    }

    pub fn floating(&mut self) -> Option<&mut Pose> {
        match self {
            Motion::Free { pose, .. } => Some(pose),
            _ => None,
        }
    }
}

/// The composition of two poses; `inner` is relative to `outer`.
pub(super) fn composed(outer: &Pose, inner: &Pose) -> Pose {
    Pose { origin: outer.point(inner.origin), attitude: outer.attitude * inner.attitude }
}

#[derive(Default)]
pub(super) struct Notes {
    texts: Vec<String>,
    left_out: BTreeMap<String, usize>,
    ignored: BTreeMap<String, usize>,
}

impl Notes {
    /// Notes a change or an assumption.
    pub fn say(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !self.texts.contains(&text) {
            self.texts.push(text);
        }
    }

    /// Notes an omission without effect on an impact.
    pub fn leave_out(&mut self, what: impl Into<String>) {
        *self.left_out.entry(what.into()).or_default() += 1;
    }

    /// Notes an omission that may change an impact.
    pub fn ignore(&mut self, what: impl Into<String>) {
        *self.ignored.entry(what.into()).or_default() += 1;
    }

    /// All notes, one per line.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = self.texts.clone();
        for (why, list) in [
            ("although it may change an impact", &self.ignored),
            ("as it has no effect on an impact", &self.left_out),
        ] {
            if !list.is_empty() {
                let count = |(what, count): (&String, &usize)| match count {
                    1 => what.clone(),
                    _ => format!("{what} ({count} times)"),
                };
                let list: Vec<String> = list.iter().map(count).collect();
                lines.push(format!("left out, {why}: {}", list.join(", ")));
            }
        }
        lines
    }
}
