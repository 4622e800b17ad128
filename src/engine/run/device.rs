use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use carom_core::error::{Error, Result};
use carom_core::named;
use carom_core::problem::ContactProblem;
use carom_core::real::Real;

named! {
    /// The precision of a run.
    #[derive(Deserialize, JsonSchema)]
    pub enum Precision {
        /// IEEE single precision; samples that it cannot verify are computed again in f64.
        F32 = "f32",
        /// IEEE double precision.
        F64 = "f64",
    }
}

impl Precision {
    /// See [`ContactProblem::rest_velocity`].
    pub fn rest_velocity(self, problem: &ContactProblem) -> f64 {
        match self {
            Precision::F32 => problem.rest_velocity::<f32>(),
            Precision::F64 => problem.rest_velocity::<f64>(),
        }
    }

    /// The largest residual of an accepted sample: [`Real::RESIDUAL`].
    pub fn residual(self) -> f64 {
        match self {
            Precision::F32 => f32::RESIDUAL,
            Precision::F64 => f64::RESIDUAL,
        }
    }
}

/// The device that computes a run: `auto`, `cpu`, `gpu`, or part of an adapter's name; `NAME#K` is
/// number K, from 0 on, of those with equal names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub enum Device {
    /// A hardware GPU if there is one, else the CPU; a software adapter is never chosen.
    #[default]
    Auto,
    /// All cores of this machine.
    Cpu,
    /// The best GPU, a software adapter if there is no other.
    Gpu,
    /// The adapter whose name contains this text, ignoring case; with `#K` the one with number K,
    /// from 0 on, of all whose names contain it.
    Named(String),
}

impl TryFrom<String> for Device {
    type Error = Error;

    fn try_from(name: String) -> Result<Self> {
        Ok(match name.trim() {
            "" => {
                let what =
                    "expected auto, cpu, gpu or part of an adapter's name (see `carom doctor`)";
                return Err(Error::usage(what).option("device"));
            }
            "auto" => Device::Auto,
            "cpu" => Device::Cpu,
            "gpu" => Device::Gpu,
            name => Device::Named(name.to_string()),
        })
    }
}

impl From<Device> for String {
    fn from(device: Device) -> Self {
        match device {
            Device::Auto => "auto".to_string(),
            Device::Cpu => "cpu".to_string(),
            Device::Gpu => "gpu".to_string(),
            Device::Named(name) => name,
        }
    }
}

/// The ways to solve the steps of a run. Solvers differ in speed and in the problems that they
/// support.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StepSolver {
    /// A search through all critical regions of the explicit map, with vectors; uniform among the
    /// distinct solutions.
    Table,
    /// A chart of the solutions of segments, with vectors: for the event process of one or two
    /// contacts, whose numbers are certain.
    Chart,
    /// Sample by sample: a table of contact modes for up to three contacts, else Lemke's method.
    /// The other solvers are checked against this slow one.
    Scalar,
    /// The former solvers `tree` and `cache`: the fastest one that applies, with a warning.
    #[serde(rename = "tree", alias = "cache")]
    #[schemars(skip)]
    Former,
}

impl StepSolver {
    /// The name that the command line and plan files use.
    pub fn name(self) -> &'static str {
        match self {
            StepSolver::Table => "table",
            StepSolver::Chart => "chart",
            StepSolver::Scalar => "scalar",
            StepSolver::Former => "tree",
        }
    }
}
