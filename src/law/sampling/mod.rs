//! What draws samples of any law, and judges them.

pub mod compiled;
pub mod ending;
pub mod plain;
pub mod process;
pub mod random_order;
pub mod restitution;
pub mod sampled;
