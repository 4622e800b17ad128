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

mod assemble;
mod bodies;
mod contacts;
mod joints;
mod planar;
mod roster;
mod shapes;
pub mod spatial;

pub use assemble::Motion;
pub use bodies::Body;
pub use contacts::{Contact, HalfPlane, Site, Surface, Touch, separation, thickness, touches};
pub use joints::{Joint, Pose};
pub use planar::{Column, Planar, TangentRule};
pub use shapes::Shape;

/// A vector in the plane.
pub type Vector = nalgebra::Vector2<f64>;

/// The z component of the cross product `a x b`.
fn cross(a: Vector, b: Vector) -> f64 {
    a.x * b.y - a.y * b.x
}

/// `a` turned by a quarter, counter-clockwise: the velocity of the point `a` at unit angular
/// velocity.
pub fn turned(a: Vector) -> Vector {
    Vector::new(-a.y, a.x)
}
