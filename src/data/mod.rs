//! Files of samples and data sets.
//!
//! Every write is atomic: a file gets a temporary name in its target directory, and is renamed when
//! complete. Its final name therefore never refers to an incomplete file.

mod columns;
pub mod dataset;
pub mod merge;
pub mod motion;
mod npz;
mod parquet;
pub mod saved;
mod seal;
mod sink;
pub mod staging;

use std::io::Write;
use std::path::Path;

pub use sink::Sink;

use carom_core::error::{Error, ErrorKind, Result};
use carom_core::problem::ContactProblem;
use carom_report::RunRecord;

/// Checks that a file of this name can be written, before any content exists.
pub fn writable(path: &Path) -> Result<()> {
    if path.is_dir() {
        let error = Error::usage("this is a directory; expected a file");
        return Err(error.at(path.display().to_string()));
    }
    staging::temporary(path).map(drop)
}

/// Makes a directory with its parent directories, unless it exists.
pub fn make_directory(path: &Path) -> Result<()> {
    std::fs::create_dir_all(path).map_err(|e| {
        let what = match path.exists() && !path.is_dir() {
            true => "this is a file; expected a directory, or the name of a new one".to_string(),
            false => format!("cannot make this directory: {e}"),
        };
        Error::usage(what).at(path.display().to_string()).hint("name another directory")
    })
}

/// Writes a file atomically.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    writable(path)?;
    let mut file = staging::temporary(path)?;
    file.write_all(content.as_ref()).map_err(|e| staging::failed(path, &e))?;
    staging::keep(file, path)
}

/// Opens a file of samples of `problem`, `.parquet` or `.npz`, one row per sample.
///
/// Columns: `sample` (u64), `velocity` (n), `impulse` ((1+d) m, normals first), `steps` (u32),
/// `status` (u8, [`Status::code`](carom_core::status::Status::code)), `residual` (f32),
/// `kinetic_energy`; `velocity`, `impulse` and `kinetic_energy` in the run's precision. With
/// derivatives also `jacobian` (n,p; in Parquet a list, row by row) and `differentiable`. SI units.
/// The metadata are in the key `carom` (Parquet) or the array `meta` (npz), as JSON.
pub fn create(path: &Path, problem: &ContactProblem, record: &RunRecord) -> Result<Sink> {
    let wrong = |what: &str| Err(Error::usage(what).at(path.display().to_string()));
    if path.is_dir() {
        return wrong("this is a directory; expected the name of a file");
    }
    let columns =
        columns::of_samples(problem, record.precision(), record.jacobian, record.forecasts());
    let table: Box<dyn sink::Table> = match staging::extension(path).as_str() {
        "npz" => Box::new(npz::NpzTable::create(path, columns)?),
        "parquet" => {
            let (n, k) = (problem.coordinate_count(), problem.jacobian().nrows());
            let slopes = record.jacobian.map_or(0, |wrt| n * wrt.columns(problem));
            let rows = parquet::group_rows(n + k + 5 + slopes);
            Box::new(parquet::ParquetTable::create(path, columns, rows)?)
        }
        "" => return wrong("a file without an extension; expected .parquet or .npz"),
        other => return wrong(&format!("unknown extension .{other}; expected .parquet or .npz")),
    };
    let (meta, tolerance) = (record.of_file(problem), record.tolerance(problem));
    Ok(Sink { path: path.to_path_buf(), table, meta, tolerance, rows: 0 })
}
