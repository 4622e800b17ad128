//! The planar set-valued Routh law without a time step: from event to event.

pub mod check;
mod maps;
pub mod process;
pub mod segment;
mod solve;

pub use process::Exact;
mod walk;
