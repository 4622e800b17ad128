use super::joints::{Joint, Pose};
use super::shapes::Shape;
use super::touch::Solid;
use super::tree::{Rigid, View};
use super::{Column, Planar, Vector, turned};
use carom_core::error::{Error, Result};

/// A rigid body. The origin of its frame is its joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// The name of the body; no two bodies or walls share a name.
    pub name: String,
    /// Index of the body that carries its joint, which comes earlier; `None` for the world.
    pub parent: Option<usize>,
    /// Where the joint sits in the parent's frame.
    pub anchor: Vector,
    /// The angle of the body relative to its parent when the joint coordinate is zero, in rad.
    pub offset: f64,
    /// The motion that the joint allows relative to the parent.
    pub joint: Joint,
    /// Mass in kg; 0 for a body that only carries others.
    pub mass: f64,
    /// Moment of inertia about the centre of mass, in kg m^2.
    pub inertia: f64,
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
            offset: 0.0,
            joint: Joint::Floating,
            mass,
            inertia: mass * shape.gyration_squared(),
            center_of_mass: shape.centroid(),
            shapes: vec![shape],
        }
    }

    /// The body with another joint, which is at `anchor` of the body with index `parent`.
    pub fn on(self, parent: Option<usize>, anchor: Vector, joint: Joint) -> Body {
        Body { parent, anchor, joint, ..self }
    }

    /// The largest distance of a point of the body's shapes from its origin, in m.
    pub fn reach(&self) -> f64 {
        self.shapes.iter().map(Solid::reach).fold(0.0, f64::max)
    }
}

impl Rigid<2> for Body {
    type Shape = Shape;
    type Spin = f64;

    const JOINTS: &'static str = "floating 3, translating 2, revolute 1, prismatic 1";

    fn view(&self) -> View<'_, Shape, 2> {
        let Body { name, parent, anchor, shapes, joint, .. } = self;
        let (parent, anchor, coordinates) = (*parent, *anchor, joint.coordinates());
        let shifts = matches!(joint, Joint::Floating | Joint::Translating);
        View { name, parent, anchor, shapes, coordinates, positions: coordinates, shifts }
    }

    fn pose(&self, poses: &[Pose], q: &[f64]) -> Pose {
        let parent = self.parent.map_or(Pose::WORLD, |parent| poses[parent]);
        self.joint.pose(&parent, self.anchor, self.offset, q)
    }

    fn centre(&self, pose: &Pose) -> Vector {
        pose.point(self.center_of_mass)
    }

    fn columns(tree: &Planar, poses: &[Pose], body: usize, r: Vector) -> Vec<Column> {
        let mut columns = Vec::new();
        let (mut point, mut spin) = (r, 1.0);
        let mut link = Some(body);
        while let Some(k) = link {
            let Body { joint, parent, .. } = &tree.bodies()[k];
            let (first, carrier) = (tree.first_coordinate(k), *parent);
            let parent = carrier.map_or(Pose::WORLD, |parent| poses[parent]);
            let (axes, count) = joint.translations();
            if joint.turns() {
                let velocity = turned(point - poses[k].origin);
                columns.push(Column { coordinate: first + count, velocity, spin });
            }
            for i in (0..count).rev() {
                let velocity = parent.direction(axes[i]);
                columns.push(Column { coordinate: first + i, velocity, spin: 0.0 });
            }
            if joint.is_absolute() {
                (point, spin) = (poses[k].origin, 0.0);
            }
            link = carrier;
        }
        columns.reverse();
        columns
    }

    fn entries(spin: &f64) -> &[f64] {
        std::slice::from_ref(spin)
    }

    fn check(&self, index: usize) -> Result<()> {
        let place = |key: &str| format!("bodies[{index}].{key}");
        for (value, key, what) in
            [(self.mass, "mass", "a mass"), (self.inertia, "inertia", "a moment of inertia")]
        {
            if !(value.is_finite() && value >= 0.0) {
                return Err(Error::input(format!("{what} is a finite number >= 0, found {value}"))
                    .at(place(key)));
            }
        }
        if self.parent.is_some_and(|parent| parent >= index) {
            return Err(Error::input(format!("the parent of `{}` must come before it", self.name))
                .at(place("parent")));
        }
        for (vector, key) in [(self.anchor, "anchor"), (self.center_of_mass, "center_of_mass")] {
            if !vector.iter().all(|x| x.is_finite()) {
                return Err(Error::input("expected finite numbers").at(place(key)));
            }
        }
        if !self.offset.is_finite() {
            return Err(Error::input("expected a finite number").at(place("angle")));
        }
        if let Joint::Prismatic { axis } = self.joint
            && (axis.norm() - 1.0).abs() > 1e-9
        {
            return Err(
                Error::input("the axis of a prismatic joint has length 1").at(place("axis"))
            );
        }
        Ok(())
    }
}
