//! A trial with a few states, to estimate the duration and size of a data set.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::plan::DatasetPlan;
use super::rows::RowWriter;
use super::sampler::DatasetSampler;
use carom_core::error::{Error, ErrorKind, Result};

/// The measured cost of a few states.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Trial {
    /// Number of sampled states.
    pub states: u64,
    /// Number of states in which no contact approaches.
    pub still: u64,
    /// Number of states that cannot be sampled.
    pub failed: u64,
    /// Wall-clock seconds on all cores.
    pub seconds: f64,
    /// Bytes of the states' rows in a file.
    pub bytes: u64,
}

impl DatasetPlan {
    /// Samples a few states spread over the data set, for about `seconds` seconds, and discards the
    /// samples.
    ///
    /// # Errors
    /// `stop` was set.
    pub fn trial(&self, seconds: f64, stop: &Arc<AtomicBool>) -> Result<Trial> {
        let memory = |e: parquet::errors::ParquetError| Error::usage(e.to_string());
        let mut rows = RowWriter::new(self, Vec::new()).map_err(memory)?;
        // A state with very many samples is tried with one row group of samples, which fits into
        // memory.
        let samples = self.samples.min(self.group_rows() as u64);
        let sampler = DatasetSampler::new(self, stop)?;
        let start = Instant::now();
        let mut trial = Trial::default();
        let mut many = rayon::current_num_threads() as u64;
        while trial.states == 0 || start.elapsed().as_secs_f64() < seconds {
            let spread = self.states().div_ceil(MOST).max(1);
            let spread_out = (trial.states..trial.states + many).map(|i| i * spread);
            let numbers: Vec<u64> = spread_out.take_while(|&n| n < self.states()).collect();
            if numbers.is_empty() {
                break;
            }
            for (_, sampled) in sampler.sample(&numbers, samples, &|_| {}) {
                match sampled {
                    Ok(sampled) => {
                        trial.still += u64::from(sampled.is_still());
                        rows.push(&sampled).map_err(memory)?;
                    }
                    Err(error) if error.kind == ErrorKind::Interrupted => return Err(error),
                    Err(_) => trial.failed += 1,
                }
            }
            trial.states += numbers.len() as u64;
            many = (2 * many).min(MOST);
        }
        let bytes = rows.finish(String::new()).map_err(memory)?.len() as u64;
        let scale = self.samples as f64 / samples as f64;
        let (seconds, bytes) = (start.elapsed().as_secs_f64() * scale, bytes as f64 * scale);
        Ok(Trial { seconds, bytes: bytes as u64, ..trial })
    }
}

/// Most states of a trial.
const MOST: u64 = 4096;
