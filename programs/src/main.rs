//! Translates the programs that `carom programs FOLDER` writes into SPIR-V, as carom does for its
//! devices, and into MSL and HLSL, as wgpu does. SPIR-V is written into `FOLDER/spirv`. With a part
//! of a device's name, tells what its driver makes of them instead.

mod compile;
#[path = "../../src/engine/gpu/spirv.rs"]
mod spirv;
mod translate;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use compile::Compiler;
use rayon::prelude::*;
use serde_json::Value;
use spirv::{Bound, Buffer, Translation};
use translate::{translate, wide};

type Error = Box<dyn std::error::Error + Send + Sync>;

/// A program and its SPIR-V.
struct Program {
    file: PathBuf,
    module: naga::Module,
    info: naga::valid::ModuleInfo,
    words: Vec<u32>,
    bindings: Vec<Bound>,
}

fn main() -> ExitCode {
    let mut arguments = std::env::args();
    let Some(folder) = arguments.nth(1).map(PathBuf::from) else {
        eprintln!(
            "usage: carom-programs FOLDER [DEVICE [PATTERN]], where `carom programs FOLDER` has written"
        );
        return ExitCode::from(2);
    };
    let done = match (arguments.next(), arguments.next()) {
        (None, _) => run(&folder),
        (Some(device), pattern) => compile(&folder, &device, &pattern.unwrap_or_default()),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{}: {error}", folder.display());
            ExitCode::FAILURE
        }
    }
}

/// The list of the programs in a folder.
fn listed(folder: &Path) -> Result<Vec<Value>, Error> {
    let index: Value = serde_json::from_slice(&std::fs::read(folder.join("index.json"))?)?;
    Ok(index["programs"].as_array().ok_or("index.json lists no programs")?.clone())
}

/// A listed program: the name of its file, its module, and its translation for drivers that keep
/// the infinities of numbers of these widths, with the bindings.
fn read(folder: &Path, program: &Value, infinities: &[u32]) -> Result<Program, Error> {
    let file = program["file"].as_str().ok_or("a program without a file")?;
    let said = |key: &str| program[key].as_bool().ok_or(format!("a program without `{key}`"));
    let translation =
        Translation { rounded: said("rounded")?, zeroed: said("zeroed")?, infinities };
    let (module, info) = spirv::read(&std::fs::read_to_string(folder.join(file))?)?;
    let (words, bindings) = translation.words(&module, &info)?;
    Ok(Program { file: file.into(), module, info, words, bindings })
}

/// Compiles the programs whose names contain all words of `pattern`, and prints for each the
/// time and what the driver tells; whether the driver took all.
fn compile(folder: &Path, device: &str, pattern: &str) -> Result<bool, Error> {
    let compiler = Compiler::open(device)?;
    println!("{}", compiler.name);
    let mut sound = true;
    for program in listed(folder)? {
        let name = program["file"].as_str().unwrap_or_default().trim_end_matches(".wgsl");
        if !pattern.split_whitespace().all(|word| name.contains(word)) {
            continue;
        }
        let Program { module, words, bindings, .. } = read(folder, &program, &compiler.infinities)?;
        if wide(&module).iter().zip(compiler.wide).any(|(needed, has)| *needed && !has) {
            println!("{name}: the device has no such numbers of 64 bits");
            continue;
        }
        let entry_point = program["entry_point"].as_str().ok_or("a program without entry point")?;
        match compiler.compile(&words, entry_point, &bindings) {
            Ok((seconds, told)) => {
                let told: Vec<_> =
                    told.iter().map(|(name, value)| format!("{name} {value}")).collect();
                println!("{name}: {seconds:.3} s; {}", told.join(", "));
            }
            Err(error) => {
                println!("{name}: {error}");
                sound = false;
            }
        }
    }
    Ok(sound)
}

/// Translates every program and prints counts; whether all are as they should be.
fn run(folder: &Path) -> Result<bool, Error> {
    let programs = listed(folder)?;
    std::fs::create_dir_all(folder.join("spirv"))?;
    let all: Vec<_> = programs.par_iter().map(|program| one(folder, program)).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut sound = true;
    for (program, translated) in programs.iter().zip(all) {
        match translated {
            Ok(lines) => lines.into_iter().for_each(|line| *counts.entry(line).or_default() += 1),
            Err(error) => {
                eprintln!("{}: {error}", program["file"]);
                sound = false;
            }
        }
    }
    println!("{:>6}  programs", programs.len());
    counts.iter().for_each(|(line, count)| println!("{count:>6}  {line}"));
    Ok(sound && !programs.is_empty())
}

/// Translates a program and writes its SPIR-V; what became of it in each language.
fn one(folder: &Path, program: &Value) -> Result<Vec<&'static str>, Error> {
    let Program { file, module, info, words, bindings } = read(folder, program, &[32, 64])?;
    let stored = bindings.iter().filter(|bound| bound.buffer != Buffer::Uniform).count();
    if program["storage_buffers"] != stored {
        return Err(format!("it binds {stored} storage buffers").into());
    }
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(folder.join("spirv").join(file.with_extension("spv")), bytes)?;
    let others = translate(&module, &info)?;
    Ok(["in SPIR-V"].into_iter().chain(others).collect())
}
