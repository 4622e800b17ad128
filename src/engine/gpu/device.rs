//! An open device that reports its loss instead of bringing the program down.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::adapter::AdapterReport;
use super::module::{PASSTHROUGH, infinities, module};
use super::spirv::Translation;
use crate::{Device, DeviceInfo};
use carom_core::error::{Error, Result};
use carom_shaders::{KernelShape, Program, Variant};

fn open_adapters() -> Vec<(AdapterReport, wgpu::Adapter)> {
    let backends = wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12;
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.backends = backends;
    let instance = wgpu::Instance::new(descriptor);
    let all = pollster::block_on(instance.enumerate_adapters(backends)).into_iter();
    let mut adapters: Vec<_> = all.map(|one| (AdapterReport::of(&one), one)).collect();
    adapters.sort_by_key(|(report, _)| report.rank());
    adapters
}

/// Every adapter, best first.
pub fn adapters() -> Vec<AdapterReport> {
    open_adapters().into_iter().map(|(report, _)| report).collect()
}

/// An open device, with a cache of pipelines.
pub struct Gpu {
    /// The device itself.
    pub device: wgpu::Device,
    pub(super) queue: wgpu::Queue,
    pipelines: Mutex<HashMap<(&'static str, KernelShape), wgpu::ComputePipeline>>,
    /// The report on the adapter.
    pub report: AdapterReport,
    pub(super) variant: Variant,
    why: String,
    /// Widths in bits of the floating-point types whose infinities the driver can preserve.
    infinities: Vec<u32>,
    trouble: Arc<Mutex<Option<String>>>,
}

impl std::fmt::Debug for Gpu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gpu").field("report", &self.report).finish_non_exhaustive()
    }
}

