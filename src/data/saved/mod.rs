//! Reads files of samples back.

mod npz;
mod pages;
pub mod parquet;
mod reading;
mod set;

use std::path::Path;

pub(super) use reading::foreign;
pub use set::SavedSet;

use crate::seal;
use crate::seal::Seal;
use carom_core::error::{Error, Result};

/// Whether a file of this name may hold samples, by its extension.
pub fn is_saved(path: &Path) -> bool {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    ["npz", "parquet"].contains(&extension.as_str())
}

/// Reads a file of samples that [`create`](super::create) has written, `.parquet` or `.npz`.
///
/// # Errors
/// A file that cannot be read, that is no file of samples, whose bytes have changed since it was
/// written, or whose format this build leaves out.
pub fn read(path: &Path) -> Result<SavedSet> {
    let name = path.display().to_string();
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    std::fs::File::open(path).map_err(|e| Error::unreadable(path, &e))?;
    require_sound(path)?;
    match extension.as_str() {
        "npz" => npz::read(path).map_err(|error| error.at(name)),
        "parquet" => parquet::read(path).map_err(|error| error.at(name)),
        _ => Err(Error::usage("expected a file of samples, .parquet or .npz").at(name)),
    }
}

/// Refuses a file of which a byte has changed.
pub(super) fn require_sound(path: &Path) -> Result<()> {
    let readable = path.metadata().is_ok_and(|file| file.is_file());
    let name = path.display().to_string();
    let never = std::sync::atomic::AtomicBool::new(false);
    if readable && seal::check(path, &never).map_err(|error| error.at(&*name))? == Seal::Broken {
        return Err(Error::input(
            "this file has changed since it was written: its checksum is another one",
        )
        .at(name)
        .hint("`carom sample` writes it again; its metadata say from what"));
    }
    Ok(())
}
