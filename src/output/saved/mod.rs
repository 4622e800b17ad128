//! Reads files of samples back.

#[cfg(feature = "npz")]
mod npz;
#[cfg(feature = "parquet")]
mod pages;
#[cfg(feature = "parquet")]
pub(crate) mod parquet;
#[cfg(any(feature = "npz", feature = "parquet"))]
mod reading;
mod set;

use std::path::Path;

#[cfg(any(feature = "npz", feature = "parquet"))]
pub(super) use reading::foreign;
pub use set::SavedSet;

use crate::error::{Error, Result};
#[cfg(any(feature = "npz", feature = "parquet"))]
use crate::output::seal::{self, Seal};

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
    #[cfg(any(feature = "npz", feature = "parquet"))]
    require_sound(path)?;
    match extension.as_str() {
        #[cfg(feature = "npz")]
        "npz" => npz::read(path).map_err(|error| error.at(name)),
        #[cfg(feature = "parquet")]
        "parquet" => parquet::read(path).map_err(|error| error.at(name)),
        #[cfg(not(all(feature = "npz", feature = "parquet")))]
        "npz" | "parquet" => {
            Err(Error::usage(format!("this build cannot read .{extension} files"))
                .at(name)
                .hint(format!("build carom with the feature `{extension}`")))
        }
        _ => Err(Error::usage("expected a file of samples, .parquet or .npz").at(name)),
    }
}

/// Refuses a file of which a byte has changed.
#[cfg(any(feature = "npz", feature = "parquet"))]
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
