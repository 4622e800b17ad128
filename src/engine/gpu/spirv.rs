//! Programs for Vulkan whose additions and multiplications round one by one, as in Rust.
//!
//! A Vulkan driver may contract `a * b + c` into one operation that rounds once, unless each
//! operation is decorated `NoContraction`, which WGSL cannot say and naga does not write. Where
//! sums cancel exactly in Rust, contracted ones leave a rest, and contacts take other modes.

use naga::back::spv;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{AddressSpace, GlobalVariable, Module, StorageAccess};

/// A program in SPIR-V.
pub(super) struct Translated {
    pub(super) words: Vec<u32>,
    /// The bindings that the entry point uses.
    pub(super) bindings: Vec<wgpu::BindGroupLayoutEntry>,
}

/// Translates a WGSL text with one entry point, as wgpu does, and decorates its arithmetic.
/// `zeroed`: whether the memory of workgroups begins with zeros; `checks`: whether each access to
/// an array is kept within it.
///
/// # Errors
/// A text that is no WGSL, in words.
pub(super) fn translate(text: &str, zeroed: bool, checks: bool) -> Result<Translated, String> {
    let module = naga::front::wgsl::parse_str(text).map_err(|e| e.emit_to_string(text))?;
    let capabilities = Capabilities::FLOAT64 | Capabilities::SHADER_INT64;
    let info = Validator::new(ValidationFlags::all(), capabilities)
        .validate(&module)
        .map_err(|e| e.emit_to_string(text))?;
    let bindings = bindings(&module, &info);
    // wgpu numbers the bindings of a layout without gaps.
    let place = |(n, entry): (usize, &wgpu::BindGroupLayoutEntry)| {
        let at = naga::ResourceBinding { group: 0, binding: entry.binding };
        let to =
            spv::BindingInfo { descriptor_set: 0, binding: n as u32, binding_array_size: None };
        (at, to)
    };
    let options = spv::Options {
        lang_version: (1, 3),
        binding_map: bindings.iter().enumerate().map(place).collect(),
        bounds_check_policies: BoundsCheckPolicies {
            index: match checks {
                true => BoundsCheckPolicy::Restrict,
                false => BoundsCheckPolicy::Unchecked,
            },
            // wgpu opens devices with robust access to buffers.
            buffer: BoundsCheckPolicy::Unchecked,
            image_load: BoundsCheckPolicy::Restrict,
            binding_array: BoundsCheckPolicy::Unchecked,
        },
        zero_initialize_workgroup_memory: match zeroed {
            true => spv::ZeroInitializeWorkgroupMemoryMode::Polyfill,
            false => spv::ZeroInitializeWorkgroupMemoryMode::None,
        },
        // Otherwise every loop has a bound of 2^64 rounds, and compilers unroll it.
        force_loop_bounding: false,
        ..spv::Options::default()
    };
    let words = spv::write_vec(&module, &info, &options, None).map_err(|e| e.to_string())?;
    Ok(Translated { words: uncontracted(&words), bindings })
}

/// The bindings that the entry point uses, in their order.
fn bindings(module: &Module, info: &ModuleInfo) -> Vec<wgpu::BindGroupLayoutEntry> {
    let entry = info.get_entry_point(0);
    let mut bindings: Vec<_> = (module.global_variables.iter())
        .filter(|(global, _)| !entry[*global].is_empty())
        .filter_map(|(_, variable)| {
            Some(wgpu::BindGroupLayoutEntry {
                binding: variable.binding.as_ref()?.binding,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty: buffer_type(variable),
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            })
        })
        .collect();
    bindings.sort_by_key(|entry| entry.binding);
    bindings
}

fn buffer_type(variable: &GlobalVariable) -> wgpu::BufferBindingType {
    match variable.space {
        AddressSpace::Storage { access } => {
            wgpu::BufferBindingType::Storage { read_only: !access.contains(StorageAccess::STORE) }
        }
        _ => wgpu::BufferBindingType::Uniform,
    }
}

// Words of SPIR-V: an instruction begins with its length and its number.
const HEADER: usize = 5;
const OP_DECORATE: u32 = 71;
const NO_CONTRACTION: u32 = 42;

/// The first type of a module, after its decorations.
const TYPES: std::ops::RangeInclusive<u32> = 19..=39;

/// Arithmetic of floating-point numbers, from OpFNegate to OpDot, with that of integers between.
const ARITHMETIC: [u32; 11] = [127, 129, 131, 133, 136, 140, 141, 142, 143, 145, 148];

/// A module in which each arithmetic operation of floating-point numbers is decorated
/// `NoContraction`.
fn uncontracted(words: &[u32]) -> Vec<u32> {
    let (mut first_type, mut decorations) = (None, Vec::new());
    let mut at = HEADER;
    while at < words.len() {
        let (length, operation) = ((words[at] >> 16) as usize, words[at] & 0xffff);
        if first_type.is_none() && TYPES.contains(&operation) {
            first_type = Some(at);
        }
        if ARITHMETIC.contains(&operation) {
            decorations.extend([3 << 16 | OP_DECORATE, words[at + 2], NO_CONTRACTION]);
        }
        at += length.max(1);
    }
    let (before, after) = words.split_at(first_type.unwrap_or(words.len()));
    [before, &decorations, after].concat()
}
