//! The GPU engine: the kernels of [`shading`](carom_shaders) on Vulkan, Metal or DX12, through
//! wgpu.

mod adapter;
pub mod batch;
pub mod build;
pub mod device;
pub mod memory;
pub mod module;
mod pace;
pub mod peak;
pub mod reduction;
pub mod repair;
pub mod run;
pub mod spirv;

pub use adapter::AdapterReport;
pub use batch::{GpuBatch, Start};
pub use device::{Gpu, adapters};
pub use reduction::Reduction;
pub use repair::Repairer;
pub use run::{Kernel, require_kernel};
