//! The module of a program on a device.

use super::spirv::{self, Bound, Buffer, Translation};
use carom_core::error::{Error, Result};
use carom_shaders::header::WORKGROUP;

/// The device feature that translated programs require.
pub const PASSTHROUGH: wgpu::Features = wgpu::Features::PASSTHROUGH_SHADERS;

/// The shader module of a WGSL text with one entry point. With a translation, this crate translates
/// the text, and returns its bindings; the device then needs [`PASSTHROUGH`]. Otherwise wgpu
/// translates, and knows the bindings.
pub fn module(
    device: &wgpu::Device,
    [name, entry_point]: [&str; 2],
    text: &str,
    translation: Option<Translation<'_>>,
) -> Result<(wgpu::ShaderModule, Option<Vec<wgpu::BindGroupLayoutEntry>>)> {
    let translate = |translation: Translation<'_>| {
        let (module, info) = spirv::read(text)?;
        translation.words(&module, &info)
    };
    let translated = translation.map(translate).transpose();
    let translated = translated.map_err(|e| Error::device(format!("{name}: {e}")))?;
    let bindings = translated.as_ref().map(|(_, bindings)| bindings.iter().map(entry).collect());
    // wgpu would bound every loop by 2^64 iterations, and compilers would unroll such loops. All
    // other checks stay.
    let checks = wgpu::ShaderRuntimeChecks { force_loop_bounding: false, ..Default::default() };
    // SAFETY: naga writes the words from a text that it has validated, here or in wgpu. Without a
    // bound, a compiler may assume that a loop without end is never entered. All loops of
    // `shaders/` end: they count to a limit, walk the bits of a word, or the cycles of a
    // permutation.
    let module = unsafe {
        match translated {
            Some((words, _)) => {
                device.create_shader_module_passthrough(wgpu::ShaderModuleDescriptorPassthrough {
                    label: Some(name),
                    entry_points: vec![wgpu::PassthroughShaderEntryPoint {
                        name: entry_point.into(),
                        workgroup_size: (WORKGROUP, 1, 1),
                    }]
                    .into(),
                    spirv: Some(words.into()),
                    ..Default::default()
                })
            }
            None => {
                let source = wgpu::ShaderSource::Wgsl(text.into());
                let text = wgpu::ShaderModuleDescriptor { label: Some(name), source };
                device.create_shader_module_trusted(text, checks)
            }
        }
    };
    Ok((module, bindings))
}

fn entry(bound: &Bound) -> wgpu::BindGroupLayoutEntry {
    let stored = |read_only| wgpu::BufferBindingType::Storage { read_only };
    wgpu::BindGroupLayoutEntry {
        binding: bound.number,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: match bound.buffer {
                Buffer::Uniform => wgpu::BufferBindingType::Uniform,
                Buffer::Read => stored(true),
                Buffer::Written => stored(false),
            },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    }
}

/// Widths in bits of the floating-point types whose infinities the driver of an adapter can
/// preserve.
#[cfg(not(target_vendor = "apple"))]
pub(super) fn infinities(adapter: &wgpu::Adapter) -> Vec<u32> {
    // SAFETY: the adapter lives until the end of this function, and nothing is destroyed.
    let vulkan = unsafe { adapter.as_hal::<wgpu::hal::api::Vulkan>() };
    vulkan.map_or_else(Vec::new, |adapter| {
        let instance = adapter.shared_instance().raw_instance();
        spirv::infinities(instance, adapter.raw_physical_device())
    })
}

#[cfg(target_vendor = "apple")]
pub(super) fn infinities(_: &wgpu::Adapter) -> Vec<u32> {
    Vec::new()
}
