//! The laws of single impacts in random order, with their options.

use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::sampling::random_order::{LIMIT, RandomOrder};
use crate::{Hypothesis, Process, ProcessKind, Propagative, SampledLaw, Sequential, StrikeKind};
use carom_core::{ContactProblem, Real, Result};

/// Random orders of single impacts: while contacts approach, one of them, drawn uniformly, is
/// struck.
///
/// Every admissible order has a positive probability. A sample is over when no contact approaches
/// faster than [`ContactProblem::rest_velocity`], as with the Routh law; the steps of a sample are
/// its single impacts. Source: \[SM14\] (14) for reflections, \[HP23\] Sec. 2.2.2 for impacts,
/// \[JW16\] for those in space. Deviation: the order is drawn, instead of enumerated or fixed.
///
/// `S` is the law with the single impacts: [`Sequential`] or [`Propagative`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, bound = "S: Default")]
#[schemars(inline, bound = "S: Default")]
pub struct Orders<S> {
    /// The limit on single impacts of a sample; 1000 by default. The problem's own step limit does
    /// not apply: it counts steps of all contacts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub max_steps: Option<u32>,
    #[serde(skip)]
    law: PhantomData<S>,
}

impl<S: Strikes> Orders<S> {
    /// The law's name.
    pub const NAME: &'static str = S::NAME;

    /// At most `max_steps` single impacts.
    pub fn limited(max_steps: u32) -> Self {
        Orders { max_steps: Some(max_steps), ..Orders::default() }
    }
}

/// A law of single impacts.
pub trait Strikes: Default {
    /// The law's name.
    const NAME: &'static str;
    /// The kind of a single impact in a plane.
    const STRIKE: StrikeKind;
}

impl Strikes for Sequential {
    const NAME: &'static str = Sequential::NAME;
    const STRIKE: StrikeKind = StrikeKind::Impact;
}

impl Strikes for Propagative {
    const NAME: &'static str = Propagative::NAME;
    const STRIKE: StrikeKind = StrikeKind::Reflection;
}

impl<S: Strikes> SampledLaw for Orders<S> {
    fn prepare<R: Real>(&self, problem: &ContactProblem) -> Result<Process<R>> {
        let limit = self.max_steps_on(problem);
        Ok(Process::RandomOrder(RandomOrder::new(limit, S::STRIKE, problem)?))
    }

    fn process_on(&self, problem: &ContactProblem) -> ProcessKind {
        match (problem.tangents_per_contact(), S::STRIKE) {
            (2, StrikeKind::Impact) => ProcessKind::SpatialOrder,
            _ => ProcessKind::RandomOrder,
        }
    }

    fn max_steps_on(&self, _problem: &ContactProblem) -> u32 {
        self.max_steps.unwrap_or(LIMIT)
    }

    fn hypothesis_on(&self, problem: &ContactProblem) -> Option<Hypothesis> {
        let bounces = S::STRIKE == StrikeKind::Impact && problem.bounces();
        bounces.then_some(Hypothesis::Stronge)
    }
}
