//! One file of a data set: computation, writing, and description.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::plan::DatasetPlan;
use super::rows::RowWriter;
use super::sampler::{DatasetSampler, Sampled};
use crate::saved::parquet::Table;
use crate::seal::{self, Seal};
use crate::{Error, ErrorKind, Result, staging};
use carom_core::status::Status;
use parquet::errors::ParquetError;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Most failed states of a file that are listed with reasons.
const LISTED: usize = 16;
/// Number of files checked in parallel.
const CHECKED: usize = 64;

/// The content of a file of a data set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DatasetPart {
    /// The name of the file in the directory of the data set.
    pub file: String,
    /// The number of its first state.
    pub first_state: u64,
    /// Number of states, those that failed included.
    pub states: u64,
    /// Number of rows.
    pub rows: u64,
    /// Rows whose sample terminated.
    pub terminated: u64,
    /// Rows whose sample reached the limit on steps.
    pub limited: u64,
    /// Rows whose sample terminated with a small residual.
    pub accepted: u64,
    /// States in which no contact approaches, so that `v+` is `v-`.
    #[serde(default)]
    pub still: u64,
    /// States without rows, as they have no contact problem or none that the law supports.
    pub failed: u64,
    /// The first of these.
    pub failures: Vec<Failure>,
}

/// A state without rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// The number of the state.
    pub state: u64,
    /// The reason of the failure.
    pub reason: String,
}

/// The content of a data set, summed over its files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inventory {
    /// Number of complete files.
    pub files: u64,
    /// Number of missing files.
    pub missing: u64,
    /// See [`DatasetPart::rows`].
    pub rows: u64,
    /// See [`DatasetPart::terminated`].
    pub terminated: u64,
    /// See [`DatasetPart::limited`].
    pub limited: u64,
    /// See [`DatasetPart::accepted`].
    pub accepted: u64,
    /// See [`DatasetPart::still`].
    pub still: u64,
    /// See [`DatasetPart::failed`].
    pub failed: u64,
    /// The first states without rows.
    pub failures: Vec<Failure>,
}

impl Inventory {
    pub(super) fn add(&mut self, part: DatasetPart) {
        self.files += 1;
        self.rows += part.rows;
        self.terminated += part.terminated;
        self.limited += part.limited;
        self.accepted += part.accepted;
        self.still += part.still;
        self.failed += part.failed;
        let left = LISTED - self.failures.len();
        self.failures.extend(part.failures.into_iter().take(left));
    }
}

impl DatasetPlan {
    /// The description of file `file` in the directory `dir`, if the file exists. All bytes are
    /// compared with the checksum.
    ///
    /// # Errors
    /// A file of another plan; a file that changed after it was written; `stop` was set.
    pub fn part(&self, dir: &Path, file: u64, stop: &AtomicBool) -> Result<Option<DatasetPart>> {
        let Some(part) = self.listed(dir, file)? else { return Ok(None) };
        let path = dir.join(self.file_name(file));
        let changed = "this file has changed since it was written: its checksum is another one";
        let place = |error: Error| error.at(path.display().to_string());
        match seal::check(&path, stop).map_err(place)? {
            Seal::Whole => Ok(Some(part)),
            _ => Err(place(Error::input(changed)).hint("remove it to have it made again")),
        }
    }

    /// The description within file `file`, if the file exists. Only the end of the file is read, so
    /// the rest may be damaged.
    ///
    /// # Errors
    /// A file of another plan.
    pub fn listed(&self, dir: &Path, file: u64) -> Result<Option<DatasetPart>> {
        let path = dir.join(self.file_name(file));
        if !path.exists() {
            return Ok(None);
        }
        let foreign = |what: &str| {
            Error::input(what)
                .at(path.display().to_string())
                .hint("remove it to have it made again, or take another directory")
        };
        Err(foreign(match about(&path) {
            Some((fingerprint, part)) if fingerprint == self.fingerprint => {
                if part.file == self.file_name(file) {
                    return Ok(Some(part));
                }
                "this is another file of this data set"
            }
            Some(_) => "this is no file of this data set but of another plan's",
            None => "this is no file of this data set, or it is damaged",
        }))
    }

    /// Computes a file of the data set in the directory `dir`, on all cores, unless it exists. The
    /// bytes of the file are a function of plan and file number; machine and number of threads do
    /// not matter. Several processes may compute files of one directory concurrently. `tell` is
    /// called for each state with the number of its samples.
    ///
    /// # Errors
    /// A file number out of range; a directory of another plan; errors of the file system; `stop`
    /// was set, which leaves no file. States without a contact problem are no errors: see
    /// [`DatasetPart::failed`].
    pub fn run_file(
        &self,
        dir: &Path,
        file: u64,
        stop: &Arc<AtomicBool>,
        tell: &(dyn Fn(u64) + Sync),
    ) -> Result<DatasetPart> {
        let files = self.files();
        if file >= files {
            let what = format!("the data set has {files} files, counted from 0");
            return Err(Error::usage(what).at(format!("file {file}")));
        }
        self.claim(dir)?;
        self.part(dir, file, stop)?.map_or_else(|| self.make(dir, file, stop, tell), Ok)
    }

