//! Translates the programs that `carom programs FOLDER` writes into SPIR-V, MSL and HLSL, as wgpu
//! does on the devices that take these languages. SPIR-V is written into `FOLDER/spirv`. With a
//! part of a device's name, tells what its driver makes of them instead.

mod compile;
mod translate;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use compile::Compiler;
use rayon::prelude::*;
use serde_json::Value;
use translate::{Translated, translate};

type Error = Box<dyn std::error::Error + Send + Sync>;

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

/// The translation of a listed program.
fn translated(folder: &Path, program: &Value) -> Result<(PathBuf, Translated), Error> {
    let file = program["file"].as_str().ok_or("a program without a file")?;
    let found = translate(&std::fs::read_to_string(folder.join(file))?)?;
    Ok((PathBuf::from(file), found))
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
        let (_, Translated { spirv, bindings, .. }) = translated(folder, &program)?;
        let entry_point = program["entry_point"].as_str().ok_or("a program without entry point")?;
        match compiler.compile(&spirv, entry_point, &bindings) {
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
    let (file, Translated { spirv, bindings, lines }) = translated(folder, program)?;
    let storage_buffers = bindings.iter().filter(|(_, uniform)| !uniform).count();
    if program["storage_buffers"] != storage_buffers {
        return Err(format!("it binds {storage_buffers} storage buffers").into());
    }
    let bytes: Vec<u8> = spirv.iter().flat_map(|word| word.to_le_bytes()).collect();
    std::fs::write(folder.join("spirv").join(file.with_extension("spv")), bytes)?;
    Ok(lines)
}
