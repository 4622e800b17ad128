//! The order of parts, and the record of their run.

use std::path::{Path, PathBuf};

use carom_core::error::{Error, Result};
use carom_engine::doubt::Doubted;
use serde_json::{Map, Value, json};

/// Record keys whose values differ between parts.
const OWN: [&str; 4] = ["first", "samples", "warnings", "doubted"];

/// A part of a run.
#[derive(Debug)]
pub struct Part {
    /// The file.
    pub path: PathBuf,
    /// The record, see [`RunRecord`](carom_report::RunRecord).
    pub record: Value,
}

impl Part {
    /// The name of the part's file.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Range of sample numbers: first sample, and end.
    fn range(&self) -> Result<[u64; 2]> {
        let number = |key: &str| self.record.get(key).map_or(Some(0), Value::as_u64);
        let first = number("first");
        let range = first.zip(number("samples").filter(|count| *count > 0));
        let range = range.and_then(|(first, count)| Some([first, first.checked_add(count)?]));
        range.ok_or_else(|| {
            Error::input("this has no number of samples")
                .at(self.name())
                .hint("`carom sample WHAT --first K` writes reports and files of samples")
        })
    }
}

/// Reads and sorts the parts; returns them with the record of their run. In this record, the keys
/// `results` still have the values of the first part.
pub fn whole(
    paths: &[&Path],
    record: impl Fn(&Path) -> Result<Value>,
    results: &[&str],
) -> Result<(Vec<Part>, Value)> {
    let read = |path: &&Path| Ok(Part { path: path.to_path_buf(), record: record(path)? });
    let mut parts = paths.iter().map(read).collect::<Result<Vec<Part>>>()?;
    parts.iter().try_for_each(|part| part.range().map(drop))?;
    parts.sort_by_key(|part| part.range().unwrap_or_default());
    let [first, rest @ ..] = &*parts else { return Err(Error::usage("no file to merge")) };
    let [start, mut end] = first.range()?;
    let own = |key: &str| OWN.contains(&key) || results.contains(&key);
    let (of_first, mut before) = (compared(&first.record, own), first);
    for part in rest {
        let of_part = compared(&part.record, own);
        let keys = of_first.keys().chain(of_part.keys());
        if let Some(key) = keys.into_iter().find(|key| of_first.get(*key) != of_part.get(*key)) {
            return Err(Error::input(format!("they differ in `{key}`: no parts of one run"))
                .at(format!("{} and {}", first.name(), part.name())));
        }
        let [next, last] = part.range()?;
        if next != end {
            let what = match next > end {
                true => format!("samples {end} to {} are missing between them", next - 1),
                false => format!("samples {next} to {} are in both", end.min(last) - 1),
            };
            return Err(Error::input(what).at(format!("{} and {}", before.name(), part.name())));
        }
        (before, end) = (part, last);
    }
    let mut record = first.record.clone();
    record["samples"] = (end - start).into();
    record["warnings"] = warnings(&parts);
    record["doubted"] = doubted(&parts);
    Ok((parts, record))
}

/// The record entries that parts of one run must share. The reason for the device may differ.
fn compared(record: &Value, own: impl Fn(&str) -> bool) -> Map<String, Value> {
    let mut shared = record.as_object().cloned().unwrap_or_default();
    shared.retain(|key, _| !own(key));
    if let Some(device) = shared.get_mut("device").and_then(Value::as_object_mut) {
        device.remove("why");
    }
    shared
}

fn warnings(parts: &[Part]) -> Value {
    let mut all: Vec<&Value> = Vec::new();
    for warning in parts.iter().filter_map(|part| part.record["warnings"].as_array()).flatten() {
        if !all.contains(&warning) {
            all.push(warning);
        }
    }
    json!(all)
}

/// The summed cross-checks of all parts; `None` if a part has none.
fn doubted(parts: &[Part]) -> Value {
    let of = |part: &Part| serde_json::from_value::<Doubted>(part.record["doubted"].clone()).ok();
    let all: Option<Vec<Doubted>> = parts.iter().map(of).collect();
    json!(all.and_then(|all| all.into_iter().reduce(|a, b| a.and(&b))))
}
