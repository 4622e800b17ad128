//! `carom merge`: merges the parts of a run.

use std::path::Path;

use crate::args::MergeArgs;
use crate::{Error, Result, terminal};
use carom_data::{merge, saved};

/// Merges files of samples if the first file is one, else reports.
pub fn run(args: &MergeArgs) -> Result<u8> {
    let files: Vec<&Path> = args.files.iter().map(|file| &**file).collect();
    if files.first().is_some_and(|file| saved::is_saved(file)) {
        let missing = || Error::usage("expected a name for the file of samples").at("--out");
        let out = args.out.as_deref().ok_or_else(missing)?;
        let samples = merge::files(&files, out)?;
        terminal::print(&format!("{samples} samples of {} files\n", files.len()))?;
        return Ok(terminal::DONE);
    }
    let report = merge::reports(&files)?;
    match &args.out {
        None => terminal::print_json(&report)?,
        Some(out) => carom_data::write(out, format!("{report:#}\n"))?,
    }
    Ok(terminal::DONE)
}