    /// Computes a file in a claimed directory.
    fn make(
        &self,
        dir: &Path,
        file: u64,
        stop: &Arc<AtomicBool>,
        tell: &(dyn Fn(u64) + Sync),
    ) -> Result<DatasetPart> {
        let path = dir.join(self.file_name(file));
        let fault = |e: ParquetError| staging::failed(&path, &e);
        let mut rows = RowWriter::new(self, staging::temporary(&path)?).map_err(fault)?;
        let states = self.states_of(file);
        let (name, first_state) = (self.file_name(file), states.start);
        let count = states.end - first_state;
        let mut part =
            DatasetPart { file: name, first_state, states: count, ..DatasetPart::default() };
        let many = (self.group_rows() as u64 / self.samples).max(1);
        let sampler = DatasetSampler::new(self, stop)?;
        for first in states.clone().step_by(many as usize) {
            if self.samples > self.group_rows() as u64 {
                let streamed = sampler.stream(first, |sampled| {
                    tell(sampled.samples.len() as u64);
                    part.count(sampled);
                    rows.push(sampled).map_err(fault)
                })?;
                if let Err(error) = streamed {
                    tell(self.samples);
                    part.fail(first, error)?;
                }
                continue;
            }
            let numbers: Vec<u64> = (first..(first + many).min(states.end)).collect();
            for (number, sampled) in sampler.sample(&numbers, self.samples, tell) {
                match sampled {
                    Ok(sampled) => {
                        part.count(&sampled);
                        rows.push(&sampled).map_err(fault)?;
                    }
                    Err(error) => part.fail(number, error)?,
                }
            }
        }
        let about =
            json!({ "fingerprint": self.fingerprint, "dataset": self.description(), "part": part });
        staging::keep_sealed(rows.finish(about.to_string()).map_err(fault)?, &path)?;
        Ok(part)
    }

    /// Computes the missing files among `files`, one after the other, and checks the existing ones.
    /// `tell` is called for each computed state with the number of its samples, `found` for each
    /// existing file with the number of its samples. Returns the number of computed files.
    ///
    /// # Errors
    /// Errors of [`run_file`](Self::run_file).
    pub fn run_files(
        &self,
        dir: &Path,
        files: impl Iterator<Item = u64>,
        stop: &Arc<AtomicBool>,
        tell: &(dyn Fn(u64) + Sync),
        found: &dyn Fn(u64),
    ) -> Result<u64> {
        self.claim(dir)?;
        let (mut files, mut made) = (files.peekable(), 0);
        while files.peek().is_some() {
            let block: Vec<u64> = files.by_ref().take(CHECKED).collect();
            let parts: Vec<_> = block.par_iter().map(|&file| self.part(dir, file, stop)).collect();
            let parts: Vec<_> = parts.into_iter().collect::<Result<_>>()?;
            for (file, part) in block.into_iter().zip(parts) {
                match part {
                    Some(part) => found(part.states.saturating_mul(self.samples)),
                    None => {
                        self.make(dir, file, stop, tell)?;
                        made += 1;
                    }
                }
            }
        }
        Ok(made)
    }
}

impl DatasetPart {
    fn count(&mut self, sampled: &Sampled) {
        let Sampled { samples, residual, .. } = sampled;
        self.still += u64::from(samples.first == 0 && sampled.is_still());
        let with = |status: Status| samples.status.iter().filter(|&&s| s == status).count() as u64;
        self.rows += samples.len() as u64;
        self.terminated += with(Status::Terminated);
        self.limited += with(Status::StepLimit);
        self.accepted += samples.accepted(*residual).len() as u64;
    }

    /// Records a failed state; passes on interruptions and errors of the device.
    fn fail(&mut self, state: u64, error: Error) -> Result<()> {
        if matches!(error.kind, ErrorKind::Interrupted | ErrorKind::Device) {
            return Err(error);
        }
        self.failed += 1;
        if self.failures.len() < LISTED {
            // The name of the file is left out, as paths differ between machines.
            let reason = error.at.map_or(String::new(), |at| format!("{at}: ")) + &error.what;
            self.failures.push(Failure { state, reason });
        }
        Ok(())
    }
}

/// The description within a file: fingerprint of its plan, and content.
fn about(path: &PathBuf) -> Option<(String, DatasetPart)> {
    let table = Table::open(File::open(path).ok()?).ok()?;
    let about: Value = serde_json::from_str(table.about()?).ok()?;
    let fingerprint = about["fingerprint"].as_str()?.to_string();
    Some((fingerprint, serde_json::from_value(about["part"].clone()).ok()?))
}
