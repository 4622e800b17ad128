//! Reads files of samples back.

#[cfg(feature = "npz")]
mod npz;
#[cfg(feature = "parquet")]
mod parquet;

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::engine::Precision;
use crate::error::{Error, Result};
use crate::law::ProcessKind;
use crate::outcome::Samples;
use crate::problem::{ContactProblem, ProblemSpec};
use crate::real::Real;
use crate::status::Status;
use crate::study::SampledSet;

/// A set that was read from a file.
#[derive(Clone, Debug)]
pub struct SavedSet {
    /// Its accepted samples.
    pub set: SampledSet,
    /// The record of the run, as JSON.
    pub record: Value,
}

/// Whether a file of this name may be one of samples, by its extension.
pub fn is_saved(path: &Path) -> bool {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    ["npz", "parquet"].contains(&extension.as_str())
}

/// Reads a file of samples that [`create`](super::create) has written, `.parquet` or `.npz`.
///
/// # Errors
/// A file that cannot be read, that is no file of samples, or whose format this build leaves out.
pub fn read(path: &Path) -> Result<SavedSet> {
    let name = path.display().to_string();
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    match extension.as_str() {
        #[cfg(feature = "npz")]
        "npz" => npz::read(path).map_err(|error| error.at(name)),
        #[cfg(feature = "parquet")]
        "parquet" => parquet::read(path).map_err(|error| error.at(name)),
        #[cfg(not(all(feature = "npz", feature = "parquet")))]
        "npz" | "parquet" => Err(Error::usage(format!("this build cannot read .{extension} files"))
            .at(name)
            .hint(format!("build carom with the feature `{extension}`"))),
        _ => Err(Error::usage("expected a file of samples, .parquet or .npz").at(name)),
    }
}

/// What the metadata say that queries need.
#[derive(Deserialize)]
struct Meta {
    problem: ProblemSpec,
    precision: String,
    process: Option<String>,
    accuracy: Option<f64>,
}

/// A set that is being read.
struct Reading {
    saved: SavedSet,
    /// The largest residual of an accepted sample.
    residual: f64,
    /// Numbers to a row of velocities.
    n: usize,
}

/// Some rows of a file.
#[derive(Default)]
struct Rows {
    sample: Vec<u64>,
    velocity: Vec<f64>,
    status: Vec<u8>,
    residual: Vec<f32>,
}

impl Reading {
    /// Of a file with these metadata.
    fn new(meta: &[u8]) -> Result<Self> {
        let record: Value = serde_json::from_slice(meta).map_err(|e| foreign(&e.to_string()))?;
        let Meta { problem, precision, process, accuracy } =
            serde_json::from_slice(meta).map_err(|e| foreign(&e.to_string()))?;
        let problem = ContactProblem::new(problem)?;
        let single = precision == Precision::F32.name();
        let set = if single { SampledSet::new::<f32>(&problem)? } else { SampledSet::new::<f64>(&problem)? };
        let residual = if single { f32::RESIDUAL } else { f64::RESIDUAL };
        let integrated = process.is_some_and(|name| name == ProcessKind::Inclusion.name());
        let residual = match accuracy {
            Some(accuracy) if integrated => residual.max(10.0 * accuracy),
            _ => residual,
        };
        let n = problem.coordinate_count();
        Ok(Reading { saved: SavedSet { set, record }, residual, n })
    }

    /// Takes further rows.
    fn add(&mut self, rows: Rows) -> Result<()> {
        let Rows { sample, velocity, status, residual } = rows;
        let count = sample.len();
        if velocity.len() != count * self.n || status.len() != count || residual.len() != count {
            return Err(foreign("its columns differ in length"));
        }
        let first = sample.first().copied().unwrap_or(0);
        if sample.iter().zip(first..).any(|(sample, expected)| *sample != expected) {
            return Err(foreign("its samples are not numbered one after the other"));
        }
        let samples = Samples {
            first,
            velocity,
            status: status.iter().map(|code| Status::from_code(u32::from(*code))).collect(),
            residual: residual.into_iter().map(f64::from).collect(),
            ..Samples::default()
        };
        self.saved.set.add(&samples, self.residual);
        Ok(())
    }
}

fn foreign(why: &str) -> Error {
    Error::input(format!("this is no file of samples of carom: {why}"))
        .hint("`carom sample WHAT --out FILE` writes one")
}
