//! The set-valued Routh law in impulse steps; each step is a complementarity problem. \[HP23\]

pub mod bouncing;
pub mod process;
pub mod solve;

pub use process::{Steps, StepsWorkspace};
