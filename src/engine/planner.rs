//! The choice of the solver for the steps of a run, and the counted cost of a step.

use super::{Lane, StepSolver};
use carom_core::error::{Error, Result};
use carom_core::lcp::ModeTable;
use carom_law::lanes::{LaneTables, Map};
use carom_law::routh::events::chart::Chart;
use carom_law::routh::steps::Steps;
use carom_law::{Process, Solution};

/// A solver, its data, and the reason for the choice.
#[derive(Debug)]
pub struct SolverChoice<R> {
    /// The solver.
    pub solver: StepSolver,
    /// The tables of the vector kernel; `None` for [`StepSolver::Scalar`].
    pub tables: Option<LaneTables<R>>,
    /// The reason, with the cost of a step in flop.
    pub why: String,
}

/// Chooses the solver of the CPU. The choice depends on problem and law alone, not on the number of
/// samples, so a sample is equal in every run.
pub fn choose<R: Lane>(law: &Process<f64>, asked: Option<StepSolver>) -> Result<SolverChoice<R>> {
    let may_be = |solver| asked.is_none_or(|asked| asked == solver);
    match law {
        Process::Events(exact) if may_be(StepSolver::Chart) && Chart::<R>::serves(exact) => {
            let chart = Chart::new(&exact.space.step.cast());
            let why = format!("a chart of the modes of {} kinds of segments", chart.kinds());
            let tables = Some(LaneTables::Events(chart));
            return Ok(SolverChoice { solver: StepSolver::Chart, tables, why });
        }
        Process::Steps(steps) if may_be(StepSolver::Table) => {
            if let Some(map) = Map::new(steps) {
                let (tables, solver) = (LaneTables::Steps(Box::new(map)), StepSolver::Table);
                return Ok(SolverChoice {
                    solver,
                    tables: Some(tables),
                    why: explain(steps, solver),
                });
            }
        }
        _ => {}
    }
    if !may_be(StepSolver::Scalar) {
        return Err(refused(law, asked == Some(StepSolver::Chart)));
    }
    let solver = StepSolver::Scalar;
    let why = match law {
        Process::Steps(steps) => explain(steps, solver),
        Process::Bouncing(law) => explain(&law.steps, solver),
        other => other.kind().words(other.space().step.axes == 2, None),
    };
    Ok(SolverChoice { solver, tables: None, why })
}

/// The error for a problem to which the chart, or else the table, does not apply.
fn refused(law: &Process<f64>, chart: bool) -> Error {
    let fastest = "leave --solver out for the fastest one that applies; --explain says which";
    let steps = "leave --solver out, or take the steps of a planar problem: --process steps";
    let most = ModeTable::<f64>::MAX_CONTACTS;
    let (what, hint) = match law {
        _ if chart => {
            let served = "is for the event process of one or two contacts with certain numbers";
            (served.to_string(), "leave --solver out; --explain says which one applies")
        }
        Process::Steps(Steps { space, solution, .. }) if space.step.axes == 1 => {
            let m = space.step.contacts;
            let what = if *solution == Solution::Random {
                format!("is for up to {most} contacts; this problem has {m}")
            } else {
                "chooses at random among several solutions, not as `--solution lemke` asks".into()
            };
            (what, fastest)
        }
        Process::Steps(_) | Process::Bouncing(_) => ("is for planar problems".into(), steps),
        _ => ("is for the planar inelastic steps of the law routh".into(), steps),
    };
    let name = if chart { StepSolver::Chart } else { StepSolver::Table }.name();
    Error::usage(format!("the solver `{name}` {what}")).option("solver").hint(hint)
}

/// The cost of a step in flop, counted from the sizes of its operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepCost {
    /// Cost of the search for a critical region in a table, with early exclusion of most regions.
    pub search: usize,
    /// Cost of computing the impulse, applying it and computing the residual.
    pub apply: usize,
    /// Cost of a step by Lemke's method with n/2 pivots, about the mean number.
    pub lemke: usize,
}

/// The cost of a step.
pub fn cost(steps: &Steps<f64>) -> StepCost {
    let m = steps.space.step.contacts;
    let (k, n) = (steps.space.step.width(), steps.space.step.lcp_size());
    // The operations of u + W L and of the residual.
    let check = 2 * k * k + 30 * m;
    StepCost {
        search: steps.table.as_ref().map_or(0, |table| 2 * table.conditions.len()),
        apply: 2 * k * (k + m) + check,
        lemke: n / 2 * 2 * n * (n + 2) + check,
    }
}

fn explain(steps: &Steps<f64>, solver: StepSolver) -> String {
    let m = steps.space.step.contacts;
    let StepCost { search, apply, lemke } = cost(steps);
    match &steps.table {
        Some(table) if solver == StepSolver::Table => format!(
            "table: {} regions, {} conditions, at most {search} flop per step to look through, {apply} to apply one \
             (Lemke's method: about {lemke})",
            table.spans.len(),
            table.conditions.len() / (3 * m),
        ),
        Some(_) => {
            format!("sample by sample through a table of {} combinations", 7_usize.pow(m as u32))
        }
        None => format!("sample by sample by Lemke's method, about {lemke} flop per step"),
    }
}
