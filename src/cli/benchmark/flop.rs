//! The arithmetic operations of a sample, counted.

use crate::{ContactProblem, Result};
use carom_core::lcp::ModeTable;
use carom_core::real::Counted;
use carom_core::rng::Stream;
use carom_core::vectors::Lane;
use carom_engine::planner::{self, StepCost};
use carom_law::lanes::LaneTables;
use carom_law::{Law, Process};

/// Number of samples whose steps are counted.
const COUNTED: u64 = 256;

/// Mean flop of a sample, counted over some samples. Steps: conditions up to the first violated
/// condition, then the impulse, its effect and its residual. Other processes: the operations of the
/// scalar engine, one by one, see [`Counted`]. An inclusion is counted in substeps, even if its
/// samples are integrated phase by phase.
pub fn flop_per_sample<R: Lane>(
    law: &Law,
    process: &Process<f64>,
    problem: &ContactProblem,
    tables: Option<&LaneTables<R>>,
) -> Result<f64> {
    let Process::Steps(steps) = process else { return one_by_one(&law.prepare(problem)?) };
    let map = tables.and_then(LaneTables::map);
    let StepCost { apply, lemke, .. } = planner::cost(steps);
    let mut work = steps.workspace();
    let mut flop = 0;
    for i in 0..COUNTED {
        steps.sample_observed(&Stream::new(0, i), &mut work, |_, x, _| {
            flop += match (map, &steps.table) {
                (Some(map), _) => through(&map.table, x) + apply,
                (None, Some(table)) => through(table, x) + apply,
                (None, None) => lemke,
            };
        });
    }
    Ok(flop as f64 / COUNTED as f64)
}

fn one_by_one(process: &Process<Counted>) -> Result<f64> {
    let mut work = process.workspace();
    Counted::operations();
    for i in 0..COUNTED {
        process.sample(&Stream::new(0, i), &mut work);
    }
    Ok(Counted::operations() as f64 / COUNTED as f64)
}

/// Flop of the conditions at `x`: in each critical region, conditions up to the first violated one.
fn through<R: Lane>(table: &ModeTable<R>, x: &[f64]) -> usize {
    let fails = |row: &[R]| {
        let sum: f64 = row.iter().zip(x).map(|(a, b)| a.to_f64() * b).sum();
        sum < -table.tolerance.to_f64()
    };
    let looked_at = |&[first, rows]: &[u32; 2]| {
        let rows = &table.conditions[first as usize * x.len()..(first + rows) as usize * x.len()];
        let rows = rows.chunks_exact(x.len());
        let all = rows.len();
        rows.into_iter().position(fails).map_or(all, |k| k + 1)
    };
    2 * x.len() * table.spans.iter().map(looked_at).sum::<usize>()
}
