//! Engines: where samples are computed. The same samples come out of each.

pub mod cpu;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod plan;

pub use plan::{Device, DeviceInfo, Plan, Precision, Run};
