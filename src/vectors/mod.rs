//! Vectors of the machine at hand, one number per lane.

mod lane;
mod vector;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use lane::{Lane, OnVectors};
pub use vector::{Table, Tables, Vector};
