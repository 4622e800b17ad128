//! [`Run`], the one specification of a run: what was asked for. Every door speaks through it: the
//! command line, plan files, Python, the page and the records in files are parsed into it.
//! Defaults, the options of each law and what is idle on a problem are decided here for all of
//! them. Ranges that depend on the law or the problem, such as that of `accuracy`, are checked by
//! the law. Errors name fields; each door has its own words for them.

mod check;
mod device;
mod json;
mod law;
mod name;
mod plan;
mod range;
mod recorded;
mod settled;
mod solver;
mod uncertainty;
mod words;

pub use check::inelastic;
pub use device::{Device, Precision};
pub use name::LawName;
pub use plan::Plan;
pub use range::{COUNT, NONNEGATIVE, Range, SHARE, STEP};
pub use settled::Settled;
pub use solver::StepSolver;
pub use words::{by_field, flag};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::law::{Hypothesis, RouthProcess, Sampler, Solution};
use crate::problem::Uncertainty;

/// What was asked for of a run. A field that is `None` was left to its default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Run {
    /// The impact law.
    pub law: LawName,
    /// `routh`: how it is computed; by default as the problem and the other options need it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process: Option<RouthProcess>,
    /// `routh`: which solution of a step is taken where it has several; `random` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solution: Option<Solution>,
    /// `routh`: how steps or segments are solved; the fastest way that applies by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solver: Option<StepSolver>,
    /// `routh`: how rates are drawn; `uniform` by default where steps are taken as published, else
    /// `coverage`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampler: Option<Sampler>,
    /// `routh`: how many steps share one draw of the rates; 1 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persist: Option<u32>,
    /// `routh`: the impulse over which one draw of the rates lasts, > 0, in N s; by default what
    /// stops one contact, with steps the problem's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// `routh`: how accurate the inclusion is, a part of `max|u-|` in (0, 0.1]; 1e-4 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    /// `routh`, `sequential`, `propagative`: the limit on steps, segments, substeps or single
    /// impacts of a sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_steps: Option<u32>,
    /// `routh`, spatial problems: facets of the friction cones, an even number from 4 to 32.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facets: Option<u32>,
    /// `routh`: what a coefficient of restitution is a ratio of; `stronge` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hypothesis: Option<Hypothesis>,
    /// `plus`: the largest change of a sliding direction in an interval, in rad.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theta_max: Option<f64>,
    /// `plus`: a contact slides from this tangential speed on, in m/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub v_transition: Option<f64>,
    /// `plus`: from this normal speed on the coefficient of restitution is the problem's, in m/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub v_plastic: Option<f64>,
    /// `plus`: below this normal speed the coefficient of restitution is 0, in m/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub v_capture: Option<f64>,
    /// The coefficient of restitution of all contacts, in [0, 1], instead of the problem's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// Ranges from which each sample draws its own numbers, instead of the problem's.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "uncertainty::read")]
    #[schemars(with = "Option<uncertainty::Ranges>")]
    pub uncertainty: Option<Uncertainty>,
    /// The number of samples; 65 536 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples: Option<u64>,
    /// The seed: the same seed gives the same samples.
    pub seed: u64,
    /// Where to compute.
    pub device: Device,
    /// In what precision; f32 on a GPU and f64 on the CPU by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precision: Option<Precision>,
}

impl Run {
    /// Samples where none are asked for.
    pub const SAMPLES: u64 = 65_536;
}
