//! Pictures in files.

use std::path::{Path, PathBuf};

use crate::args::{DrawingArgs, LookArgs};
use crate::{Error, Result, options};
use carom_report::pictures::Wanted;
use carom_report::plot::{Form, Picture, PictureSize};

/// Error for options of a picture without a picture file.
const NONE: &str = "there is no picture; -o FILE draws one";
/// Extensions of data files.
const FILES: [&str; 3] = ["json", "npz", "parquet"];

/// Swaps `--out` and `-o` where their extensions show that they are meant the other way.
pub fn sort(out: &mut Option<PathBuf>, picture: &mut Option<PathBuf>) -> Result<()> {
    let extension = |path: &Path| path.extension().map(|e| e.to_string_lossy().to_lowercase());
    let drawn = out.take_if(|path| Form::of(path).is_ok());
    let filed = picture
        .take_if(|path| extension(path).is_some_and(|extension| FILES.contains(&&extension[..])));
    for (found, place) in [(drawn, picture), (filed, out)] {
        if found.is_some() && place.is_some() {
            return Err(Error::usage("-o and --out name two files of one kind").at("--out"));
        }
        *place = found.or(place.take());
    }
    Ok(())
}

/// Refuses a path that has no picture format or cannot be written, before any computation.
pub fn writable(path: &Path) -> Result<()> {
    Form::of(path)?;
    carom_data::writable(path)
}

/// Checks an optional picture; without a picture, its options would have no effect.
pub fn possible(path: Option<&Path>, DrawingArgs { axes, look }: &DrawingArgs) -> Result<()> {
    if path.is_none() {
        options::refuse(NONE, &[("--axes", !axes.is_empty())])?;
    }
    looks(path, look)
}

/// Checks the panels, size and title of an optional picture.
pub fn looks(path: Option<&Path>, look: &LookArgs) -> Result<()> {
    let (panels, title) = (!look.panels.is_empty(), look.title.is_some());
    let given = [("--panels", panels), ("--size", look.size.is_some()), ("--title", title)];
    path.map_or_else(|| options::refuse(NONE, &given), writable)
}

/// Checks an animated picture, together with an optional still picture.
pub fn animated(path: Option<&Path>, beside: Option<&Path>) -> Result<()> {
    let Some(path) = path else { return Ok(()) };
    let name = || path.display().to_string();
    if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg")) {
        return Err(Error::usage("an animated picture is an .svg file").at(name()));
    }
    if beside == Some(path) {
        return Err(Error::usage("both pictures would have the same name").at(name()));
    }
    carom_data::writable(path)
}

pub fn wanted(DrawingArgs { axes, look }: &DrawingArgs) -> Wanted {
    let (axes, panels, title) = (axes.clone(), look.panels.clone(), look.title.clone());
    Wanted { axes, panels, title, ..Wanted::default() }
}

/// Writes a picture, if a file is named, under the requested title.
pub fn titled(look: &LookArgs, path: Option<&Path>, mut picture: Picture) -> Result<()> {
    picture.title = look.title.clone().unwrap_or(picture.title);
    path.map_or(Ok(()), |path| write(path, &picture, look.size))
}

/// Writes a picture to a file by an atomic write.
pub fn write(path: &Path, picture: &Picture, size: Option<PictureSize>) -> Result<()> {
    carom_data::write(path, picture.file(Form::of(path)?, size)?)
}
