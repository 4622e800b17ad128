//! Conversion of options into plans; options without effect are refused.

use crate::{ContactProblem, Error, Result, interrupts};
use carom_engine::Plan;
use carom_engine::run::Run;
use carom_law::routh::sampled::no_restitution;

/// Refuses given options without effect; `why` is the reason.
pub fn refuse(why: &str, options: &[(&str, bool)]) -> Result<()> {
    match options.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => Err(Error::usage(why).at(*option).hint("leave it out")),
    }
}

/// Refuses a `--hypothesis` for a problem without restitution.
pub fn hypothesis_matters(given: bool, problem: &ContactProblem) -> Result<()> {
    if given && problem.restitution().is_none_or(|e| e.iter().all(|&e| e == 0.0)) {
        return Err(no_restitution());
    }
    Ok(())
}

/// Refuses `--facets` for planar friction cones.
pub fn facets_matter(given: bool, problem: &ContactProblem) -> Result<()> {
    if given && problem.tangents_per_contact() < 2 {
        return Err(Error::usage("no friction cone is spatial").at("facets").hint("leave it out"));
    }
    Ok(())
}

/// The plan of a run on `problem`; from here on, interrupts set its stop flag.
pub fn plan(run: &Run, problem: &ContactProblem) -> Result<Plan> {
    let samples = run.samples_on(problem);
    Ok(Plan { samples, stop: Some(interrupts::flag()?), ..run.plan() })
}
