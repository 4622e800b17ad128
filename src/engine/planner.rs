//! The choice of the solver for the steps of a run, by counted cost.

use super::{Lane, StepSolver};
use carom_core::error::{Error, Result};
use carom_core::lcp::ModeTable;
use carom_law::lanes::{LaneTables, Map};
use carom_law::routh::events::chart::Chart;
use carom_law::routh::steps::Steps;
use carom_law::routh::steps::training::CACHED;
use carom_law::{Process, Solution};

/// A solver, its data, and the reasons for the choice.
#[derive(Debug)]
pub struct SolverChoice<R> {
    /// The solver.
    pub solver: StepSolver,
    /// The tables of the vector kernel; `None` for [`StepSolver::Scalar`].
    pub tables: Option<LaneTables<R>>,
    /// The reasons, line by line, with the cost of a step in flop.
    pub why: Vec<String>,
}

/// The problems that [`StepSolver::Chart`] supports.
const CHARTED: &str = "the event process of one or two contacts with certain numbers";

/// Chooses the solver of the CPU. The choice depends on the problem and the law alone, not on the
/// number of samples, so that a sample is the same in every run.
pub fn choose<R: Lane>(law: &Process<f64>, asked: Option<StepSolver>) -> Result<SolverChoice<R>> {
    let scalar = |why: String, refused: &str| match asked {
        None | Some(StepSolver::Scalar) => {
            Ok(SolverChoice { solver: StepSolver::Scalar, tables: None, why: vec![why] })
        }
        Some(StepSolver::Chart) => {
            Err(Error::usage(format!("the solver `chart` is for {CHARTED}"))
                .option("solver")
                .hint("leave --solver out; --explain says which one applies"))
        }
        Some(solver) => {
            Err(Error::usage(format!("the solver `{}` is for {refused}", solver.name()))
                .option("solver")
                .hint("leave --solver out, or take the steps of a planar problem: --process steps"))
        }
    };
    let inelastic = "the planar inelastic steps of the law routh";
    let steps = match law {
        Process::Steps(steps) if steps.space.step.axes == 1 => steps,
        Process::Steps(steps) => return scalar(explain::<R>(steps, None), "planar problems"),
        Process::Bouncing(law) => {
            return scalar(explain::<R>(&law.steps, None), "planar problems");
        }
        Process::Events(exact)
            if asked.is_none_or(|asked| asked == StepSolver::Chart)
                && Chart::<R>::serves(exact) =>
        {
            let chart = Chart::new(&exact.space.step.cast());
            let why = vec![format!("a chart of the modes of {} kinds of segments", chart.kinds())];
            let tables = Some(LaneTables::Events(chart));
            return Ok(SolverChoice { solver: StepSolver::Chart, tables, why });
        }
        other => {
            let why = other.kind().words(other.space().step.axes == 2, None);
            return scalar(why, inelastic);
        }
    };
    let m = steps.space.step.contacts;
    let random = steps.solution == Solution::Random;
    let mut why = Vec::new();
    let mut solver = asked.unwrap_or(match m {
        0..=2 => StepSolver::Tree,
        3 if random => StepSolver::Table,
        _ if steps.may_be_cached() => StepSolver::Cache,
        _ => StepSolver::Scalar,
    });
    let refuse = |what: &str| {
        Err(Error::usage(format!("the solver `{}` {what}", asked.map_or("", StepSolver::name)))
            .option("solver")
            .hint("leave --solver out for the fastest one that applies; --explain says which"))
    };
    let small = ModeTable::<R>::MAX_CONTACTS;
    match solver {
        StepSolver::Tree | StepSolver::Table if m > small => {
            return refuse(&format!("is for up to {small} contacts; this problem has {m}"));
        }
        StepSolver::Cache if !CACHED.contains(&m) => {
            let (least, most) = (CACHED.start(), CACHED.end());
            return refuse(&format!("is for {least} to {most} contacts; this problem has {m}"));
        }
        StepSolver::Chart => return refuse(&format!("is for {CHARTED}")),
        StepSolver::Table | StepSolver::Cache if !random => {
            let what = "chooses at random among several solutions, not as `--solution lemke` asks";
            return refuse(what);
        }
        _ => {}
    }
    let map = match solver {
        StepSolver::Tree => {
            let explicit = steps.pruned_map();
            let (regions, unique) = (explicit.regions.len(), explicit.unique);
            let hold = "combinations of contact modes hold on a cone with interior";
            why.push(format!("{regions} {hold}"));
            let overlap = match unique {
                true => "no two with different outcomes overlap: steps have one solution",
                false => "some with different outcomes overlap: steps have several solutions",
            };
            why.push(overlap.to_string());
            if !unique {
                if asked.is_some() {
                    return refuse("is for steps with one solution; here they have several");
                }
                solver = if random { StepSolver::Table } else { StepSolver::Scalar };
            }
            (unique || random).then(|| Map::new(steps, explicit))
        }
        StepSolver::Table => Some(Map::new(steps, steps.whole_map())),
        StepSolver::Cache => {
            let cache = steps.cache();
            why.push(cache.why());
            if !cache.knows_all() && asked.is_none() {
                let known =
                    "a cache may know only one of them, and every device is to take the same";
                why.push(format!("{known}: not taken unasked (--solver cache)"));
                solver = StepSolver::Scalar;
            }
            (solver == StepSolver::Cache).then(|| Map::new(steps, cache.explicit))
        }
        StepSolver::Chart | StepSolver::Scalar => None,
    };
    why.push(explain(steps, map.as_ref()));
    Ok(SolverChoice { solver, tables: map.map(|map| LaneTables::Steps(Box::new(map))), why })
}

