//! The GPU engine: one thread per sample, on Vulkan, Metal or DX12 through wgpu.

pub mod batch;
pub mod build;
pub mod choice;
pub mod device;
pub mod layout;
pub mod peak;
pub mod reduction;
pub mod regions;
pub mod run;
pub mod source;
pub mod statistics;

pub use batch::Batch;
pub use device::{AdapterReport, Gpu, adapters};
pub use reduction::Reduction;
pub use regions::Regions;
pub use run::Kernel;
pub use statistics::{DeviceStatistics, StatisticsSpec};
