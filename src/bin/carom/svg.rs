//! Pictures in files.

use std::path::Path;

use carom::output;
use carom::output::plot::Picture;
use carom::{Error, Result};

/// Refuses what is no SVG file, or cannot be written, before anything is computed.
pub fn writable(path: &Path) -> Result<()> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some(extension) if extension.eq_ignore_ascii_case("svg") => output::writable(path),
        _ => Err(Error::usage("expected the name of an .svg file").at(path.display().to_string())),
    }
}

/// Writes a picture, under its name once it is whole.
pub fn write(path: &Path, picture: &Picture) -> Result<()> {
    output::write(path, &picture.svg()?)
}
