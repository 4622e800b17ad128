//! The files that a picture can be written to.

use std::path::Path;

use super::{Picture, PictureSize};
use carom_core::error::{Error, Result};

/// The format of a picture in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Scalable Vector Graphics, as text.
    Svg,
    /// Portable Network Graphics: pixels.
    Png,
    /// Portable Document Format, one page.
    Pdf,
}

impl Form {
    /// The format of the extension of a file name.
    ///
    /// # Errors
    /// Another extension; a format that this build leaves out.
    pub fn of(path: &Path) -> Result<Form> {
        let wrong = |what: &str| Error::usage(what).at(path.display().to_string());
        let extension =
            path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
        let form = match extension.as_str() {
            "svg" => return Ok(Form::Svg),
            "png" => Form::Png,
            "pdf" => Form::Pdf,
            _ => return Err(wrong("expected the name of an .svg, .png or .pdf file")),
        };
        if !cfg!(feature = "images") {
            let hint = "build carom with the feature `images`, or choose .svg";
            return Err(wrong(&format!("this build cannot write .{extension} files")).hint(hint));
        }
        Ok(form)
    }
}

impl Picture {
    /// The picture as a file of this format. A PNG file has 300 pixels per inch where the size is
    /// in millimetres. Where the size is in pixels, the file has that number of pixels. Without a
    /// size, a PNG file has two pixels for each of the SVG file.
    ///
    /// # Errors
    /// See [`Picture::svg`]; a PNG file too large for memory.
    pub fn file(&self, form: Form, size: Option<PictureSize>) -> Result<Vec<u8>> {
        let svg = self.svg(size)?;
        match form {
            Form::Svg => Ok(svg.into_bytes()),
            #[cfg(feature = "images")]
            Form::Png => super::images::png(&svg, PictureSize::resolution(size)),
            #[cfg(feature = "images")]
            Form::Pdf => super::images::pdf(&svg),
            #[cfg(not(feature = "images"))]
            Form::Png | Form::Pdf => Err(Error::usage("this build writes pictures as SVG only")),
        }
    }
}
