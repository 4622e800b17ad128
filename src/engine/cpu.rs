//! The engine of reference: every core of this machine.

use rayon::prelude::*;

use super::finish::{BLOCK, Finisher};
use super::lanes::{Job, Lane, Map};
use super::plan::Plan;
use crate::law::routh::{Bound, Ending, Workspace};
use crate::outcome::{Samples, Summary};
use crate::real::Real;
use crate::status::Status;

/// Blocks that one thread computes at a time: the vector kernel loses little at their end, and they stay in the cache.
const TASK: u64 = 4;

/// Computes samples `first .. first + count`, in blocks of [`BLOCK`] with the summary of each.
///
/// A block is a function of (problem, law, seed, block) alone - unless the run is stopped, which leaves blocks out.
pub fn blocks<R: Lane>(
    bound: &Bound<R>,
    map: Option<&Map<R>>,
    reference: &Bound<f64>,
    finisher: &Finisher<'_>,
    plan: &Plan,
    first: u64,
    count: u64,
) -> Vec<(Samples, Summary)> {
    let width = 2 * bound.step.contacts;
    let none = Ending { status: Status::Unsolved, steps: 0, residual: R::ZERO };
    in_tasks(
        count,
        || (stoppable(bound, plan), stoppable(reference, plan), Vec::new(), Vec::new()),
        |(work, repair, endings, totals), start, end| {
            if plan.stopped() {
                return Vec::new();
            }
            let n = (end - start) as usize;
            endings.clear();
            endings.resize(n, none);
            totals.clear();
            totals.resize(n * width, R::ZERO);
            Job { map, bound, seed: plan.seed, first: first + start, endings, totals, work }.run();
            finish(finisher, first + start, endings, totals, repair)
        },
    )
}

/// Finishes samples that another device has computed: one ending and one impulse (2m) each.
pub fn finish_blocks<R: Real>(
    reference: &Bound<f64>,
    finisher: &Finisher<'_>,
    plan: &Plan,
    first: u64,
    endings: &[Ending<R>],
    impulses: &[R],
) -> Vec<(Samples, Summary)> {
    let width = 2 * reference.step.contacts;
    in_tasks(
        endings.len() as u64,
        || stoppable(reference, plan),
        |repair: &mut Workspace<f64>, start, end| {
            if plan.stopped() {
                return Vec::new();
            }
            let (start, end) = (start as usize, end as usize);
            let totals = &impulses[start * width..end * width];
            finish(finisher, first + start as u64, &endings[start..end], totals, repair)
        },
    )
}

fn stoppable<R: Real>(bound: &Bound<R>, plan: &Plan) -> Workspace<R> {
    let mut work = bound.workspace();
    work.stop.clone_from(&plan.stop);
    work
}

/// Finishes a task's samples, block by block.
fn finish<R: Real>(
    finisher: &Finisher<'_>,
    first: u64,
    endings: &[Ending<R>],
    totals: &[R],
    repair: &mut Workspace<f64>,
) -> Vec<(Samples, Summary)> {
    let width = totals.len() / endings.len().max(1);
    let blocks = endings.chunks(BLOCK).zip(totals.chunks(BLOCK * width)).enumerate();
    blocks
        .map(|(b, (endings, totals))| {
            let samples = finisher.finish(first + (b * BLOCK) as u64, endings, totals, repair);
            let mut summary = finisher.summary();
            summary.add(&samples);
            (samples, summary)
        })
        .collect()
}

fn in_tasks<W: Send>(
    count: u64,
    workspace: impl Fn() -> W + Sync + Send,
    task: impl Fn(&mut W, u64, u64) -> Vec<(Samples, Summary)> + Sync + Send,
) -> Vec<(Samples, Summary)> {
    let size = TASK * BLOCK as u64;
    (0..count.div_ceil(size))
        .into_par_iter()
        .map_init(workspace, |work, t| task(work, t * size, ((t + 1) * size).min(count)))
        .flatten_iter()
        .collect()
}
