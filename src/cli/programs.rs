//! `carom programs`: the programs of the GPU engine as files, for `scripts/programs.sh`.

use crate::args::ProgramsArgs;
use crate::{Result, terminal};
use carom_shaders::catalogue::{Entry, programs, storage_buffers};
use serde_json::{Value, json};

pub fn run(args: &ProgramsArgs) -> Result<u8> {
    carom_data::make_directory(&args.folder)?;
    let entries = programs()?;
    let written = entries.iter().map(|entry| write(args, entry)).collect::<Result<Vec<Value>>>()?;
    let index = json!({ "schema_version": 1, "programs": written });
    carom_data::write(&args.folder.join("index.json"), format!("{index:#}\n"))?;
    terminal::print(&format!("{} programs in {}\n", entries.len(), args.folder.display()))?;
    Ok(terminal::DONE)
}

fn write(args: &ProgramsArgs, entry: &Entry) -> Result<Value> {
    let (file, text) = (format!("{}.wgsl", entry.name()), entry.source());
    carom_data::write(&args.folder.join(&file), &text)?;
    Ok(json!({
        "file": file,
        "kernel": entry.program.name,
        "what": entry.what(),
        "entry_point": entry.program.entry_point,
        "rounded": entry.program.rounded,
        "zeroed": entry.program.zeroed,
        "storage_buffers": storage_buffers(&text),
    }))
}
