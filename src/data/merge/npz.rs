//! Concatenation of npz files of samples.

use std::io::Write;
use std::path::Path;

use super::order::Part;
use crate::Result;
use crate::npz::{META, NpzArrays};
use crate::saved::foreign;
use crate::staging::failed;
use carom_scene::archive::Archive;
use serde_json::Value;
use tempfile::NamedTempFile;

/// Concatenates the arrays of the parts along their first dimension; other dimensions must agree.
pub fn merge(parts: &[Part], record: &Value, out: &Path) -> Result<NamedTempFile> {
    let mut whole = NpzArrays::create(out)?;
    let names = Archive::open(&parts[0].path)?.names();
    for name in names.iter().filter(|name| *name != META) {
        let mut merged = None;
        for part in parts {
            let other = |what: &str| foreign(&format!("its array `{name}` {what}")).at(part.name());
            let mut file = Archive::open(&part.path)?;
            let array = file.array(name)?.ok_or_else(|| other("is missing"))?;
            let (rows, row) = array.shape().split_first().unwrap_or((&0, &[]));
            if Some(*rows as u64) != part.record["samples"].as_u64() || array.fortran() {
                return Err(other("has another number of rows than the file has samples"));
            }
            let merged = match &mut merged {
                None => merged.insert(whole.array(name, array.kind(), row)?),
                Some(merged) if merged.kind == array.kind() && merged.row == row => merged,
                Some(_) => {
                    return Err(other("has another type or shape than that of the first part"));
                }
            };
            let more = array.bytes().map_err(|error| error.at(part.name()))?;
            merged.bytes.write_all(&more).map_err(|e| failed(out, &e))?;
        }
        whole.arrays.extend(merged);
    }
    let rows = record["samples"].as_u64().unwrap_or_default();
    whole.close(rows as usize, &record.to_string()).map_err(|e| failed(out, &*e))
}
