use super::joints::{Joint, Pose};
use super::shapes::Shape;
use super::{Attitude, Column, Matrix, Spatial, Vector};
use crate::model::touch::Solid;
use crate::model::tree::{Rigid, View};
use carom_core::error::{Error, Result};

/// Relative tolerance of the triangle inequality of principal moments: published digits are
/// rounded.
const ROUNDED: f64 = 0.01;

/// A rigid body. The origin of its frame is its joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// The name of the body; no two bodies or walls share a name.
    pub name: String,
    /// Index of the body that carries its joint, which comes earlier; `None` for the world.
    pub parent: Option<usize>,
    /// The place of the joint in the parent's frame.
    pub anchor: Vector,
    /// The attitude of the body relative to its parent when the joint coordinates are zero.
    pub offset: Attitude,
    /// The motion that the joint allows relative to the parent.
    pub joint: Joint,
    /// The inertia that a rotor which turns with the joint adds to the diagonal of the mass matrix,
    /// for each of the joint's coordinates: in kg m^2, prismatic kg. 0 except for revolute,
    /// prismatic and spherical joints.
    pub armature: f64,
    /// Mass in kg; 0 for a body that only carries others.
    pub mass: f64,
    /// Inertia tensor about the centre of mass, along the axes of the body frame, in kg m^2.
    pub inertia: Matrix,
    /// The centre of mass in the body frame.
    pub center_of_mass: Vector,
    /// The shapes that can touch others, in the body frame.
    pub shapes: Vec<Shape>,
}

impl Body {
    /// A floating body of uniform density with one shape.
    pub fn uniform(name: &str, mass: f64, shape: Shape) -> Body {
        Body {
            name: name.to_string(),
            parent: None,
            anchor: Vector::zeros(),
            offset: Attitude::identity(),
            joint: Joint::Floating,
            armature: 0.0,
            mass,
            inertia: shape.gyration() * mass,
            center_of_mass: shape.centroid(),
            shapes: vec![shape],
        }
    }

    /// The body with another joint, which is at `anchor` of the body with index `parent`.
    pub fn on(self, parent: Option<usize>, anchor: Vector, joint: Joint) -> Body {
        Body { parent, anchor, joint, ..self }
    }

    /// The largest distance of a point of a shape from the origin, in m.
    pub fn reach(&self) -> f64 {
        self.shapes.iter().map(Solid::reach).fold(0.0, f64::max)
    }
}

impl Rigid<3> for Body {
    type Shape = Shape;
    type Spin = Vector;

    const JOINTS: &'static str = "floating 6, translating 3, spherical 3, revolute 1, prismatic 1";

