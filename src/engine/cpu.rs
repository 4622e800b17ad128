//! The reference engine: all cores of this machine.

use rayon::prelude::*;

use super::check::{BLOCK, Unchecked, Verifier, VerifierScratch};
use crate::run::Plan;
use carom_core::outcome::group::{Group, WIDTH};
use carom_core::outcome::{Samples, Summary};
use carom_core::problem::ContactProblem;
use carom_core::real::Real;
use carom_core::status::Status;
use carom_law::lanes::{Job, Kernels, LaneTables};
use carom_law::{Ending, Process};

/// Most blocks in one task of a thread. Longer tasks lose less time at their end, where the vector
/// kernel's lanes run empty; shorter tasks stay in the cache.
const TASK: u64 = 4;

/// Least number of rows of impulses for which a sample counts as slow.
const SLOW: usize = 13;

/// Samples in a task of slow samples, a group; and samples between looks at the stop flag.
const PART: usize = WIDTH;
const SLICE: usize = 16;

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
    /// A block is a function of (problem, law, seed, block number) alone. A stopped run has no
    /// blocks, or those of the slow samples before the first unfinished one.
    pub fn blocks<R: Kernels>(
        &self,
        process: &Process<R>,
        tables: Option<&LaneTables<R>>,
        first: u64,
        count: u64,
    ) -> Vec<Block> {
        let width = process.space().step.width();
        if self.is_slow() {
            return self.slow_blocks(process, tables, first, count);
        }
        let none = Ending { status: Status::Unsolved, steps: 0, residual: R::ZERO };
        let prepare = || (self.plan.workspace(process), self.scratch(), Vec::new(), Vec::new());
        self.in_tasks(count, prepare, |(work, scratch, endings, totals), start, end| {
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
        self.in_tasks(count, prepare, |scratch, start, end| {
            if self.plan.stopped() {
                return Vec::new();
            }
            let (first, start, end) = (raw.first + start, start as usize, end as usize);
            let endings = &raw.endings[start..end];
            let totals = &raw.totals[start * width..end * width];
            self.verify(Unchecked { first, endings, totals }, scratch)
        })
    }

    /// Whether samples are computed in parts smaller than blocks.
    pub fn is_slow(&self) -> bool {
        self.reference.space().step.width() >= SLOW && !self.verifier.is_dressed()
    }

    /// The blocks of slow samples, computed and verified in parts.
    fn slow_blocks<R: Kernels>(
        &self,
        process: &Process<R>,
        tables: Option<&LaneTables<R>>,
        first: u64,
        count: u64,
    ) -> Vec<Block> {
        let width = process.space().step.width();
        let none = Ending { status: Status::Unsolved, steps: 0, residual: R::ZERO };
        // Finished samples are verified to the end in a stopped run, too.
        let scratch = || VerifierScratch::new(self.problem, self.reference.workspace());
        let prepare = || (self.plan.workspace(process), scratch());
        let part = |(work, scratch): &mut (_, _), p: u64| {
            let first = first + p * PART as u64;
            let n = (count - p * PART as u64).min(PART as u64) as usize;
            let (mut endings, mut totals) = (vec![none; n], vec![R::ZERO; n * width]);
            let mut done = 0;
            while done < n && !self.plan.stopped() {
                let end = (done + SLICE).min(n);
                let (endings, totals) =
                    (&mut endings[done..end], &mut totals[done * width..end * width]);
                let (seed, at) = (self.plan.seed, first + done as u64);
                R::compute(Job { tables, process, seed, first: at, endings, totals, work });
                if !self.plan.stopped() {
                    done = end;
                }
            }
            let mut samples = Samples::default();
            let (endings, totals) = (&endings[..done], &totals[..done * width]);
            let raw = Unchecked { first, endings, totals };
            self.verifier.verify(raw, scratch, Some(&mut samples), None);
            (samples, done == n)
        };
        let parts = (0..count.div_ceil(PART as u64)).into_par_iter();
        let parts: Vec<(Samples, bool)> = parts.map_init(prepare, part).collect();
        let mut blocks: Vec<Block> = Vec::new();
        let (n, k) = (self.problem.coordinate_count(), self.problem.jacobian().nrows());
        let mut group = Group::new(n, k);
        for (p, (part, whole)) in parts.into_iter().enumerate() {
            if part.is_empty() {
                break;
            }
            if p % (BLOCK / PART) == 0 {
                let kept = || Samples { first: part.first, ..Samples::default() };
                blocks.push((self.verifier.summary(), self.keep.then(kept)));
            }
            part.get(0, &mut group);
            if let Some((summary, kept)) = blocks.last_mut() {
                summary.add_group(&mut group);
                if let Some(kept) = kept {
                    kept.append(part);
                }
            }
            if !whole {
                break;
            }
        }
        blocks
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

    fn in_tasks<W: Send>(
        &self,
        count: u64,
        workspace: impl Fn() -> W + Sync + Send,
        task: impl Fn(&mut W, u64, u64) -> Vec<Block> + Sync + Send,
    ) -> Vec<Block> {
        let blocks = count.div_ceil(BLOCK as u64);
        let share = blocks / rayon::current_num_threads() as u64;
        let size = share.clamp(1, TASK) * BLOCK as u64;
        let blocks = (0..count.div_ceil(size))
            .into_par_iter()
            .map_init(workspace, |work, t| task(work, t * size, ((t + 1) * size).min(count)))
            .flatten_iter()
            .collect();
        if self.plan.stopped() { Vec::new() } else { blocks }
    }
}
