//! What a Vulkan driver makes of a program: registers, scratch memory, size, and the time that it
//! takes. Drivers of the devices of other machines compile too, where they need no device: RADV
//! with `RADV_FORCE_FAMILY=navi21`.

use std::time::Instant;

use ash::{Device, Entry, Instance, khr, vk};

use crate::Error;
use crate::spirv::{self, Bound, Buffer};

/// An instance of Vulkan, which ends with this value.
struct Vulkan {
    instance: Instance,
    _entry: Entry,
}

impl Vulkan {
    fn open() -> Result<Self, Error> {
        let application =
            vk::ApplicationInfo::default().api_version(vk::make_api_version(0, 1, 2, 0));
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        // SAFETY: the loader is a sound library, which outlives the instance.
        unsafe {
            let entry = Entry::load()?;
            Ok(Vulkan { instance: entry.create_instance(&info, None)?, _entry: entry })
        }
    }
}

impl Drop for Vulkan {
    fn drop(&mut self) {
        // SAFETY: nothing else uses it any more.
        unsafe { self.instance.destroy_instance(None) }
    }
}

/// A Vulkan device whose driver tells what it makes of programs.
pub struct Compiler {
    executables: khr::pipeline_executable_properties::Device,
    device: Device,
    _vulkan: Vulkan,
    /// The name of the device.
    pub name: String,
    /// Whether the device has floating-point numbers and integers of 64 bits.
    pub wide: [bool; 2],
    /// The widths of numbers, in bits, whose infinities the driver can be told to keep.
    pub infinities: Vec<u32>,
}

impl Compiler {
    /// Opens the first device whose name contains `wanted` and that has the extension
    /// `VK_KHR_pipeline_executable_properties`.
    ///
    /// # Errors
    /// No such device.
    pub fn open(wanted: &str) -> Result<Self, Error> {
        let vulkan = Vulkan::open()?;
        let instance = &vulkan.instance;
        // SAFETY: each handle is used while its parent lives.
        unsafe {
            for physical in instance.enumerate_physical_devices()? {
                let properties = instance.get_physical_device_properties(physical);
                let name = properties.device_name_as_c_str()?.to_string_lossy().into_owned();
                let extension = khr::pipeline_executable_properties::NAME;
                let has = instance.enumerate_device_extension_properties(physical)?;
                let tells =
                    has.iter().any(|it| it.extension_name_as_c_str().is_ok_and(|n| n == extension));
                if !tells || !name.contains(wanted) {
                    continue;
                }
                let mut tell = vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default()
                    .pipeline_executable_info(true);
                let has = instance.get_physical_device_features(physical);
                let wide = [has.shader_float64, has.shader_int64].map(|has| has != 0);
                let features = vk::PhysicalDeviceFeatures::default()
                    .shader_float64(wide[0])
                    .shader_int64(wide[1]);
                let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
                let extensions = [extension.as_ptr()];
                let info = vk::DeviceCreateInfo::default()
                    .queue_create_infos(&queues)
                    .enabled_extension_names(&extensions)
                    .enabled_features(&features)
                    .push_next(&mut tell);
                let device = instance.create_device(physical, &info, None)?;
                let executables =
                    khr::pipeline_executable_properties::Device::new(instance, &device);
                let infinities = spirv::infinities(instance, physical);
                return Ok(Compiler {
                    executables,
                    device,
                    _vulkan: vulkan,
                    name,
                    wide,
                    infinities,
                });
            }
        }
        Err(format!("no device called `{wanted}` tells what it makes of programs").into())
    }

    /// Compiles a program; the seconds, and what the driver tells of the result.
    ///
    /// # Errors
    /// A driver that refuses the program.
    pub fn compile(
        &self,
        spirv: &[u32],
        entry_point: &str,
        bindings: &[Bound],
    ) -> Result<(f64, Vec<(String, String)>), Error> {
        let device = &self.device;
        let entry_point = std::ffi::CString::new(entry_point)?;
        let bindings: Vec<_> = bindings
            .iter()
            .zip(0..)
            .map(|(bound, place)| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(place)
                    .descriptor_type(match bound.buffer {
                        Buffer::Uniform => vk::DescriptorType::UNIFORM_BUFFER,
                        _ => vk::DescriptorType::STORAGE_BUFFER,
                    })
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
            })
            .collect();
        // SAFETY: as in `open`; the descriptions outlive the calls that read them.
        unsafe {
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let set = device.create_descriptor_set_layout(&info, None)?;
            let info =
                vk::PipelineLayoutCreateInfo::default().set_layouts(std::slice::from_ref(&set));
            let layout = device.create_pipeline_layout(&info, None)?;
            let info = vk::ShaderModuleCreateInfo::default().code(spirv);
            let module = device.create_shader_module(&info, None)?;
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(&entry_point);
            let info = vk::ComputePipelineCreateInfo::default()
                .flags(vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR)
                .stage(stage)
                .layout(layout);
            let start = Instant::now();
            let made = device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
            let seconds = start.elapsed().as_secs_f64();
            let told = match made {
                Ok(pipelines) => {
                    let told = self.statistics(pipelines[0]);
                    device.destroy_pipeline(pipelines[0], None);
                    told
                }
                Err((_, error)) => Err(error),
            };
            device.destroy_shader_module(module, None);
            device.destroy_pipeline_layout(layout, None);
            device.destroy_descriptor_set_layout(set, None);
            Ok((seconds, told?))
        }
    }

    /// The names and values of what the driver tells of a pipeline.
    ///
    /// # Safety
    /// A pipeline of this device that captures its statistics.
    unsafe fn statistics(
        &self,
        pipeline: vk::Pipeline,
    ) -> Result<Vec<(String, String)>, vk::Result> {
        use vk::PipelineExecutableStatisticFormatKHR as Format;
        let info = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline);
        // SAFETY: as the caller promises; each value is read as its format says.
        unsafe {
            let all = self.executables.get_pipeline_executable_statistics(&info)?;
            Ok(all
                .iter()
                .map(|one| {
                    let name = one.name_as_c_str().map(|name| name.to_string_lossy().into_owned());
                    let value = match one.format {
                        Format::BOOL32 => (one.value.b32 != 0).to_string(),
                        Format::INT64 => one.value.i64.to_string(),
                        Format::UINT64 => one.value.u64.to_string(),
                        _ => one.value.f64.to_string(),
                    };
                    (name.unwrap_or_default(), value)
                })
                .collect())
        }
    }
}

impl Drop for Compiler {
    fn drop(&mut self) {
        // SAFETY: nothing else uses it any more, and the instance ends after it.
        unsafe { self.device.destroy_device(None) }
    }
}
