//! The content of a file of samples.

use serde_json::Value;

use carom_analysis::sampled_set::SampledSet;

/// A set that was read from a file.
#[derive(Clone, Debug)]
pub struct SavedSet {
    /// The accepted samples of the file.
    pub set: SampledSet,
    /// The record of the run, as JSON.
    pub record: Value,
}
