//! The translation of one program into the languages that carom's own devices do not take.

use naga::Module;
use naga::back::{hlsl, msl};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

use crate::Error;

/// Numbers of 64 bits, which not every device and language has.
const WIDE: Capabilities = Capabilities::FLOAT64.union(Capabilities::SHADER_INT64);

/// Accesses beyond the end of an array, as in wgpu.
const CHECKED: BoundsCheckPolicies = BoundsCheckPolicies {
    index: BoundsCheckPolicy::Restrict,
    buffer: BoundsCheckPolicy::Restrict,
    image_load: BoundsCheckPolicy::Restrict,
    binding_array: BoundsCheckPolicy::Unchecked,
};

/// Which numbers of 64 bits a module has: floating-point ones and integers.
pub fn wide(module: &Module) -> [bool; 2] {
    [Capabilities::FLOAT64, Capabilities::SHADER_INT64].map(|capability| {
        let others = WIDE.difference(capability);
        Validator::new(ValidationFlags::all(), others).validate(module).is_err()
    })
}

/// Translates a module into MSL and HLSL; the languages that it is in, and those that it cannot be
/// in, with the reason.
///
/// # Errors
/// A language that should have the program and has not.
pub fn translate(module: &Module, info: &ModuleInfo) -> Result<Vec<&'static str>, Error> {
    hlsl(module, info, hlsl::ShaderModel::V6_0)?;
    let [doubles, words] = wide(module);
    let msl = match doubles {
        true => "not in MSL, which has no f64",
        false => {
            msl(module, info)?;
            "in MSL"
        }
    };
    let hlsl = match (doubles, words) {
        (true, _) => "not in HLSL of shader model 5.1: f64",
        (_, true) => "not in HLSL of shader model 5.1, which has no u64",
        _ => {
            hlsl(module, info, hlsl::ShaderModel::V5_1)?;
            "in HLSL, shader model 5.1"
        }
    };
    Ok(vec!["in HLSL, shader model 6.0", msl, hlsl])
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
