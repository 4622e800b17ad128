//! Merging of the parts of a run, computed separately: reports and files of samples.
//!
//! A sample is a function of its number, so consecutive parts equal one run of all their samples.

mod npz;
mod order;
mod parquet;
mod statistics;

use std::path::Path;

use self::order::Part;
use crate::saved;
use crate::staging::{extension, keep_sealed};
use carom_core::error::{Error, Result};
use carom_core::outcome::Summary;
use carom_report::report::add_statistics;
use serde_json::Value;

/// Merges reports of `carom sample --json` into the report of the whole run; parts may come in any
/// order.
///
/// Counts, shares, extremes, sums and means equal the results of the whole run, bit for bit, if
/// parts begin at multiples of 1024 and were computed on the CPU; on a GPU means agree up to
/// rounding. `doubted` adds the checks of the parts, `seconds` adds their times; `warnings`
/// collects the warnings of all parts.
pub fn reports(paths: &[&Path]) -> Result<Value> {
    let record = |path: &Path| {
        let text = std::fs::read(path).map_err(|e| Error::unreadable(path, &e))?;
        serde_json::from_slice(&text)
            .map_err(|e| foreign(&format!("it is no JSON: {e}")).at(path.display().to_string()))
    };
    let (parts, mut whole) = order::whole(paths, record, &statistics::KEYS)?;
    let summary = |part: &Part| {
        statistics::read(&part.record).map_err(|e| foreign(&e.to_string()).at(part.name()))
    };
    let summaries = parts.iter().map(summary).collect::<Result<Vec<Summary>>>()?;
    let summary = summaries.into_iter().reduce(|mut sum, next| {
        sum.merge(&next);
        sum
    });
    if let Some(summary) = summary {
        let before = whole["kinetic_energy"]["before"].as_f64().unwrap_or(f64::NAN);
        add_statistics(&mut whole, &summary, before);
    }
    for (key, seconds) in whole["seconds"].as_object_mut().into_iter().flatten() {
        let all = parts.iter().map(|part| part.record["seconds"][key].as_f64());
        *seconds = all.sum::<Option<f64>>().into();
    }
    Ok(whole)
}

/// Merges files of samples into one file of the whole run; parts may come in any order, in one
/// format. Returns the number of samples.
///
/// An npz file is bitwise equal to the file of the whole run, apart from `doubted` and `warnings`
/// in its metadata. A Parquet file has equal rows, in the row groups of the parts.
pub fn files(paths: &[&Path], out: &Path) -> Result<u64> {
    let wanted = extension(out);
    if let Some(other) = paths.iter().find(|path| extension(path) != wanted) {
        return Err(Error::usage(format!("expected a file .{wanted}, as what is written"))
            .at(other.display().to_string()));
    }
    paths.iter().try_for_each(|path| saved::require_sound(path))?;
    let merge = match wanted.as_str() {
        "npz" => npz::merge,
        "parquet" => parquet::merge,
        _ => {
            let what = "expected .json, .npz or .parquet";
            return Err(Error::usage(what).at(out.display().to_string()));
        }
    };
    let record =
        |path: &Path| saved::record(path).map_err(|error| error.at(path.display().to_string()));
    let (parts, record) = order::whole(paths, record, &[])?;
    keep_sealed(merge(&parts, &record, out)?, out)?;
    Ok(record["samples"].as_u64().unwrap_or_default())
}

fn foreign(why: &str) -> Error {
    Error::input(format!("this is no report of samples: {why}"))
        .hint("`carom sample WHAT --json` prints one")
}
