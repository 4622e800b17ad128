//! The Lie group variational collision integrator: a rigid body that bounces on a plane, elastic
//! and without friction.

mod algebra;
mod body;
mod flight;
mod given;
mod replica;
mod run;
pub mod shape;
mod spread;
mod state;
mod step;

pub use algebra::{Mat3, Vec3};
pub use body::RigidBody;
pub use flight::{matrix, rotation};
pub use given::{Lgvci, LgvciSpec};
pub use replica::{Replica, Setting};
pub use spread::{CopySpread, Perturbation, SpreadRow, Take};
pub use state::BodyState;
pub use step::{Struck, step};
