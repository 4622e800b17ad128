//! The GPU engine: the kernels of [`shading`](crate::shading) on Vulkan, Metal or DX12, through wgpu.

pub mod batch;
pub mod build;
pub mod device;
pub mod march;
mod memory;
pub mod peak;
pub mod reduction;
pub mod repair;
pub mod run;
mod tuned;

pub use batch::Batch;
pub use device::{AdapterReport, Gpu, adapters};
pub use march::March;
pub use reduction::Reduction;
pub use repair::Repairer;
pub use run::Kernel;
pub use tuned::Tuned;
