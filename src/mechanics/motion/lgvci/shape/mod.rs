//! Shapes of a rigid body, and their support points along a direction.
//!
//! A shape is the union of parts; a part is an ellipsoid, a box, a convex polyhedron, an
//! intersection of ellipsoids, or a convex body given by a function. Contact with a plane depends
//! only on the support function `min q . x`, so a nonconvex shape counts as its convex hull, except
//! for its inertia.

mod convex;
mod ellipsoid;
mod inertia;
mod intersection;
mod part;
mod quadrature;

pub use convex::{Convex, DIRECTIONS, Form};
pub use ellipsoid::{Image, Support};
pub use inertia::{ACCURACY, UniformInertia, of_shape};
pub use intersection::MOST;
pub use part::{BodyShape, Polyhedron, ShapePart};
