//! Random orders of single impacts: each step chooses one approaching contact, uniformly.
//!
//! Every admissible order has a positive probability. A sample ends when no contact approaches
//! faster than [`ContactProblem::rest_velocity`], as with the Routh law; the steps of a sample are
//! its single impacts. Source: \[SM14\] (14) for reflections, \[HP23\] Sec. 2.2.2 for planar
//! impacts, \[JW16\] for spatial impacts. Deviation: the order is drawn, instead of enumerated or
//! fixed.

use crate::sampling::random_order::{LIMIT, RandomOrder};
use crate::{Hypothesis, Process, ProcessKind, Propagative, SampledLaw, Sequential, StrikeKind};
use carom_core::{ContactProblem, Real, Result};

impl SampledLaw for Sequential {
    fn prepare<R: Real>(&self, problem: &ContactProblem) -> Result<Process<R>> {
        let limit = self.max_steps_on(problem);
        Ok(Process::RandomOrder(RandomOrder::new(limit, StrikeKind::Impact, problem)?))
    }

    fn process_on(&self, problem: &ContactProblem) -> ProcessKind {
        match problem.tangents_per_contact() {
            2 => ProcessKind::SpatialOrder,
            _ => ProcessKind::RandomOrder,
        }
    }

    fn max_steps_on(&self, _problem: &ContactProblem) -> u32 {
        self.max_steps.unwrap_or(LIMIT)
    }

    fn hypothesis_on(&self, problem: &ContactProblem) -> Option<Hypothesis> {
        problem.bounces().then_some(Hypothesis::Stronge)
    }
}

impl SampledLaw for Propagative {
    fn prepare<R: Real>(&self, problem: &ContactProblem) -> Result<Process<R>> {
        let limit = self.max_steps_on(problem);
        Ok(Process::RandomOrder(RandomOrder::new(limit, StrikeKind::Reflection, problem)?))
    }

    fn process_on(&self, _problem: &ContactProblem) -> ProcessKind {
        ProcessKind::RandomOrder
    }

    fn max_steps_on(&self, _problem: &ContactProblem) -> u32 {
        self.max_steps.unwrap_or(LIMIT)
    }
}
