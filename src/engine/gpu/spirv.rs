//! Programs for Vulkan with sums and products that round one by one, as in Rust, and with
//! infinities that survive.
//!
//! A Vulkan driver may contract `a * b + c` into one operation that rounds once, unless each
//! operation is decorated `NoContraction`. A driver may also assume that no number is infinite or
//! NaN, unless the program requests `SignedZeroInfNanPreserve`. WGSL can express neither, and naga
//! writes neither. Where sums cancel exactly in Rust, contracted sums leave a remainder, and
//! contacts take other modes. Under the assumption of finite numbers, a check for finite numbers is
//! always true. Quotients and roots of f32 may still be 2.5 units in the last place away from the
//! nearest number.

use naga::back::spv;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{AddressSpace, Module, StorageAccess};

/// Options of the translation; `carom-programs` reads this file too, with its own naga.
#[derive(Clone, Copy, Debug)]
pub struct Translation<'a> {
    /// Whether sums and products round one by one, and the driver keeps `infinities`.
    pub rounded: bool,
    /// Whether the memory of workgroups is initialized with zeros.
    pub zeroed: bool,
    /// Widths in bits of the floating-point types whose infinities the driver can preserve.
    pub infinities: &'a [u32],
}

/// A binding that the entry point uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The number of the binding in the WGSL text; in the SPIR-V, the index among used bindings.
    pub number: u32,
    /// The type of the buffer.
    pub buffer: Buffer,
}

/// The type of a bound buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// Constants.
    Uniform,
    /// A storage buffer that the program reads.
    Read,
    /// A storage buffer that the program writes.
    Written,
}

/// Parses and validates a WGSL text, for devices with 64-bit numbers.
pub fn read(text: &str) -> Result<(Module, ModuleInfo), String> {
    let module = naga::front::wgsl::parse_str(text).map_err(|e| e.emit_to_string(text))?;
    let capabilities = Capabilities::FLOAT64 | Capabilities::SHADER_INT64;
    let info = Validator::new(ValidationFlags::all(), capabilities)
        .validate(&module)
        .map_err(|e| e.emit_to_string(text))?;
    Ok((module, info))
}

impl Translation<'_> {
    /// The SPIR-V words of a module, and the bindings of its only entry point. The translation is
    /// wgpu's except for loops, which get no bound, and for rounding.
    pub fn words(
        &self,
        module: &Module,
        info: &ModuleInfo,
    ) -> Result<(Vec<u32>, Vec<Bound>), String> {
        let bindings = bindings(module, info);
        // wgpu numbers the bindings of a layout without gaps.
        let place = |(binding, bound): (u32, &Bound)| {
            let at = naga::ResourceBinding { group: 0, binding: bound.number };
            (at, spv::BindingInfo { descriptor_set: 0, binding, binding_array_size: None })
        };
        let options = spv::Options {
            lang_version: (1, 3),
            binding_map: (0..).zip(&bindings).map(place).collect(),
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
            force_loop_bounding: false,
            ..spv::Options::default()
        };
        let words = spv::write_vec(module, info, &options, None).map_err(|e| e.to_string())?;
        let words = if self.rounded { exact(&words, self.infinities) } else { words };
        Ok((words, bindings))
    }
}

/// The bindings that the entry point uses, in their order.
fn bindings(module: &Module, info: &ModuleInfo) -> Vec<Bound> {
    let entry = info.get_entry_point(0);
    let mut bindings: Vec<_> = (module.global_variables.iter())
        .filter(|(global, _)| !entry[*global].is_empty())
        .filter_map(|(_, variable)| {
            let buffer = match variable.space {
                AddressSpace::Storage { access } if access.contains(StorageAccess::STORE) => {
                    Buffer::Written
                }
                AddressSpace::Storage { .. } => Buffer::Read,
                _ => Buffer::Uniform,
            };
            Some(Bound { number: variable.binding.as_ref()?.binding, buffer })
        })
        .collect();
    bindings.sort_by_key(|bound| bound.number);
    bindings
}

