//! Shaders as text and buffers as bytes: all input of a GPU, before a device is opened.
//!
//! A kernel is a [`SamplingKernel`] in a file of [`kernels`]: its WGSL, its bindings, its size
//! limits. [`Inputs`] are the contents of its buffers for processes; [`Raw`] and
//! [`DeviceStatistics`] are its results.

/// The code of a file in `shaders/`, as `build.rs` leaves it.
macro_rules! wgsl {
    ($file:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/", $file))
    };
}

pub mod catalogue;
pub mod header;
pub mod inputs;
pub mod kernels;
pub mod layout;
pub mod limits;
pub mod raw;
pub mod spec;
pub mod statistics;
pub mod tables;
pub mod tally;
pub mod uniform;
pub mod variant;

pub use inputs::Inputs;
pub use layout::KernelShape;
pub use limits::Limits;
pub use raw::Raw;
pub use spec::{Binding, Program, SamplingKernel, Scan};
pub use statistics::{DeviceStatistics, StatisticsSpec};
pub use tally::Tally;
pub use variant::Variant;
