//! Vectors of the machine at hand, one number per lane.

mod lane;
mod vector;

pub use lane::{Lane, OnVectors};
pub use vector::{Table, Tables, Vector};