/// A lock whose content stays valid when a thread died holding it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Gpu {
    /// Opens the adapter that `wanted` selects; `None` if `wanted` selects the CPU.
    ///
    /// `Auto` takes the best hardware adapter, never a software one.
    pub fn open(wanted: &Device) -> Result<Option<Gpu>> {
        // The driver is not even loaded for a run on the CPU.
        let mut all = if *wanted == Device::Cpu { return Ok(None) } else { open_adapters() };
        let names = all.iter().map(|(r, _)| r.name.clone()).collect::<Vec<_>>().join(", ");
        let hint = if all.is_empty() {
            "there is no Vulkan, Metal or DX12 adapter; on Debian or Ubuntu `apt-get install mesa-vulkan-drivers` \
             brings a software one, and --device cpu needs none"
                .to_string()
        } else {
            format!("adapters here: {names}; see `carom doctor`")
        };
        let (found, why) = match wanted {
            Device::Cpu | Device::Auto => match all.iter().position(|(r, _)| r.is_hardware()) {
                Some(i) => (Some(i), "the first hardware adapter".to_string()),
                None => return Ok(None),
            },
            Device::Gpu => ((!all.is_empty()).then_some(0), "asked for".to_string()),
            Device::Named(name) => {
                let reports: Vec<_> = all.iter().map(|(report, _)| report.clone()).collect();
                (AdapterReport::named(&reports, name), "asked for".to_string())
            }
        };
        let Some(index) = found else {
            let what = match wanted {
                Device::Named(name) => format!("no adapter is called `{name}`"),
                _ => "no GPU adapter".to_string(),
            };
            return Err(Error::device(what).option("device").hint(hint));
        };
        let (report, adapter) = all.swap_remove(index);
        let optional = wgpu::Features::SHADER_F64
            | wgpu::Features::SHADER_INT64
            | wgpu::Features::TIMESTAMP_QUERY
            | PASSTHROUGH;
        let (device, queue) = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("carom"),
            required_features: adapter.features() & optional,
            required_limits: adapter.limits(),
            ..Default::default()
        }))
        .map_err(|e| Error::device(format!("{} does not open: {e}", report.name)))
        .map_err(|error| error.option("device"))?;
        let trouble = Arc::new(Mutex::new(None));
        let first = |slot: &Mutex<Option<String>>, text: String| {
            lock(slot).get_or_insert(text);
        };
        let slot = Arc::clone(&trouble);
        device.on_uncaptured_error(Arc::new(move |e: wgpu::Error| first(&slot, e.to_string())));
        let slot = Arc::clone(&trouble);
        device.set_device_lost_callback(move |reason, text| {
            if reason != wgpu::DeviceLostReason::Destroyed {
                first(&slot, format!("device lost: {text}"));
            }
        });
        let pipelines = Mutex::new(HashMap::new());
        let mut gpu = Gpu {
            device,
            queue,
            pipelines,
            report,
            variant: Variant::default(),
            why,
            infinities: infinities(&adapter),
            trouble,
        };
        let int64 = gpu.device.features().contains(wgpu::Features::SHADER_INT64);
        gpu.variant = Variant::usual(gpu.report.is_hardware(), int64, gpu.report.f64);
        Ok(Some(gpu))
    }

    /// The variant in use.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// Selects another variant for tests, without features that the device lacks.
    pub fn set_variant(&mut self, wanted: Variant) {
        let int64 = self.device.features().contains(wgpu::Features::SHADER_INT64);
        self.variant = Variant {
            wide_products: wanted.wide_products && int64,
            device_repair: wanted.device_repair && self.report.f64,
            ..wanted
        };
        self.forget();
    }

    /// Clears the cache of pipelines.
    pub fn forget(&self) {
        lock(&self.pipelines).clear();
    }

    /// The device, as runs report it.
    pub fn info(&self) -> DeviceInfo {
        DeviceInfo {
            kind: "gpu",
            software: !self.report.is_hardware(),
            name: self.report.name.clone(),
            backend: self.report.backend.clone(),
            why: self.why.clone(),
            threads: None,
        }
    }

    /// Whether the device itself recomputes flagged samples in f64.
    pub fn repairs(&self) -> bool {
        self.variant.device_repair
    }

    /// The pipeline of a program for problems of a shape, built at its first use.
    pub(super) fn pipeline(
        &self,
        program: &Program,
        shape: &KernelShape,
    ) -> Result<wgpu::ComputePipeline> {
        let mut pipelines = lock(&self.pipelines);
        if let Some(pipeline) = pipelines.get(&(program.name, *shape)) {
            return Ok(pipeline.clone());
        }
        let text = program.source(shape, &self.variant);
        let Program { name, entry_point, zeroed, rounded, .. } = *program;
        let translation = self.translation(rounded, zeroed);
        let (module, bindings) = module(&self.device, [name, entry_point], &text, translation)?;
        let layout = bindings.map(|bindings| {
            let group = self.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some(name),
                entries: &bindings,
            });
            self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some(name),
                bind_group_layouts: &[Some(&group)],
                ..Default::default()
            })
        });
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(name),
            layout: layout.as_ref(),
            module: &module,
            entry_point: Some(entry_point),
            compilation_options: wgpu::PipelineCompilationOptions {
                zero_initialize_workgroup_memory: zeroed,
                ..Default::default()
            },
            cache: None,
        });
        self.check()?;
        pipelines.insert((name, *shape), pipeline.clone());
        Ok(pipeline)
    }

    /// The translation of a program on this device. With `rounded`, sums and products round one by
    /// one, as in Rust. `None` if the device accepts WGSL only.
    pub fn translation(&self, rounded: bool, zeroed: bool) -> Option<Translation<'_>> {
        let takes = self.report.backend == "vulkan" && self.device.features().contains(PASSTHROUGH);
        takes.then_some(Translation { rounded, zeroed, infinities: &self.infinities })
    }

    /// The first error that the device has reported.
    pub(super) fn check(&self) -> Result<()> {
        match lock(&self.trouble).as_ref() {
            None => Ok(()),
            Some(text) => Err(Error::device(format!("{}: {text}", self.report.name))
                .hint("run with --device cpu, or with fewer samples at a time")),
        }
    }
}
