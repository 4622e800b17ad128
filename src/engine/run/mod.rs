//! [`Run`], the one specification of a run. Every interface uses it: the command line, plan files,
//! Python, the page and the records in files are parsed into a `Run`. This module decides defaults,
//! the options of each law, and whether an option has an effect on a problem. The law checks ranges
//! that depend on law or problem, such as the range of `accuracy`. Errors name fields; each
//! interface translates the names.

mod check;
mod device;
mod fields;
mod json;
mod model;
mod plan;
mod range;
mod uncertainty;
mod words;

pub use check::inelastic;
pub use device::{Device, Precision, StepSolver};
pub use fields::Field;
pub use model::{Forecaster, ModelFile};
pub use plan::{Plan, Settled};
pub use range::{COUNT, NONNEGATIVE, POSITIVE, Range, SHARE};
pub use words::{by_field, flag};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use carom_core::ContactProblem;
use carom_core::problem::Uncertainty;
use carom_law::Law;

/// What was asked for of a run: a law with its options, and what every run has. A field that is
/// `None` was left to its default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("unevaluatedProperties" = false))]
pub struct Run {
    /// The impact law, with its options.
    #[serde(flatten)]
    pub law: Law,
    /// A model file, which `carom identify` writes: it has the law with its options and what is
    /// uncertain. Samples are then forecasts, no outcomes of the law alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub model: Option<ModelFile>,
    /// The outcomes of the model's law under its uncertain numbers, without the noise after the
    /// impact, the dress and the learned residual.
    #[serde(skip_serializing_if = "is_false")]
    pub law_only: bool,
    /// How steps or segments of `routh` are solved; the fastest way that applies by default.
    #[serde(skip_serializing_if = "is_automatic")]
    pub solver: Option<StepSolver>,
    /// The coefficient of restitution of all contacts, in [0, 1], instead of the problem's.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1))]
    pub restitution: Option<f64>,
    /// Ranges from which each sample draws its own numbers, instead of the problem's.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "uncertainty::read")]
    #[schemars(with = "Option<uncertainty::Ranges>")]
    pub uncertainty: Option<Uncertainty>,
    /// The number of samples; 65 536 by default, fewer with many contacts, whose samples take
    /// longer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 9_223_372_036_854_775_807_u64))]
    pub samples: Option<u64>,
    /// The seed: the same seed gives the same samples.
    pub seed: u64,
    /// Where to compute.
    pub device: Device,
    /// In what precision; f32 on a GPU and f64 on the CPU by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precision: Option<Precision>,
}

fn is_false(said: &bool) -> bool {
    !said
}

fn is_automatic(solver: &Option<StepSolver>) -> bool {
    solver.is_none_or(|solver| solver == StepSolver::Former)
}

impl Run {
    /// Default number of samples of problems with up to twelve rows, such as four contacts in
    /// space.
    pub const SAMPLES: u64 = 65_536;

    /// The number of samples on `problem`: the given one, or a default by the number of rows for
    /// some seconds of two processor cores.
    pub fn samples_on(&self, problem: &ContactProblem) -> u64 {
        self.samples.unwrap_or(match problem.contact_velocity().len() {
            ..=12 => Self::SAMPLES,
            13..=16 => 8192,
            17..=24 => 2048,
            25..=48 => 1024,
            _ => 256,
        })
    }
}