/// Number of words before the first instruction.
const HEADER: usize = 5;

// Opcodes.
const EXTENSION: u32 = 10;
const EXECUTION_MODE: u32 = 16;
const CAPABILITY: u32 = 17;
const TYPES: std::ops::RangeInclusive<u32> = 19..=39;
const TYPE_FLOAT: u32 = 22;
const DECORATE: u32 = 71;
/// Negative, sum, difference, product, quotient, remainders, and products of vectors.
const ARITHMETIC: [u32; 14] =
    [127, 129, 131, 133, 136, 140, 141, 142, 143, 144, 145, 146, 147, 148];

const NO_CONTRACTION: u32 = 42;
/// Capability and execution mode `SignedZeroInfNanPreserve`, and their extension.
const KEEPS: u32 = 4466;
const KEEP: u32 = 4461;
const CONTROLS: &[u8; 24] = b"SPV_KHR_float_controls\0\0";

/// The instructions of a module, each with its opcode.
fn instructions(words: &[u32]) -> impl Iterator<Item = (u32, &[u32])> {
    let mut rest = &words[HEADER..];
    std::iter::from_fn(move || {
        let first = *rest.first()?;
        let (one, others) = rest.split_at_checked((first >> 16).max(1) as usize)?;
        rest = others;
        Some((first & 0xffff, one))
    })
}

fn first_word(operation: u32, length: u32) -> u32 {
    length << 16 | operation
}

/// Adds `NoContraction` to the arithmetic of a module, and the modes that preserve infinities of
/// these widths.
fn exact(words: &[u32], infinities: &[u32]) -> Vec<u32> {
    let used = |width: &&u32| {
        instructions(words).any(|(operation, one)| operation == TYPE_FLOAT && one[2] == **width)
    };
    let widths: Vec<u32> = infinities.iter().filter(used).copied().collect();
    let sums = instructions(words).filter(|(operation, _)| ARITHMETIC.contains(operation));
    let decorate = |one: &[u32]| [first_word(DECORATE, 3), one[2], NO_CONTRACTION];
    let decorations: Vec<u32> = sums.flat_map(|(_, one)| decorate(one)).collect();
    let mut result = words[..HEADER].to_vec();
    if !widths.is_empty() {
        result.extend([first_word(CAPABILITY, 2), KEEPS]);
    }
    let (mut extended, mut decorated) = (widths.is_empty(), false);
    for (operation, one) in instructions(words) {
        if !extended && operation != CAPABILITY {
            result.push(first_word(EXTENSION, 1 + CONTROLS.len() as u32 / 4));
            let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |w, &b| w << 8 | u32::from(b));
            result.extend(CONTROLS.chunks(4).map(word));
            extended = true;
        }
        // Decorations end where types begin.
        if !decorated && TYPES.contains(&operation) {
            result.extend(&decorations);
            decorated = true;
        }
        result.extend(one);
        if operation == EXECUTION_MODE {
            let modes =
                widths.iter().flat_map(|&w| [first_word(EXECUTION_MODE, 4), one[1], KEEP, w]);
            result.extend(modes);
        }
    }
    result
}

/// Widths in bits of the floating-point types whose infinities the driver of an instance can
/// preserve.
pub fn infinities(instance: &ash::Instance, device: ash::vk::PhysicalDevice) -> Vec<u32> {
    use ash::vk;
    let mut controls = vk::PhysicalDeviceFloatControlsProperties::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut controls);
    // SAFETY: the device belongs to the instance, of Vulkan 1.1 at least. The properties live
    // longer than the call, which leaves unknown properties unchanged.
    unsafe { instance.get_physical_device_properties2(device, &mut properties) };
    let single = controls.shader_signed_zero_inf_nan_preserve_float32;
    let double = controls.shader_signed_zero_inf_nan_preserve_float64;
    [(single, 32), (double, 64)].into_iter().filter(|(has, _)| *has != 0).map(|(_, w)| w).collect()
}
