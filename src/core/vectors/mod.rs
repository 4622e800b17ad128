//! Vectors of the machine at hand, one number per lane.

mod lane;
mod number;
mod vector;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use lane::{Lane, OnVectors};
pub use number::{Lanes, Number};
pub use vector::{Instructions, Vector};