/// The cost of a step in flop, counted from the sizes of its operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepCost {
    /// Cost of finding the solution; of a table, which rules most regions out early, at most.
    pub search: usize,
    /// Cost of computing the impulse, applying it and computing the residual.
    pub apply: usize,
    /// Cost of the whole step by Lemke's method with n/2 pivots, which is about the mean.
    pub lemke: usize,
}

/// The cost of a step by a map; without one, by the law's own solver.
pub fn cost<R: Lane>(steps: &Steps<f64>, map: Option<&Map<R>>) -> StepCost {
    let m = steps.space.step.contacts;
    let (k, n) = (steps.space.step.width(), steps.space.step.lcp_size());
    let x = k + m;
    // The operations of u + W L and of the residual.
    let check = 2 * k * k + 30 * m;
    let impulse = 2 * k * x;
    let lemke = n / 2 * 2 * n * (n + 2) + check;
    let search = match (map, &steps.table) {
        (Some(Map { tree: Some(tree), .. }), _) => tree.depth * 2 * x,
        (Some(map), _) => 2 * map.table.conditions.len(),
        (None, Some(table)) => 2 * table.conditions.len(),
        (None, None) => return StepCost { search: lemke - check, apply: check, lemke },
    };
    StepCost { search, apply: impulse + check, lemke }
}

fn explain<R: Lane>(steps: &Steps<f64>, map: Option<&Map<R>>) -> String {
    let m = steps.space.step.contacts;
    let StepCost { search, apply, lemke } = cost(steps, map);
    match map {
        Some(Map { tree: Some(tree), .. }) => format!(
            "tree: {} levels, {} flop per step (Lemke's method: about {lemke})",
            tree.depth,
            search + apply
        ),
        Some(map) => format!(
            "table: {} regions, {} conditions, at most {search} flop per step to look through, {apply} to apply one \
             (Lemke's method: about {lemke})",
            map.table.spans.len(),
            map.table.conditions.len() / (3 * m),
        ),
        None if steps.table.is_some() => {
            format!("sample by sample through a table of {} combinations", 7_usize.pow(m as u32))
        }
        None => format!("sample by sample by Lemke's method, about {lemke} flop per step"),
    }
}
