//! The planar set-valued Routh law without a time step: from event to event.

pub mod chart;
pub mod check;
mod maps;
pub mod process;
pub mod segment;
pub mod solve;
pub mod table;
pub mod walk;

pub use process::Events;
