//! The reference engine: all cores of this machine.

use rayon::prelude::*;

use super::check::{BLOCK, Unchecked, Verifier, VerifierScratch};
use crate::run::Plan;
use carom_core::outcome::{Samples, Summary};
use carom_core::problem::ContactProblem;
use carom_core::real::Real;
use carom_core::status::Status;
use carom_law::lanes::{Job, Kernels, LaneTables};
use carom_law::{Ending, Process};

/// Most blocks in one task of a thread. Longer tasks lose less time at their end, where the vector
/// kernel's lanes run empty; shorter tasks stay in the cache.
const TASK: u64 = 4;

/// The statistics of [`BLOCK`] consecutive samples, and the samples if they are kept.
pub type Block = (Summary, Option<Samples>);

/// Context that all samples of a run share.
#[derive(Clone, Copy, Debug)]
pub struct RunContext<'a> {
    /// The problem.
    pub problem: &'a ContactProblem,
    /// The law on the problem in f64.
    pub reference: &'a Process<f64>,
    /// The verifier of the samples.
    pub verifier: &'a Verifier<'a>,
    /// Seed and stop flag.
    pub plan: &'a Plan,
    /// Whether samples are kept, or only their statistics.
    pub keep: bool,
}

impl RunContext<'_> {
    /// Computes samples `first .. first + count`, in blocks of [`BLOCK`].
    ///
    /// A block is a function of (problem, law, seed, block number) alone. A stopped run leaves
    /// blocks out.
    pub fn blocks<R: Kernels>(
        &self,
        process: &Process<R>,
        tables: Option<&LaneTables<R>>,
        first: u64,
        count: u64,
    ) -> Vec<Block> {
        let width = process.space().step.width();
        let none = Ending { status: Status::Unsolved, steps: 0, residual: R::ZERO };
        let prepare = || (self.plan.workspace(process), self.scratch(), Vec::new(), Vec::new());
        in_tasks(count, prepare, |(work, scratch, endings, totals), start, end| {
            if self.plan.stopped() {
                return Vec::new();
            }
            let n = (end - start) as usize;
            endings.resize(n, none);
            totals.resize(n * width, R::ZERO);
            let first = first + start;
            let seed = self.plan.seed;
            R::compute(Job { tables, process, seed, first, endings, totals, work });
            if self.plan.stopped() {
                return Vec::new();
            }
            self.verify(Unchecked { first, endings, totals }, scratch)
        })
    }

    /// Verifies samples of another device.
    #[cfg(feature = "gpu")]
    pub fn verify_blocks<R: Real>(&self, raw: Unchecked<'_, R>) -> Vec<Block> {
        let width = self.reference.space().step.width();
        let count = raw.endings.len() as u64;
        let prepare = || self.scratch();
        in_tasks(count, prepare, |scratch, start, end| {
            if self.plan.stopped() {
                return Vec::new();
            }
            let (first, start, end) = (raw.first + start, start as usize, end as usize);
            let endings = &raw.endings[start..end];
            let totals = &raw.totals[start * width..end * width];
            self.verify(Unchecked { first, endings, totals }, scratch)
        })
    }

    fn scratch(&self) -> VerifierScratch {
        VerifierScratch::new(self.problem, self.plan.workspace(self.reference))
    }

    /// Verifies the samples of a task, block by block.
    fn verify<R: Real>(&self, raw: Unchecked<'_, R>, scratch: &mut VerifierScratch) -> Vec<Block> {
        let width = self.reference.space().step.width();
        let blocks = raw.endings.chunks(BLOCK).zip(raw.totals.chunks(BLOCK * width)).enumerate();
        let block = |(b, (endings, totals))| {
            let mut summary = self.verifier.summary();
            let mut samples = self.keep.then(Samples::default);
            let raw = Unchecked { first: raw.first + (b * BLOCK) as u64, endings, totals };
            self.verifier.verify(raw, scratch, samples.as_mut(), Some(&mut summary));
            (summary, samples)
        };
        blocks.map(block).collect()
    }
}

fn in_tasks<W: Send>(
    count: u64,
    workspace: impl Fn() -> W + Sync + Send,
    task: impl Fn(&mut W, u64, u64) -> Vec<Block> + Sync + Send,
) -> Vec<Block> {
    let blocks = count.div_ceil(BLOCK as u64);
    let share = blocks / rayon::current_num_threads() as u64;
    let size = share.clamp(1, TASK) * BLOCK as u64;
    (0..count.div_ceil(size))
        .into_par_iter()
        .map_init(workspace, |work, t| task(work, t * size, ((t + 1) * size).min(count)))
        .flatten_iter()
        .collect()
}
