//! Translates the programs that `carom programs FOLDER` writes into SPIR-V, MSL and HLSL, as wgpu
//! does on the devices that take these languages. SPIR-V is written into `FOLDER/spirv`.

mod translate;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use rayon::prelude::*;
use serde_json::Value;
use translate::{Translated, translate};

type Error = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: carom-programs FOLDER, where `carom programs FOLDER` has written");
        return ExitCode::from(2);
    };
    match run(&folder) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{}: {error}", folder.display());
            ExitCode::FAILURE
        }
    }
}

/// Translates every program and prints counts; whether all are as they should be.
fn run(folder: &Path) -> Result<bool, Error> {
    let index: Value = serde_json::from_slice(&std::fs::read(folder.join("index.json"))?)?;
    let programs = index["programs"].as_array().ok_or("index.json lists no programs")?;
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
    let file = program["file"].as_str().ok_or("a program without a file")?;
    let Translated { spirv, storage_buffers, lines } =
        translate(&std::fs::read_to_string(folder.join(file))?)?;
    if program["storage_buffers"] != storage_buffers {
        return Err(format!("it binds {storage_buffers} storage buffers").into());
    }
    let bytes: Vec<u8> = spirv.iter().flat_map(|word| word.to_le_bytes()).collect();
    let name = Path::new(file).with_extension("spv");
    std::fs::write(folder.join("spirv").join(name), bytes)?;
    Ok(lines)
}
