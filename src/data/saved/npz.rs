//! Files of samples in NumPy's npz.

use std::path::Path;

use super::SavedSet;
use super::reading::{Reading, SavedRows, foreign};
use crate::npz::META;
use carom_core::error::{Error, Result};
use carom_scene::archive::{Archive, Unread, shown};

/// Reads the arrays needed for queries.
pub fn read(path: &Path) -> Result<SavedSet> {
    let mut archive = Archive::open(path).map_err(of_other_kind)?;
    let mut reading = Reading::new(&meta(&mut archive)?)?;
    let sample = bytes(&mut archive, "sample", "<u8", None)?;
    let (words, _) = sample.as_chunks::<8>();
    let sample: Vec<u64> = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let rows = sample.len();
    let velocity = of_shape(&mut archive, "velocity", &[rows, reading.n])?.numbers();
    let residual = of_shape(&mut archive, "residual", &[rows])?.numbers().map_err(of_other_kind)?;
    reading.add(SavedRows {
        velocity: velocity.map_err(of_other_kind)?,
        status: bytes(&mut archive, "status", "|u1", Some(rows))?,
        residual: residual.into_iter().map(|x| x as f32).collect(),
        sample,
    })?;
    Ok(reading.saved)
}

/// The metadata of a file of samples.
pub fn meta(archive: &mut Archive) -> Result<Vec<u8>> {
    bytes(archive, META, "|u1", None)
}

fn of_other_kind(error: Error) -> Error {
    foreign(&error.to_string())
}

fn array<'a>(archive: &'a mut Archive, name: &str) -> Result<Unread<'a>> {
    let missing = || foreign(&format!("it has no array `{name}`"));
    archive.array(name).map_err(of_other_kind)?.ok_or_else(missing)
}

fn of_shape<'a>(archive: &'a mut Archive, name: &str, shape: &[usize]) -> Result<Unread<'a>> {
    let array = array(archive, name)?;
    if array.shape() == shape && !array.fortran() {
        return Ok(array);
    }
    let (found, wanted) = (shown(array.shape()), shown(shape));
    Err(foreign(&format!("array `{name}` has shape {found}, expected {wanted}")))
}

/// The bytes of the named array, after checks of its type and, if given, of its length.
fn bytes(archive: &mut Archive, name: &str, kind: &str, length: Option<usize>) -> Result<Vec<u8>> {
    let array = match length {
        Some(length) => of_shape(archive, name, &[length])?,
        None => array(archive, name)?,
    };
    if array.kind() != kind {
        return Err(foreign(&format!("array `{name}` has another type than {kind}")));
    }
    array.bytes().map_err(of_other_kind)
}
