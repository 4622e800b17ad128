//! What a Vulkan driver makes of a program: registers, scratch memory, size, and the time that it
//! takes. Drivers of the devices of other machines compile too, where they need no device: RADV
//! with `RADV_FORCE_FAMILY=navi21`.

use std::time::Instant;

use ash::{Device, Entry, Instance, khr, vk};

use crate::Error;
use crate::translate::Bindings;

/// A Vulkan device whose driver tells what it makes of programs.
pub struct Compiler {
    executables: khr::pipeline_executable_properties::Device,
    device: Device,
    instance: Instance,
    _entry: Entry,
    /// The name of the device.
    pub name: String,
}

impl Compiler {
    /// Opens the first device whose name contains `wanted` and that has the extension
    /// `VK_KHR_pipeline_executable_properties`.
    ///
    /// # Errors
    /// No such device.
    pub fn open(wanted: &str) -> Result<Self, Error> {
        // SAFETY: the loader is a sound library; each handle is used while its parent lives, and
        // `drop` destroys them, children first.
        unsafe {
            let entry = Entry::load()?;
            let application =
                vk::ApplicationInfo::default().api_version(vk::make_api_version(0, 1, 2, 0));
            let info = vk::InstanceCreateInfo::default().application_info(&application);
            let instance = entry.create_instance(&info, None)?;
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
                let wide =
                    vk::PhysicalDeviceFeatures::default().shader_float64(true).shader_int64(true);
                let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
                let extensions = [extension.as_ptr()];
                let info = vk::DeviceCreateInfo::default()
                    .queue_create_infos(&queues)
                    .enabled_extension_names(&extensions)
                    .enabled_features(&wide)
                    .push_next(&mut tell);
                let device = instance.create_device(physical, &info, None)?;
                let executables =
                    khr::pipeline_executable_properties::Device::new(&instance, &device);
                return Ok(Compiler { executables, device, instance, _entry: entry, name });
            }
            instance.destroy_instance(None);
            Err(format!("no device called `{wanted}` tells what it makes of programs").into())
        }
    }

    /// Compiles a program; the seconds, and what the driver tells of the result.
    ///
    /// # Errors
    /// A driver that refuses the program.
    pub fn compile(
        &self,
        spirv: &[u32],
        entry_point: &str,
        bindings: &Bindings,
    ) -> Result<(f64, Vec<(String, String)>), Error> {
        let device = &self.device;
        let entry_point = std::ffi::CString::new(entry_point)?;
        let bindings: Vec<_> = bindings
            .iter()
            .map(|&(binding, uniform)| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_type(match uniform {
                        true => vk::DescriptorType::UNIFORM_BUFFER,
                        false => vk::DescriptorType::STORAGE_BUFFER,
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
        // SAFETY: nothing else uses them any more.
        unsafe {
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}
