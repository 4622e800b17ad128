//! Writer of files of samples, in any format.

use std::path::PathBuf;

use super::columns::Batch;
use super::staging::{failed, keep_sealed};
use carom_analysis::Jacobians;
use carom_core::error::Result;
use carom_core::outcome::{Samples, Tolerance};
use carom_engine::doubt::Doubted;
use carom_report::record::of_whole_file;
use serde_json::Value;
use tempfile::NamedTempFile;

/// An error of a file format.
pub type Fault = Box<dyn std::error::Error + Send + Sync>;

/// Writer of columns into one file format.
pub trait Table: Send {
    fn push(&mut self, batch: &Batch<'_>) -> Result<(), Fault>;

    /// Completes the file, with these metadata.
    fn finish(self: Box<Self>, about: String) -> Result<NamedTempFile, Fault>;
}

/// A file of samples in ascending order. An unfinished file is removed on drop.
pub struct Sink {
    pub(super) path: PathBuf,
    pub(super) table: Box<dyn Table>,
    pub(super) meta: Value,
    pub(super) tolerance: Tolerance,
    pub(super) rows: u64,
}

impl Sink {
    /// Appends the next samples, any number, with their derivatives if the run's record has
    /// derivatives.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn write(&mut self, samples: &Samples, derivatives: Option<&Jacobians>) -> Result<()> {
        self.rows += samples.len() as u64;
        let batch = Batch::of(samples, self.tolerance, derivatives);
        self.table.push(&batch).map_err(|e| failed(&self.path, &*e))
    }

    /// Completes the file with the results of a GPU's cross-check, and gives it its final name.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn finish(self, doubted: Option<&Doubted>) -> Result<()> {
        let about = of_whole_file(self.meta, self.rows, doubted);
        let file = self.table.finish(about).map_err(|e| failed(&self.path, &*e))?;
        keep_sealed(file, &self.path)
    }
}