    fn view(&self) -> View<'_, Shape, 3> {
        let Body { name, parent, anchor, shapes, joint, .. } = self;
        let (coordinates, positions) = (joint.coordinates(), joint.position_names());
        let shifts = matches!(joint, Joint::Floating | Joint::Translating);
        let (parent, anchor) = (*parent, *anchor);
        View { name, parent, anchor, shapes, coordinates, positions, shifts }
    }

    fn pose(&self, poses: &[Pose], q: &[f64]) -> Pose {
        let parent = self.parent.map_or(Pose::world(), |parent| poses[parent]);
        self.joint.pose(&parent, self.anchor, self.offset, q)
    }

    fn centre(&self, pose: &Pose) -> Vector {
        pose.point(self.center_of_mass)
    }

    fn columns(tree: &Spatial, poses: &[Pose], body: usize, r: Vector) -> Vec<Column> {
        let mut columns = Vec::new();
        let mut link = Some(body);
        while let Some(k) = link {
            let Body { joint, center_of_mass, parent, .. } = &tree.bodies()[k];
            let frame = parent.map_or(Pose::world(), |parent| poses[parent]);
            let axes = [Vector::x(), Vector::y(), Vector::z()].map(|axis| frame.direction(axis));
            let slide = |axis: Vector| (axis, Vector::zeros());
            let turn = |axis: Vector, pivot: Vector| (axis.cross(&(r - pivot)), axis);
            let moves: Vec<(Vector, Vector)> = match joint {
                Joint::Floating => {
                    let centre = poses[k].point(*center_of_mass);
                    axes.map(slide).into_iter().chain(axes.map(|axis| turn(axis, centre))).collect()
                }
                Joint::Translating => axes.map(slide).to_vec(),
                Joint::Revolute { axis } => vec![turn(frame.direction(*axis), poses[k].origin)],
                Joint::Prismatic { axis } => vec![slide(frame.direction(*axis))],
                Joint::Spherical => axes.map(|axis| turn(axis, poses[k].origin)).to_vec(),
                Joint::Fixed => Vec::new(),
            };
            for (i, (velocity, spin)) in moves.into_iter().enumerate().rev() {
                columns.push(Column { coordinate: tree.first_coordinate(k) + i, velocity, spin });
            }
            link = *parent;
        }
        columns.reverse();
        columns
    }

    fn entries(spin: &Vector) -> &[f64] {
        spin.as_slice()
    }

    fn check(&self, index: usize) -> Result<()> {
        let refuse =
            |key: &str, what: String| Err(Error::input(what).at(format!("bodies[{index}].{key}")));
        if !(self.mass.is_finite() && self.mass >= 0.0) {
            return refuse("mass", format!("a mass is a finite number >= 0, found {}", self.mass));
        }
        if !(self.armature.is_finite() && self.armature >= 0.0) {
            return refuse(
                "armature",
                format!("an armature is a finite number >= 0, found {}", self.armature),
            );
        }
        let turns = matches!(
            self.joint,
            Joint::Revolute { .. } | Joint::Prismatic { .. } | Joint::Spherical
        );
        if self.armature > 0.0 && !turns {
            let joints = "revolute, prismatic and spherical joints";
            return refuse("armature", format!("only {joints} have an armature"));
        }
        if let Some(what) = fault(&self.inertia) {
            return refuse("inertia", what);
        }
        if self.parent.is_some_and(|parent| parent >= index) {
            return refuse("parent", format!("the parent of `{}` must come before it", self.name));
        }
        if self.parent.is_some() && self.joint == Joint::Floating {
            return refuse(
                "joint",
                format!("`{}` floats and has a parent; give it another joint", self.name),
            );
        }
        for (vector, key) in [(self.anchor, "anchor"), (self.center_of_mass, "center_of_mass")] {
            if !vector.iter().all(|x| x.is_finite()) {
                return refuse(key, "expected finite numbers".to_string());
            }
        }
        if !self.offset.coords.iter().all(|x| x.is_finite()) {
            return refuse("rotation", "expected a rotation with finite numbers".to_string());
        }
        match self.joint {
            Joint::Revolute { axis } | Joint::Prismatic { axis }
                if (axis.norm() - 1.0).abs() > 1e-9 =>
            {
                refuse("axis", "the axis of a joint has length 1".to_string())
            }
            _ => Ok(()),
        }
    }
}

/// Why a matrix cannot be the inertia tensor of a body.
pub fn fault(inertia: &Matrix) -> Option<String> {
    let size = inertia.amax();
    if !inertia.iter().all(|x| x.is_finite()) {
        return Some("an inertia tensor has finite numbers".to_string());
    }
    if size == 0.0 {
        return None;
    }
    if (inertia - inertia.transpose()).amax() > 1e-9 * size {
        return Some("an inertia tensor is symmetric".to_string());
    }
    let mut moments = (inertia / size).symmetric_eigenvalues();
    moments.as_mut_slice().sort_unstable_by(f64::total_cmp);
    let [a, b, c] = [moments.x, moments.y, moments.z];
    let list = || format!("principal moments {:e}, {:e}, {:e}", a * size, b * size, c * size);
    if a < -1e-9 {
        return Some(format!("a moment of inertia is >= 0, found the {}", list()));
    }
    if c > (a + b) * (1.0 + ROUNDED) + 1e-9 {
        return Some(format!(
            "no body has the {}: the largest exceeds the sum of the others",
            list()
        ));
    }
    None
}
