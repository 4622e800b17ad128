//! Programs for Vulkan whose operations round one by one, to the nearest number, as in Rust.
//!
//! A Vulkan driver may contract `a * b + c` into one operation that rounds once, unless each
//! operation is decorated `NoContraction`, which WGSL cannot say and naga does not write. Where
//! sums cancel exactly in Rust, contracted ones leave a rest, and contacts take other modes. It may
//! also divide f32 to 2.5 units in the last place; a quotient in f64 that is rounded to f32 is the
//! nearest number, because 53 bits are more than twice 24 and 2 \[F95\], and so is a root.

use std::collections::HashMap;

use naga::back::spv;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{AddressSpace, GlobalVariable, Module, StorageAccess};

use crate::error::{Error, Result};
use crate::shading::header::WORKGROUP;

/// What a device must have for [`Exact::module`].
pub const PASSTHROUGH: wgpu::Features = wgpu::Features::PASSTHROUGH_SHADERS;

/// How a program is translated.
#[derive(Clone, Copy, Debug)]
pub struct Exact<'a> {
    /// The name of the program.
    pub name: &'a str,
    /// The only entry point of the program.
    pub entry_point: &'a str,
    /// Whether the memory of workgroups begins with zeros.
    pub zeroed: bool,
    /// Whether quotients and roots of f32 are computed in f64, which the device must have.
    pub quotients: bool,
}

impl Exact<'_> {
    /// The program with a WGSL text on a Vulkan device with [`PASSTHROUGH`], and the bindings that
    /// it uses.
    ///
    /// # Errors
    /// A text that is no WGSL.
    pub fn module(
        &self,
        device: &wgpu::Device,
        text: &str,
    ) -> Result<(wgpu::ShaderModule, Vec<wgpu::BindGroupLayoutEntry>)> {
        let (words, bindings) =
            self.translate(text).map_err(|e| Error::device(format!("{}: {e}", self.name)))?;
        let entry_point = wgpu::PassthroughShaderEntryPoint {
            name: self.entry_point.into(),
            workgroup_size: (WORKGROUP, 1, 1),
        };
        // SAFETY: naga has written the words from a text that it has validated. A compiler may
        // assume that a loop without end is never entered. All loops of `shaders/` end: they count
        // to a limit, walk the bits of a word, or the cycles of a permutation.
        let module = unsafe {
            device.create_shader_module_passthrough(wgpu::ShaderModuleDescriptorPassthrough {
                label: Some(self.name),
                entry_points: vec![entry_point].into(),
                spirv: Some(words.into()),
                ..Default::default()
            })
        };
        Ok((module, bindings))
    }

    /// The words of a WGSL text, translated as wgpu does, and its bindings.
    fn translate(
        &self,
        text: &str,
    ) -> std::result::Result<(Vec<u32>, Vec<wgpu::BindGroupLayoutEntry>), String> {
        let module = naga::front::wgsl::parse_str(text).map_err(|e| e.emit_to_string(text))?;
        let capabilities = Capabilities::FLOAT64 | Capabilities::SHADER_INT64;
        let info = Validator::new(ValidationFlags::all(), capabilities)
            .validate(&module)
            .map_err(|e| e.emit_to_string(text))?;
        let bindings = bindings(&module, &info);
        // wgpu numbers the bindings of a layout without gaps.
        let place = |(n, entry): (usize, &wgpu::BindGroupLayoutEntry)| {
            let at = naga::ResourceBinding { group: 0, binding: entry.binding };
            let binding = n as u32;
            (at, spv::BindingInfo { descriptor_set: 0, binding, binding_array_size: None })
        };
        let options = spv::Options {
            lang_version: (1, 3),
            binding_map: bindings.iter().enumerate().map(place).collect(),
            bounds_check_policies: BoundsCheckPolicies {
                index: BoundsCheckPolicy::Restrict,
                // wgpu opens devices with robust access to buffers.
                buffer: BoundsCheckPolicy::Unchecked,
                image_load: BoundsCheckPolicy::Restrict,
                binding_array: BoundsCheckPolicy::Unchecked,
            },
            zero_initialize_workgroup_memory: match self.zeroed {
                true => spv::ZeroInitializeWorkgroupMemoryMode::Polyfill,
                false => spv::ZeroInitializeWorkgroupMemoryMode::None,
            },
            // Otherwise every loop has a bound of 2^64 rounds, and compilers unroll it.
            force_loop_bounding: false,
            ..spv::Options::default()
        };
        let words = spv::write_vec(&module, &info, &options, None).map_err(|e| e.to_string())?;
        let words = if self.quotients { in_double(&words) } else { words };
        Ok((uncontracted(&words), bindings))
    }
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

