//! Spatial mechanisms: rigid bodies on SE(3) in trees of joints, their shapes, and the contact
//! problem of a configuration.
//!
//! A configuration `q` holds the positions of the joints, body by body; attitudes are unit
//! quaternions `(w, x, y, z)` that turn directions of the body into those of its parent. A velocity
//! `v` (n) holds their rates:
//!
//! | joint | in `q` | in `v` |
//! |---|---|---|
//! | floating | the frame's origin, quaternion | `x y z` velocity of the body's own mass centre,
//! `wx wy wz` angular velocity, along the world's axes |
//! | translating | displacement along the parent's axes | its rate `x y z` |
//! | revolute, prismatic | angle, displacement | its rate `theta`, `d` |
//! | spherical | quaternion | `wx wy wz` angular velocity relative to the parent, along the
//! parent's axes |
//!
//! so that a free body has the mass matrix `diag(m, m, m, R I R')`. From `q` follow the mass matrix
//! ([`Spatial::mass_matrix`]), the contacts within a gap tolerance ([`Spatial::contacts`]) and
//! their Jacobians ([`Spatial::normal_rows`], [`Spatial::tangent_rows`]); [`Spatial::impact`] puts
//! them together, and [`Spatial::flowed`] integrates a constant velocity for a given time.
//!
//! Signs: a normal `n` points from a wall into the free half-space, and from the body of lower
//! index to the body of higher index, so that a positive normal velocity separates; `(t1, t2, n)`
//! is right-handed and orthonormal, see [`tangents`]. A contact row is `J_second - J_first`, both
//! taken at the contact point.
//!
//! Lengths in m, angles in rad, masses in kg, moments of inertia in kg m^2.
//!
//! ```
//! # mod carom {
//! #     pub use {carom_core::{error::Error, problem::ContactProblem}, carom_mechanics::model};
//! # }
//! use carom::model::Motion;
//! use carom::model::spatial::{Body, HalfSpace, Shape, Spatial, Vector};
//! use carom::ContactProblem;
//!
//! let ball = Body::uniform("ball", 2.0, Shape::sphere(Vector::zeros(), 0.5)?);
//! let floor = HalfSpace { name: "floor".into(), point: Vector::zeros(), normal: Vector::z() };
//! let model = Spatial::new(vec![ball], vec![floor])?;
//!
//! let position = vec![0.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0]; // origin and quaternion
//! let contacts = model.contacts(&model.poses(&position), 1e-6)?;
//! let motion = Motion { position, velocity: vec![1.0, 0.0, -1.0, 0.0, 0.0, 0.0] };
//! let problem = ContactProblem::new(model.impact(&motion, &contacts, vec![0.5]))?;
//!
//! assert_eq!(problem.contact_velocity().as_slice(), [-1.0, 1.0, 0.0]); // normal, t1, t2
//! assert!((problem.delassus()[(1, 1)] - 3.5 / 2.0).abs() < 1e-12); // 1/m + r^2/I, I = 2 m r^2/5
//! # Ok::<(), carom::Error>(())
//! ```

mod bodies;
mod distance;
mod dynamics;
mod hull;
mod joints;
mod manifold;
mod mechanism;
mod quickhull;
mod shapes;

pub use bodies::Body;
pub use bodies::fault as inertia_fault;
pub use distance::{closest, separation};
pub use dynamics::Rate;
pub use hull::Face;
pub use hull::heights;
pub use joints::{Joint, Pose};
pub use manifold::touches;
pub use quickhull::hull as quickhull;
pub use shapes::Shape;

/// A vector in space.
pub type Vector = nalgebra::Vector3<f64>;

/// A half-space that no body may enter: a floor, a wall, a slope.
pub type HalfSpace = super::touch::HalfSpace<3>;

/// A place where two shapes touch, or nearly touch.
pub type Touch = super::touch::Touch<3>;

/// A contact of a model's configuration.
pub type Contact = super::touch::Contact<3>;

/// The effect of one entry of the velocity at unit rate.
pub type Column = super::tree::Column<Vector, 3>;

/// Bodies in trees of joints in space, and the walls around them.
pub type Spatial = super::tree::Tree<Body, 3>;

/// A matrix that maps vectors to vectors, such as an inertia tensor.
pub type Matrix = nalgebra::Matrix3<f64>;

/// Attitude: unit quaternion that maps directions from the body's frame to its parent's frame or to
/// the world.
pub type Attitude = nalgebra::UnitQuaternion<f64>;

/// The tangents `t1`, `t2` of a contact with unit normal `n`: `(t1, t2, n)` is orthonormal and
/// right-handed.
///
/// `t1` is the world's axis x without its part along `n`, normalised; where `abs(n_x) > 0.9`, the
/// axis y instead. `t2 = n x t1`. So a floor with `n = z` has `t1 = x` and `t2 = y`.
pub fn tangents(normal: Vector) -> [Vector; 2] {
    let axis = if normal.x.abs() > 0.9 { Vector::y() } else { Vector::x() };
    let first = (axis - normal * normal.dot(&axis)).normalize();
    [first, normal.cross(&first)]
}
