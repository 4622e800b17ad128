//! The translation of one program.

use naga::back::{hlsl, msl, spv};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ModuleInfo, ValidationError, ValidationFlags, Validator};
use naga::{AddressSpace, Module, WithSpan};

use crate::Error;

/// The bindings of a program, and whether each is a uniform.
pub type Bindings = Vec<(u32, bool)>;

/// What became of a program.
pub struct Translated {
    /// The words of the SPIR-V.
    pub spirv: Vec<u32>,
    /// The bindings that the entry point uses.
    pub bindings: Bindings,
    /// The languages that it is in, and those that it cannot be in, with the reason.
    pub lines: Vec<&'static str>,
}

/// Numbers of 64 bits, which not every device and language has.
const WIDE: Capabilities = Capabilities::FLOAT64.union(Capabilities::SHADER_INT64);

/// Accesses beyond the end of an array, as in wgpu.
const CHECKED: BoundsCheckPolicies = BoundsCheckPolicies {
    index: BoundsCheckPolicy::Restrict,
    buffer: BoundsCheckPolicy::Restrict,
    image_load: BoundsCheckPolicy::Restrict,
    binding_array: BoundsCheckPolicy::Unchecked,
};

/// Translates a WGSL text.
///
/// # Errors
/// A text that is no WGSL; a language that should have the program and has not.
pub fn translate(text: &str) -> Result<Translated, Error> {
    let module = naga::front::wgsl::parse_str(text).map_err(|error| error.emit_to_string(text))?;
    let info = valid(&module, WIDE).map_err(|error| error.emit_to_string(text))?;
    let needs = |capability: Capabilities| valid(&module, WIDE.difference(capability)).is_err();
    let (doubles, words) = (needs(Capabilities::FLOAT64), needs(Capabilities::SHADER_INT64));
    let spirv = spirv(&module, &info)?;
    hlsl(&module, &info, hlsl::ShaderModel::V6_0)?;
    let mut lines = vec!["in SPIR-V", "in HLSL, shader model 6.0"];
    lines.push(if doubles {
        "not in MSL, which has no f64"
    } else {
        msl(&module, &info)?;
        "in MSL"
    });
    lines.push(match (doubles, words) {
        (true, _) => "not in HLSL of shader model 5.1: f64",
        (_, true) => "not in HLSL of shader model 5.1, which has no u64",
        _ => {
            hlsl(&module, &info, hlsl::ShaderModel::V5_1)?;
            "in HLSL, shader model 5.1"
        }
    });
    Ok(Translated { spirv, bindings: bindings(&module, &info), lines })
}

/// Checks a module for devices with these capabilities.
fn valid(
    module: &Module,
    capabilities: Capabilities,
) -> Result<ModuleInfo, Box<WithSpan<ValidationError>>> {
    Validator::new(ValidationFlags::all(), capabilities).validate(module).map_err(Box::new)
}

fn bindings(module: &Module, info: &ModuleInfo) -> Bindings {
    let entry = info.get_entry_point(0);
    (module.global_variables.iter())
        .filter(|(global, _)| !entry[*global].is_empty())
        .filter_map(|(_, variable)| {
            Some((variable.binding.as_ref()?.binding, variable.space == AddressSpace::Uniform))
        })
        .collect()
}

fn spirv(module: &Module, info: &ModuleInfo) -> Result<Vec<u32>, Error> {
    let options = spv::Options {
        lang_version: (1, 3),
        bounds_check_policies: CHECKED,
        force_loop_bounding: false,
        ..spv::Options::default()
    };
    Ok(spv::write_vec(module, info, &options, None)?)
}

fn msl(module: &Module, info: &ModuleInfo) -> Result<String, Error> {
    let options = msl::Options {
        lang_version: (2, 4),
        bounds_check_policies: CHECKED,
        force_loop_bounding: false,
        ..msl::Options::default()
    };
    let (text, written) =
        msl::write_string(module, info, &options, &msl::PipelineOptions::default())?;
    written.entry_point_names.into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(text)
}

fn hlsl(
    module: &Module,
    info: &ModuleInfo,
    shader_model: hlsl::ShaderModel,
) -> Result<String, Error> {
    let options =
        hlsl::Options { shader_model, force_loop_bounding: false, ..hlsl::Options::default() };
    let pipeline = hlsl::PipelineOptions::default();
    let mut text = String::new();
    let written = hlsl::Writer::new(&mut text, &options, &pipeline).write(module, info, None)?;
    written.entry_point_names.into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(text)
}
