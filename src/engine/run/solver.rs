//! The ways to solve the steps of a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The ways to solve the steps of a run. Solvers differ in speed and in the problems that they
/// support.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StepSolver {
    /// A decision tree over the critical regions of the explicit map, for problems whose steps are
    /// proved to have one solution.
    Tree,
    /// A search through all critical regions of the explicit map, with vectors; uniform among the
    /// distinct solutions.
    Table,
    /// The critical regions that occurred in training, on the CPU or a GPU, for four to six
    /// contacts; Lemke's method where not exactly one of these regions holds. Where a step has
    /// several solutions but only one of them is in the cache, that one is taken, whereas Lemke's
    /// method would find one at random. The cache is therefore chosen by itself only where training
    /// met no such step.
    Cache,
    /// A chart of the solutions of segments, with vectors: for the event process of one or two
    /// contacts, whose numbers are certain.
    Chart,
    /// Sample by sample: a table of contact modes for up to three contacts, else Lemke's method.
    /// The other solvers are checked against this slow one.
    Scalar,
}

impl StepSolver {
    /// All solvers.
    pub const ALL: [StepSolver; 5] = [
        StepSolver::Tree,
        StepSolver::Table,
        StepSolver::Cache,
        StepSolver::Chart,
        StepSolver::Scalar,
    ];

    /// The name that the command line and plan files use.
    pub fn name(self) -> &'static str {
        match self {
            StepSolver::Tree => "tree",
            StepSolver::Table => "table",
            StepSolver::Cache => "cache",
            StepSolver::Chart => "chart",
            StepSolver::Scalar => "scalar",
        }
    }
}
