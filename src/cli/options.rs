//! What the options of the command line mean for plans; options that would do nothing are refused.

use crate::{ContactProblem, Error, Result, interrupts};
use carom_engine::Plan;
use carom_engine::run::Run;
use carom_law::routh::sampled::no_restitution;

/// Refuses the options given that would do nothing; `why` says so.
pub fn refuse(why: &str, options: &[(&str, bool)]) -> Result<()> {
    match options.iter().find(|(_, given)| *given) {
        None => Ok(()),
        Some((option, _)) => Err(Error::usage(why).at(*option).hint("leave it out")),
    }
}

/// Refuses a `--hypothesis` about restitution that no contact has.
pub fn hypothesis_matters(given: bool, problem: &ContactProblem) -> Result<()> {
    if given && problem.restitution().is_none_or(|e| e.iter().all(|&e| e == 0.0)) {
        return Err(no_restitution());
    }
    Ok(())
}

/// Refuses `--facets` of friction cones that are planar.
pub fn facets_matter(given: bool, problem: &ContactProblem) -> Result<()> {
    if given && problem.tangents_per_contact() < 2 {
        return Err(Error::usage("no friction cone is spatial").at("facets").hint("leave it out"));
    }
    Ok(())
}

/// The plan of a run; interrupts are listened to from here on.
pub fn plan(run: &Run) -> Result<Plan> {
    Ok(Plan { stop: Some(interrupts::flag()?), ..run.plan() })
}
