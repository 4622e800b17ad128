//! Sampling of any law, and acceptance of samples.

pub mod compiled;
pub mod ending;
pub mod plain;
pub mod process;
pub mod random_order;
pub mod restitution;
pub mod sampled;
