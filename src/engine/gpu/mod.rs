//! The GPU engine: one thread per sample, on Vulkan, Metal or DX12 through wgpu.

pub mod device;
pub mod layout;
pub mod peak;
pub mod run;
pub mod source;

pub use device::{AdapterReport, Gpu, adapters};
pub use run::Kernel;
