//! The engine of reference: every core of this machine.

use rayon::prelude::*;

use super::finish::{BLOCK, Finisher};
use super::plan::Plan;
use crate::law::routh::{Bound, Ending, Workspace};
use crate::outcome::{Samples, Summary};
use crate::real::Real;
use crate::rng::Stream;

/// Computes samples `first .. first + count`, in blocks of [`BLOCK`] with the summary of each.
///
/// A block is computed by one thread and is a function of (problem, law, seed, block) alone - unless the run is
/// stopped, which leaves blocks short.
pub fn blocks<R: Real>(
    bound: &Bound<R>,
    reference: &Bound<f64>,
    finisher: &Finisher<'_>,
    plan: &Plan,
    first: u64,
    count: u64,
) -> Vec<(Samples, Summary)> {
    in_blocks(
        count,
        || (stoppable(bound, plan), stoppable(reference, plan)),
        |(work, repair), start, end| {
            let raw = (start..end).take_while(|_| !plan.stopped()).map(|i| {
                let ending = bound.sample(&Stream::new(plan.seed, first + i), work);
                (ending, work.total.clone())
            });
            finisher.finish(first + start, raw, repair)
        },
        finisher,
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
    in_blocks(
        endings.len() as u64,
        || stoppable(reference, plan),
        |repair: &mut Workspace<f64>, start, end| {
            let raw = (start as usize..end as usize)
                .take_while(|_| !plan.stopped())
                .map(|i| (endings[i], impulses[i * width..(i + 1) * width].to_vec()));
            finisher.finish(first + start, raw, repair)
        },
        finisher,
    )
}

fn stoppable<R: Real>(bound: &Bound<R>, plan: &Plan) -> Workspace<R> {
    let mut work = bound.workspace();
    work.stop.clone_from(&plan.stop);
    work
}

fn in_blocks<W: Send>(
    count: u64,
    workspace: impl Fn() -> W + Sync + Send,
    block: impl Fn(&mut W, u64, u64) -> Samples + Sync + Send,
    finisher: &Finisher<'_>,
) -> Vec<(Samples, Summary)> {
    let size = BLOCK as u64;
    (0..count.div_ceil(size))
        .into_par_iter()
        .map_init(workspace, |work, b| {
            let samples = block(work, b * size, ((b + 1) * size).min(count));
            let mut summary = finisher.summary();
            summary.add(&samples);
            (samples, summary)
        })
        .collect()
}
