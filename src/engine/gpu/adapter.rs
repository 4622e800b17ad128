use carom_shaders::Limits;
use schemars::JsonSchema;
use serde::Serialize;

/// Properties of an adapter for users and kernels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Adapter", description = "")]
pub struct AdapterReport {
    /// The adapter's name.
    #[schemars(description = "")]
    pub name: String,
    /// `vulkan`, `metal`, `dx12`.
    #[schemars(description = "")]
    pub backend: String,
    /// `discrete`, `integrated`, `virtual`, `cpu` (software) or `other`.
    #[schemars(description = "")]
    pub kind: String,
    /// The adapter's driver, with version.
    #[schemars(description = "")]
    pub driver: String,
    /// The place of the adapter on the PCI bus; null where it is not known.
    pub pci: Option<String>,
    /// Whether shaders can compute in f64.
    #[schemars(description = "")]
    pub f64: bool,
    /// Largest storage buffer a shader can see, in bytes.
    #[schemars(description = "")]
    pub storage_buffer_bytes: u64,
    /// Memory shared by a workgroup, in bytes.
    #[schemars(description = "")]
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
            pci: Some(info.device_pci_bus_id).filter(|place| !place.is_empty()),
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

    /// The limits that kernels depend on.
    pub fn limits(&self) -> Limits<'_> {
        Limits {
            name: &self.name,
            hardware: self.is_hardware(),
            f64: self.f64,
            storage_buffer_bytes: self.storage_buffer_bytes,
            workgroup_memory_bytes: self.workgroup_memory_bytes,
        }
    }

    /// The index of the adapter with a name. `NAME` selects the first adapter whose name contains
    /// `NAME`, ignoring case. `NAME#K` selects match number K, from 0 on, among the matches with
    /// the backend of the first match. `gpu#K` numbers all adapters.
    pub fn named(all: &[AdapterReport], name: &str) -> Option<usize> {
        let contains =
            |of: &AdapterReport, name: &str| of.name.to_lowercase().contains(&name.to_lowercase());
        let Some((start, number)) = name.rsplit_once('#') else {
            return all.iter().position(|report| contains(report, name));
        };
        let (start, number): (&str, usize) = (start.trim(), number.trim().parse().ok()?);
        let of = |report: &AdapterReport| start == "gpu" || contains(report, start);
        let backend = &all.iter().find(|report| of(report))?.backend;
        let same = |i: &usize| of(&all[*i]) && all[*i].backend == *backend;
        (0..all.len()).filter(same).nth(number)
    }

    /// Rank of the adapter among others; the lowest is chosen first.
    pub(super) fn rank(&self) -> usize {
        let kinds = ["discrete", "integrated", "virtual", "other"];
        kinds.iter().position(|k| *k == self.kind).unwrap_or(4)
    }
}
