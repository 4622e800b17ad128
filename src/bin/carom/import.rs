//! `carom import`: problems of other programs.

use std::process::ExitCode;

use carom::output;
use carom::scene::siconos;
use carom::{ContactProblem, Error, Result};
use serde_json::json;

use crate::args::ImportArgs;
use crate::{input, terminal};

/// The largest file that is read, in bytes.
const LARGEST: u64 = 1 << 30;

/// Reads the problem, checks it, and writes it as a problem file.
pub fn run(args: &ImportArgs) -> Result<ExitCode> {
    let name = args.file.display().to_string();
    let failed = |e: std::io::Error| Error::input(e.to_string()).at(name.clone());
    args.out.as_deref().map_or(Ok(()), output::writable)?;
    let metadata = std::fs::metadata(&args.file).map_err(failed)?;
    if metadata.is_dir() || metadata.len() > LARGEST {
        return Err(Error::input("expected a file of up to 1 GB").at(name));
    }
    let text = String::from_utf8(std::fs::read(&args.file).map_err(failed)?).map_err(|_| {
        Error::input("this is no text")
            .at(name.clone())
            .hint("FCLib's HDF5 files are not read; Siconos writes problems as .dat too")
    })?;
    let title = args.file.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
    let problem = siconos::read(&text, &title)
        .and_then(ContactProblem::new)
        .map_err(|error| input::located(error, &name))?;
    let json = format!("{:#}\n", json!(problem.spec()));
    match &args.out {
        Some(path) => output::write(path, json)?,
        None => terminal::print(&json)?,
    }
    Ok(ExitCode::SUCCESS)
}
