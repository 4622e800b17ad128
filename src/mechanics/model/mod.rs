//! Planar mechanisms: bodies in trees of joints, their shapes, and the contact problem of a
//! configuration.
//!
//! A configuration `q` (n) holds one number per joint coordinate, in the order of the bodies. From
//! the configuration follow the mass matrix `M(q)` ([`Planar::mass_matrix`]), the contacts within a
//! gap tolerance ([`Planar::contacts`]) and their Jacobians ([`Planar::normal_rows`],
//! [`Planar::tangent_rows`]); [`Planar::impact`] puts them together. [`spatial`] does the same for
//! bodies in space.
//!
//! Signs: angles are counter-clockwise; a normal points from a wall into the free half-plane, and
//! from the body of lower index to the body of higher index, so that a positive normal velocity
//! separates; the tangent is `(n_y, -n_x)`. A contact row is `J_second - J_first`, both taken at
//! the contact point.
//!
//! Lengths in m, angles in rad, masses in kg, moments of inertia in kg m^2.

mod bodies;
mod contacts;
mod joints;
mod planar;
mod roster;
mod shapes;
pub mod spatial;
pub(crate) mod touch;
mod tree;

pub use bodies::Body;
pub use contacts::{separation, thickness, touches};
pub use joints::{Joint, Pose};
pub use planar::TangentRule;
pub use shapes::Shape;
pub use touch::{Site, Surface};
pub use tree::Motion;

/// A vector in the plane.
pub type Vector = nalgebra::Vector2<f64>;

/// A half-plane that no body may enter: a floor, a wall, a slope.
pub type HalfPlane = touch::HalfSpace<2>;

/// A place where two shapes touch, or nearly touch.
pub type Touch = touch::Touch<2>;

/// A contact of a model's configuration.
pub type Contact = touch::Contact<2>;

/// The effect of one coordinate at unit rate.
pub type Column = tree::Column<f64, 2>;

/// Bodies in trees of joints in a plane, and the walls around them.
pub type Planar = tree::Tree<Body, 2>;

/// The z component of the cross product `a x b`.
fn cross(a: Vector, b: Vector) -> f64 {
    a.x * b.y - a.y * b.x
}

/// `a` turned by a quarter, counter-clockwise: the velocity of the point `a` at unit angular
/// velocity.
pub fn turned(a: Vector) -> Vector {
    Vector::new(-a.y, a.x)
}
