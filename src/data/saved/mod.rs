//! Reading of saved files of samples.

mod npz;
mod pages;
pub(super) mod parquet;
mod reading;

use std::fs::File;
use std::path::Path;

pub(super) use reading::foreign;

use crate::seal::{self, Seal};
use crate::staging::extension;
use carom_analysis::sampled_set::SampledSet;
use carom_core::error::{Error, Result};
use carom_scene::archive::Archive;
use serde_json::Value;

/// A set read from a file.
#[derive(Clone, Debug)]
pub struct SavedSet {
    /// The accepted samples of the file.
    pub set: SampledSet,
    /// The record of the run, as JSON.
    pub record: Value,
}

/// Whether a file of this name may hold samples, by its extension.
pub fn is_saved(path: &Path) -> bool {
    ["npz", "parquet"].contains(&extension(path).as_str())
}

/// Reads a file of samples written by [`create`](super::create), `.parquet` or `.npz`.
pub fn read(path: &Path) -> Result<SavedSet> {
    let at = |error: Error| error.at(path.display().to_string());
    let file = File::open(path).map_err(|e| Error::unreadable(path, &e))?;
    require_sound(path)?;
    match extension(path).as_str() {
        "npz" => npz::read(path).map_err(at),
        "parquet" => parquet::read(file).map_err(at),
        _ => Err(at(Error::usage("expected a file of samples, .parquet or .npz"))),
    }
}

/// The run record of a file of samples.
pub(super) fn record(path: &Path) -> Result<Value> {
    let meta = match extension(path).as_str() {
        "npz" => npz::meta(&mut Archive::open(path).map_err(|e| foreign(&e.to_string()))?)?,
        _ => parquet::meta(&parquet::open(path)?)?.to_vec(),
    };
    serde_json::from_slice(&meta).map_err(|e| foreign(&e.to_string()))
}

/// Refuses a file whose bytes contradict its checksum.
pub(super) fn require_sound(path: &Path) -> Result<()> {
    let at = |error: Error| error.at(path.display().to_string());
    let readable = path.metadata().is_ok_and(|file| file.is_file());
    let never = std::sync::atomic::AtomicBool::new(false);
    if readable && seal::check(path, &never).map_err(at)? == Seal::Broken {
        let what = "this file has changed since it was written: its checksum is another one";
        let hint = "`carom sample` writes it again; its metadata say from what";
        return Err(at(Error::input(what)).hint(hint));
    }
    Ok(())
}
