//! The report on an adapter.

use crate::shading::Limits;

/// Properties of an adapter that users and kernels care about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterReport {
    /// The adapter's name.
    pub name: String,
    /// `vulkan`, `metal`, `dx12`.
    pub backend: String,
    /// `discrete`, `integrated`, `virtual`, `cpu` (software) or `other`.
    pub kind: String,
    /// The adapter's driver, with version.
    pub driver: String,
    /// Whether shaders can compute in f64.
    pub f64: bool,
    /// Largest storage buffer a shader can see, in bytes.
    pub storage_buffer_bytes: u64,
    /// Memory shared by a workgroup, in bytes.
    pub workgroup_memory_bytes: u32,
}

impl AdapterReport {
    pub(super) fn of(adapter: &wgpu::Adapter) -> Self {
        let info = adapter.get_info();
        let limits = adapter.limits();
        let kind = match info.device_type {
            wgpu::DeviceType::DiscreteGpu => "discrete",
            wgpu::DeviceType::IntegratedGpu => "integrated",
            wgpu::DeviceType::VirtualGpu => "virtual",
            wgpu::DeviceType::Cpu => "cpu",
            wgpu::DeviceType::Other => "other",
        };
        AdapterReport {
            name: info.name,
            backend: info.backend.to_str().to_string(),
            kind: kind.to_string(),
            driver: [info.driver, info.driver_info].join(" ").trim().to_string(),
            f64: adapter.features().contains(wgpu::Features::SHADER_F64),
            storage_buffer_bytes: limits.max_storage_buffer_binding_size,
            workgroup_memory_bytes: limits.max_compute_workgroup_storage_size,
        }
    }

    /// Whether this is a GPU rather than software.
    pub fn is_hardware(&self) -> bool {
        self.kind != "cpu"
    }

    /// The limits on which kernels depend.
    pub fn limits(&self) -> Limits<'_> {
        Limits {
            name: &self.name,
            hardware: self.is_hardware(),
            f64: self.f64,
            storage_buffer_bytes: self.storage_buffer_bytes,
            workgroup_memory_bytes: self.workgroup_memory_bytes,
        }
    }

    /// Rank of the adapter among others; the lowest is chosen first.
    pub(super) fn rank(&self) -> usize {
        ["discrete", "integrated", "virtual", "other"]
            .iter()
            .position(|k| *k == self.kind)
            .unwrap_or(4)
    }
}
