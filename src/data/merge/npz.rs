//! Files of samples in NumPy's npz, one after the other.

use std::io::{self, Read, Seek, Write};
use std::path::Path;

use super::order::{self, Part};
use crate::saved::foreign;
use crate::staging::{directory, failed, keep_sealed, target, temporary};
use crate::{Result, seal};
use carom_scene::archive as npz;
use carom_scene::archive::Archive;
use serde_json::Value;
use tempfile::NamedTempFile;
use zip::ZipWriter;

/// Merges the arrays of the files, each longer along its first side; the others are the same.
pub fn merge(paths: &[&Path], out: &Path) -> Result<u64> {
    let mut parts = order::read(paths, meta)?;
    let record = order::whole(&mut parts, &[])?;
    let mut archive = ZipWriter::new(temporary(out)?);
    let blank = archive.set_comment(seal::blank());
    blank.map_err(|e| failed(out, &io::Error::from(e)))?;
    let names = Archive::open(&parts[0].path)?.names();
    for name in names.iter().filter(|name| *name != META) {
        add(&mut archive, &parts, name, out)?;
    }
    let text = record.to_string();
    let length = text.len() as u64;
    npz::add(&mut archive, META, ("|u1", &[length]), &mut text.as_bytes(), length)
        .and_then(|()| archive.finish().map_err(io::Error::from))
        .map_err(|e| failed(out, &e))
        .and_then(|file| keep_sealed(file, out))?;
    Ok(record["samples"].as_u64().unwrap_or_default())
}

const META: &str = "meta";

fn meta(path: &Path) -> Result<Value> {
    let mut archive = Archive::open(path).map_err(|e| foreign(&e.to_string()))?;
    let array = archive.array(META)?.ok_or_else(|| foreign("it has no array `meta`"))?;
    serde_json::from_slice(&array.bytes()?).map_err(|e| foreign(&e.to_string()))
}

/// Adds the array `name` of all parts to the archive, through a temporary file.
fn add(
    archive: &mut ZipWriter<NamedTempFile>,
    parts: &[Part],
    name: &str,
    out: &Path,
) -> Result<()> {
    let mut whole: Option<(String, Vec<u64>)> = None;
    let bytes = tempfile::tempfile_in(directory(&target(out)));
    let mut bytes = bytes.map_err(|e| failed(out, &e))?;
    let mut length = 0;
    for part in parts {
        let other = |what: &str| foreign(&format!("its array `{name}` {what}")).at(part.name());
        let mut file = Archive::open(&part.path)?;
        let array = file.array(name)?.ok_or_else(|| other("is missing"))?;
        let shape: Vec<u64> = array.shape().iter().map(|side| *side as u64).collect();
        let (kind, rows) = (array.kind().to_string(), shape.first().copied());
        if rows != part.record["samples"].as_u64() || array.fortran() {
            return Err(other("has another number of rows than the file has samples"));
        }
        match &mut whole {
            None => whole = Some((kind, shape)),
            Some((of, sides)) if *of == kind && sides[1..] == shape[1..] => sides[0] += shape[0],
            Some(_) => return Err(other("has another type or shape than that of the first part")),
        }
        let more = array.bytes().map_err(|error| error.at(part.name()))?;
        length += more.len() as u64;
        bytes.write_all(&more).map_err(|e| failed(out, &e))?;
    }
    let Some((kind, shape)) = whole else { return Ok(()) };
    (bytes.rewind())
        .and_then(|()| npz::add(archive, name, (&kind, &shape), &mut bytes.take(length), length))
        .map_err(|e| failed(out, &e))
}
