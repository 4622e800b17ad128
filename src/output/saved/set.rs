//! What a file of samples holds.

use serde_json::Value;

use crate::study::SampledSet;

/// A set that was read from a file.
#[derive(Clone, Debug)]
pub struct SavedSet {
    /// Its accepted samples.
    pub set: SampledSet,
    /// The record of the run, as JSON.
    pub record: Value,
}
