//! The GPU engine: the kernels of [`shading`](carom_shaders) on Vulkan, Metal or DX12, through
//! wgpu.

mod adapter;
mod batch;
mod build;
mod device;
mod memory;
pub mod module;
pub mod pace;
pub mod peak;
mod posed;
pub mod reduction;
mod run;
mod sample;
pub mod spirv;

pub use adapter::AdapterReport;
pub(crate) use batch::GpuBatch;
pub use device::{Gpu, adapters};
pub use reduction::{Reduction, Repairer};
pub use run::{Kernel, require_kernel};

/// Whether this build has a GPU engine.
pub(crate) const BUILT: bool = true;
/// The reason why `auto` means the CPU.
pub(crate) const NONE: &str = "there is no hardware GPU adapter";
