//! Laws beside the set, and sets beside measurements.

mod baselines;
mod bootstrap;
mod compare;
mod cover;
mod identify;
mod middle;
mod modelled;
mod place;
mod reality;
mod recording;
mod ridge;
mod sampled_set;
mod scoring;
mod spread;
mod student;
mod units;

use crate::prelude::*;
use crate::support::events::{block, event, file};
use carom::study::Comparison;
use carom::study::identify::Model;
use carom::study::identify::place::Placed;
use carom::study::scoring::Prediction;

/// Laws beside the samples of a plan.
fn beside(problem: &ContactProblem, plan: &Plan) -> Comparison {
    let engine = cpu();
    carom_analysis::compare::compare(&engine, problem, plan).unwrap()
}
