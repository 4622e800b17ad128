//! Analysis of the laws on a problem: exact outcome sets, bounds on all outcomes, guarantees by
//! theorems, and derivatives of samples.

pub mod bounds;
pub mod compare;
pub mod cover;
pub mod derivative;
pub mod guarantee;
pub mod judged;
pub mod place;
pub mod proofs;
pub mod reach;
pub mod sampled_set;
pub mod wedge;
pub mod within;

pub use bounds::{Bound, BoundKind};
pub use compare::{Compared, Comparison, compare, compare_with};
pub use cover::{Cover, Covering};
pub use derivative::{Differentiator, Jacobians, Wrt};
pub use guarantee::Guarantee;
pub use judged::{Bounds, Farthest, bounds};
pub use place::{SetPlace, Verdict};
pub use proofs::Proofs;
pub use reach::{
    Arithmetic, Certificate, ExactSet, Leg, OutcomePolytope, Phase, PossibleModes, Reach, State,
    possible_modes,
};
pub use sampled_set::SampledSet;
pub use within::bound_within;

use carom_core::error::{Error, Result};
use carom_core::outcome::PointSet;
use carom_core::problem::ContactProblem;
use carom_core::status::Status;
use carom_engine::Finished;

/// Kinetic metric in units of `|v-|_M`.
fn metric(problem: &ContactProblem) -> Result<PointSet> {
    PointSet::new(problem.mass(), problem.velocity(), &[])
        .ok_or_else(|| Error::input("the mass matrix is not positive definite").at("mass"))
}

/// Refuses a set without accepted samples, which can be neither compared nor drawn.
///
/// # Errors
/// No sample of the run was accepted.
pub fn require_samples(run: &Finished) -> Result<()> {
    let summary = &run.summary;
    if summary.accepted > 0 {
        return Ok(());
    }
    let met = Status::ALL.into_iter().filter(|&status| summary.count(status) > 0);
    let word = |status: Status| format!("{} {}", summary.count(status), status.name());
    let (samples, ended) = (summary.samples, met.map(word).collect::<Vec<_>>().join(", "));
    let error =
        Error::empty(format!("the set is empty: none of {samples} samples was accepted ({ended})"));
    Err(match summary.count(Status::StepLimit) {
        0 => error,
        _ => {
            let most = run.max_steps;
            error.hint(format!("let samples take more steps than {most}: max_steps in the file"))
        }
    })
}
