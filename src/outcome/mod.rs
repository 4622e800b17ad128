//! Outcome sets: points, their statistics, their contact modes. No physics, no files.

pub mod set;

pub use set::Samples;
