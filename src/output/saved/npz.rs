//! Files of samples in NumPy's npz.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use npyz::zip::ZipArchive;
use npyz::zip::result::ZipError;
use npyz::{Deserialize, NpyFile};

use super::reading::{Reading, Rows, foreign};
use super::set::SavedSet;
use crate::error::{Error, Result};

/// Reads the arrays that queries need.
pub fn read(path: &Path) -> Result<SavedSet> {
    let file = File::open(path).map_err(|e| Error::input(e.to_string()))?;
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(|e| foreign(&e.to_string()))?;
    let mut reading = Reading::new(&array::<u8>(&mut archive, "meta")?)?;
    let rows = Rows {
        sample: array(&mut archive, "sample")?,
        velocity: floats(&mut archive, "velocity")?,
        status: array(&mut archive, "status")?,
        residual: array(&mut archive, "residual")?,
    };
    reading.add(rows)?;
    Ok(reading.saved)
}

type Archive = ZipArchive<BufReader<File>>;

/// The numbers of an array, row by row.
fn array<T: Deserialize>(archive: &mut Archive, name: &str) -> Result<Vec<T>> {
    with(archive, name, |array| array.into_vec::<T>())
}

/// The numbers of an array of floats of any precision.
fn floats(archive: &mut Archive, name: &str) -> Result<Vec<f64>> {
    with(archive, name, |array| match array.try_data::<f64>() {
        Ok(doubles) => doubles.collect(),
        Err(array) => array.into_vec::<f32>().map(|floats| floats.into_iter().map(f64::from).collect()),
    })
}

fn with<T>(
    archive: &mut Archive,
    name: &str,
    take: impl FnOnce(NpyFile<&mut dyn Read>) -> std::io::Result<T>,
) -> Result<T> {
    let missing = |e: ZipError| foreign(&format!("array `{name}`: {e}"));
    let mut entry = archive.by_name(&npyz::npz::file_name_from_array_name(name)).map_err(missing)?;
    let bytes: &mut dyn Read = &mut entry;
    let taken = NpyFile::new(bytes).and_then(take);
    // The checksum is compared at the end of the entry.
    let whole = taken.and_then(|taken| std::io::copy(&mut entry, &mut std::io::sink()).map(|_| taken));
    whole.map_err(|e| foreign(&format!("array `{name}`: {e}")))
}
