//! Pictures in files.

use std::path::Path;

use carom::output;
use carom::output::pictures::Wanted;
use carom::output::plot::Picture;
use carom::{Error, Result};

use crate::args::DrawingArgs;
use crate::options;

/// Refuses what is no SVG file, or cannot be written, before anything is computed.
pub fn writable(path: &Path) -> Result<()> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some(extension) if extension.eq_ignore_ascii_case("svg") => output::writable(path),
        _ => Err(Error::usage("expected the name of an .svg file").at(path.display().to_string())),
    }
}

/// The same for a picture that need not be asked for; without it, its options do nothing.
pub fn possible(path: Option<&Path>, drawing: &DrawingArgs) -> Result<()> {
    let Some(path) = path else {
        let given = [
            ("--axes", !drawing.axes.is_empty()),
            ("--size", drawing.size.is_some()),
            ("--title", drawing.title.is_some()),
        ];
        return options::refuse("there is no picture; -o FILE draws one", &given);
    };
    writable(path)
}

/// What the command line wants of a picture.
pub fn wanted(drawing: &DrawingArgs) -> Wanted {
    Wanted { axes: drawing.axes.clone(), title: drawing.title.clone() }
}

/// Writes a picture, under its name once it is whole.
pub fn write(path: &Path, picture: &Picture, drawing: &DrawingArgs) -> Result<()> {
    output::write(path, &picture.svg(drawing.size)?)
}