/// Number of words before the first instruction, and the place of the bound of all names there.
const HEADER: usize = 5;
const BOUND: usize = 3;

// Numbers of instructions.
const CAPABILITY: u32 = 17;
const EXTENDED: u32 = 12;
const TYPES: std::ops::RangeInclusive<u32> = 19..=39;
const TYPE_FLOAT: u32 = 22;
const DECORATE: u32 = 71;
const CONVERT_FLOAT: u32 = 115;
const DIVIDE: u32 = 136;
/// Arithmetic of floating-point numbers: negative, sum, difference, product, quotient, remainders,
/// products with and of vectors.
const ARITHMETIC: [u32; 11] = [127, 129, 131, 133, DIVIDE, 140, 141, 142, 143, 145, 148];

const NO_CONTRACTION: u32 = 42;
const FLOAT64: u32 = 10;
const SQRT: u32 = 31;

/// The instructions of a module, each with its number in the first word.
fn instructions(words: &[u32]) -> impl Iterator<Item = (u32, &[u32])> {
    let mut rest = &words[HEADER..];
    std::iter::from_fn(move || {
        let first = *rest.first()?;
        let (one, others) = rest.split_at_checked((first >> 16).max(1) as usize)?;
        rest = others;
        Some((first & 0xffff, one))
    })
}

/// The first word of an instruction.
fn first_word(operation: u32, length: u32) -> u32 {
    length << 16 | operation
}

/// The module whose arithmetic of floating-point numbers is decorated `NoContraction`.
fn uncontracted(words: &[u32]) -> Vec<u32> {
    let decorations: Vec<u32> = instructions(words)
        .filter(|(operation, _)| ARITHMETIC.contains(operation))
        .flat_map(|(_, one)| [first_word(DECORATE, 3), one[2], NO_CONTRACTION])
        .collect();
    let mut result = words[..HEADER].to_vec();
    let mut decorated = false;
    for (operation, one) in instructions(words) {
        // Decorations end where types begin.
        if !decorated && TYPES.contains(&operation) {
            result.extend(&decorations);
            decorated = true;
        }
        result.extend(one);
    }
    result
}

/// The module whose quotients and roots of f32 are computed in f64.
fn in_double(words: &[u32]) -> Vec<u32> {
    let floats: HashMap<u32, u32> = instructions(words)
        .filter(|(operation, _)| *operation == TYPE_FLOAT)
        .map(|(_, one)| (one[2], one[1]))
        .collect();
    let Some(&single) = floats.get(&32) else { return words.to_vec() };
    let mut bound = words[BOUND];
    let mut name = || {
        bound += 1;
        bound - 1
    };
    let double = floats.get(&64).copied().unwrap_or_else(&mut name);
    let mut result = words[..HEADER].to_vec();
    if !floats.contains_key(&64) {
        result.extend([first_word(CAPABILITY, 2), FLOAT64]);
    }
    for (operation, one) in instructions(words) {
        let inexact = match operation {
            DIVIDE => one[1] == single,
            EXTENDED => one[1] == single && one[4] == SQRT,
            _ => false,
        };
        if !inexact {
            result.extend(one);
            if operation == TYPE_FLOAT && one[1] == single && !floats.contains_key(&64) {
                result.extend([first_word(TYPE_FLOAT, 3), double, 64]);
            }
            continue;
        }
        let operands = if operation == DIVIDE { 3 } else { 5 };
        let mut wide = one.to_vec();
        for operand in &mut wide[operands..] {
            let converted = name();
            result.extend([first_word(CONVERT_FLOAT, 4), double, converted, *operand]);
            *operand = converted;
        }
        let exact = name();
        (wide[1], wide[2]) = (double, exact);
        result.extend(wide);
        result.extend([first_word(CONVERT_FLOAT, 4), single, one[2], exact]);
    }
    result[BOUND] = bound;
    result
}
