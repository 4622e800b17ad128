//! The reference engine: all cores of this machine.

use rayon::prelude::*;

use super::check::{BLOCK, Desk, Finisher, Unchecked};
use super::lanes::{Job, Lane, Tables};
use super::plan::Plan;
use crate::law::{Ending, Process, Workspace};
use crate::outcome::{Samples, Summary};
use crate::problem::ContactProblem;
use crate::real::Real;
use crate::status::Status;

/// Blocks that one thread computes at a time. The vector kernel then loses little time when the
/// last samples of a task end, and the blocks stay in the cache.
const TASK: u64 = 4;

/// The statistics of [`BLOCK`] consecutive samples, and the samples if they are wanted.
pub type Block = (Summary, Option<Samples>);

/// A run: a problem, prepared in f64, and how its samples are finished.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    /// The problem.
    pub problem: &'a ContactProblem,
    /// The law on it in f64.
    pub reference: &'a Process<f64>,
    /// How its samples are finished.
    pub finisher: &'a Finisher<'a>,
    /// Seed and stop flag.
    pub plan: &'a Plan,
    /// Whether samples are wanted, or only their statistics.
    pub keep: bool,
}

impl Order<'_> {
    /// Computes samples `first .. first + count`, in blocks of [`BLOCK`].
    ///
    /// A block is a function of (problem, law, seed, block number) alone. A run that is stopped
    /// leaves blocks out.
    pub fn blocks<R: Lane>(
        &self,
        process: &Process<R>,
        tables: Option<&Tables<R>>,
        first: u64,
        count: u64,
    ) -> Vec<Block> {
        let width = process.space().step.width();
        let none = Ending { status: Status::Unsolved, steps: 0, residual: R::ZERO };
        let prepare = || (self.stoppable(process), self.desk(), Vec::new(), Vec::new());
        in_tasks(count, prepare, |(work, desk, endings, totals), start, end| {
            if self.plan.stopped() {
                return Vec::new();
            }
            let n = (end - start) as usize;
            endings.resize(n, none);
            totals.resize(n * width, R::ZERO);
            let first = first + start;
            Job { tables, process, seed: self.plan.seed, first, endings, totals, work }.run();
            self.finish(Unchecked { first, endings, totals }, desk)
        })
    }

    /// Finishes samples that another device has computed.
    pub fn finish_blocks<R: Real>(&self, raw: Unchecked<'_, R>) -> Vec<Block> {
        let width = self.reference.space().step.width();
        in_tasks(
            raw.endings.len() as u64,
            || self.desk(),
            |desk, start, end| {
                if self.plan.stopped() {
                    return Vec::new();
                }
                let (first, start, end) = (raw.first + start, start as usize, end as usize);
                let (endings, totals) =
                    (&raw.endings[start..end], &raw.totals[start * width..end * width]);
                self.finish(Unchecked { first, endings, totals }, desk)
            },
        )
    }

    fn stoppable<R: Real>(&self, process: &Process<R>) -> Workspace<R> {
        let mut work = process.workspace();
        work.stop().clone_from(&self.plan.stop);
        work
    }

    fn desk(&self) -> Desk {
        let mut desk = Desk::new(self.problem, self.reference);
        desk.work.stop().clone_from(&self.plan.stop);
        desk
    }

    /// Finishes the samples of a task, block by block.
    fn finish<R: Real>(&self, raw: Unchecked<'_, R>, desk: &mut Desk) -> Vec<Block> {
        let width = self.reference.space().step.width();
        let blocks = raw.endings.chunks(BLOCK).zip(raw.totals.chunks(BLOCK * width)).enumerate();
        blocks
            .map(|(b, (endings, totals))| {
                let mut summary = self.finisher.summary();
                let mut samples = self.keep.then(Samples::default);
                let raw = Unchecked { first: raw.first + (b * BLOCK) as u64, endings, totals };
                self.finisher.finish(raw, desk, samples.as_mut(), Some(&mut summary));
                (summary, samples)
            })
            .collect()
    }
}

fn in_tasks<W: Send>(
    count: u64,
    workspace: impl Fn() -> W + Sync + Send,
    task: impl Fn(&mut W, u64, u64) -> Vec<Block> + Sync + Send,
) -> Vec<Block> {
    let size = TASK * BLOCK as u64;
    (0..count.div_ceil(size))
        .into_par_iter()
        .map_init(workspace, |work, t| task(work, t * size, ((t + 1) * size).min(count)))
        .flatten_iter()
        .collect()
}
