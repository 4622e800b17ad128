//! Studies of sampled sets: how far they reach, how far the outcomes of other laws are from them,
//! how well they predict measured impacts, and how many samples cover what a sampler draws.

pub mod baselines;
pub mod bootstrap;
pub mod bounds;
pub mod compare;
pub mod cover;
pub mod features;
pub mod forecast;
pub mod frame;
mod free_motion;
pub mod groups;
pub mod identify;
pub mod judge;
pub mod normal;
pub mod place;
pub mod proofs;
pub mod reality;
pub mod recording;
pub mod regression;
pub mod residual;
pub mod ridge;
pub mod sampled_set;
pub mod scoring;
pub mod selected;
pub mod shape;
pub mod simultaneous;
pub mod spread;
pub mod student;
mod units;

pub use bounds::{Bounds, Farthest, bounds};
pub use compare::{Compared, Comparison, compare, compare_with};
pub use cover::{Cover, Covering};
pub use forecast::Forecast;
pub use identify::{Identified, Identify, Model};
pub use judge::{Judge, Judged};
pub use place::{SetPlace, Verdict};
pub use proofs::Proofs;
pub use reality::{Reality, reality, reality_beside};
pub use recording::{Extraction, Layout, Recording};
pub use residual::Residual;
pub use sampled_set::SampledSet;

use carom_core::error::{Error, Result};
use carom_core::status::Status;
use carom_engine::Finished;

/// Refuses a set without accepted samples, which can be neither compared nor drawn.
///
/// # Errors
/// No sample of the run was accepted.
pub fn require_samples(run: &Finished) -> Result<()> {
    let summary = &run.summary;
    if summary.accepted > 0 {
        return Ok(());
    }
    let ended: Vec<String> = (Status::ALL.into_iter().filter(|&status| summary.count(status) > 0))
        .map(|status| format!("{} {}", summary.count(status), status.name()))
        .collect();
    let (samples, ended) = (summary.samples, ended.join(", "));
    let error =
        Error::empty(format!("the set is empty: none of {samples} samples was accepted ({ended})"));
    Err(match summary.count(Status::StepLimit) {
        0 => error,
        _ => error.hint(format!(
            "let samples take more steps than {}: max_steps in the file",
            run.max_steps
        )),
    })
}
