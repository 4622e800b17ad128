//! Polyhedra of few dimensions: cones by double description, in integers of any size or in doubles;
//! linear relations in exact rationals.
//!
//! A polyhedron `P` in `R^r` is the cone of all `(t, t y)` with `t >= 0` and `y` in `P`, closed:
//! rays with `t > 0` are the vertices of `P`, rays with `t = 0` its directions.

pub mod cone;
pub mod difference;
pub mod doubles;
pub mod dyadic;
pub mod incidence;
pub mod integers;
pub mod tableau;
pub mod vector;

pub use cone::{Cone, Row};
pub use difference::difference;
pub use doubles::Doubles;
pub use incidence::Incidence;
pub use integers::Integers;
pub use tableau::Tableau;
pub use vector::{MOST_ENTRIES, Vector, dot};
