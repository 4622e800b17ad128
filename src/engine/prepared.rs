//! Samples with low latency: a problem that is prepared once and used many times.

use super::check::{Unchecked, Verifier, VerifierScratch};
use super::lanes::{Job, LaneTables, Map};
use super::planner;
use crate::error::Result;
use crate::law::{Ending, Law, Process, Workspace};
use crate::outcome::{Samples, Tolerance};
use crate::problem::ContactProblem;
use crate::run::{Plan, StepSolver};
use crate::status::Status;
use crate::vectors::Lane;

/// Number of samples below which a chart costs more than it saves: it takes 1 ms, and saves .6 us
/// per sample.
const FEW: u64 = 2000;

/// A problem that is prepared on the CPU and can be sampled many times, with new velocities or new
/// problems.
///
/// Samples are computed on the caller's thread. They are those of
/// [`Engine::sample`](super::Engine::sample) up to rounding: where the plan does not prescribe a
/// solver, the whole table is used for up to three contacts, which is built ten times faster than a
/// tree.
#[derive(Clone, Debug)]
pub struct Prepared<R: Lane> {
    problem: ContactProblem,
    /// The velocity before the last change by [`Prepared::velocity`].
    last: Vec<f64>,
    law: Law,
    solver: Option<StepSolver>,
    seed: u64,
    process: Process<R>,
    reference: Process<f64>,
    tables: Option<LaneTables<R>>,
    work: Workspace<R>,
    scratch: VerifierScratch,
    endings: Vec<Ending<R>>,
    totals: Vec<R>,
    samples: Samples,
}

impl<R: Lane> Prepared<R> {
    /// Prepares a problem. The law, the solver, the seed and the stop flag come from the plan; the
    /// flag ends samples that take very many steps, as [`Status::StepLimit`].
    ///
    /// # Errors
    /// Something that the law or the solver does not support.
    pub fn new(problem: &ContactProblem, plan: &Plan) -> Result<Self> {
        Self::for_samples(problem, plan, u64::MAX)
    }

    /// Prepares a problem of which `samples` samples will be computed: for a few of them no chart
    /// is made, as that takes longer.
    ///
    /// # Errors
    /// Those of [`Prepared::new`].
    pub(super) fn for_samples(problem: &ContactProblem, plan: &Plan, samples: u64) -> Result<Self> {
        let law = &plan.law;
        let reference = law.prepare::<f64>(problem)?;
        let few = plan.solver.is_none() && samples < FEW && matches!(reference, Process::Events(_));
        let tables = if few { None } else { tables(&reference, plan.solver)? };
        let process = reference.cast::<R>(problem)?;
        let (mut work, mut scratch) =
            (process.workspace(), VerifierScratch::new(problem, &reference));
        work.stop().clone_from(&plan.stop);
        scratch.work.stop().clone_from(&plan.stop);
        let mut prepared = Prepared {
            problem: problem.clone(),
            last: problem.velocity().as_slice().to_vec(),
            law: law.clone(),
            solver: plan.solver,
            seed: plan.seed,
            work,
            scratch,
            process,
            reference,
            tables,
            endings: Vec::new(),
            totals: Vec::new(),
            samples: Samples::default(),
        };
        prepared.follow();
        Ok(prepared)
    }

    /// Sets another velocity (n) before the impact; mass, Jacobians and friction stay. Does not
    /// allocate.
    ///
    /// # Errors
    /// Those of [`ContactProblem::set_velocity`], a step out of range; after an error the old
    /// velocity stays.
    pub fn velocity(&mut self, velocity: &[f64]) -> Result<()> {
        self.last.copy_from_slice(self.problem.velocity().as_slice());
        let set = self.approach(velocity);
        if set.is_err() {
            let last = std::mem::take(&mut self.last);
            let accepted_before = self.approach(&last);
            self.last = last;
            accepted_before?;
        }
        set
    }

    /// Recomputes all data that depend on the velocity.
    fn approach(&mut self, velocity: &[f64]) -> Result<()> {
        self.problem.set_velocity(velocity)?;
        self.process.approach(&self.problem)?;
        self.reference.approach(&self.problem)?;
        self.follow();
        Ok(())
    }

    /// The problem, with the velocity of the moment.
    pub fn current(&self) -> &ContactProblem {
        &self.problem
    }

    /// The thresholds of its samples: what counts as at rest, and what is accepted.
    pub fn tolerance(&self) -> Tolerance {
        Tolerance {
            rest: self.problem.rest_velocity::<R>(),
            residual: self.reference.most_residual::<R>(),
        }
    }

    /// Makes room for calls with `count` samples, none of which allocates then.
    pub fn reserve(&mut self, count: usize) {
        let (n, k) = (self.problem.coordinate_count(), self.problem.jacobian().nrows());
        self.room(count);
        self.samples.resize(count, n, k);
    }

    /// Sets another seed.
    pub fn seed(&mut self, seed: u64) {
        self.seed = seed;
    }

    /// Sets another problem. Where only the velocity differs, [`Prepared::velocity`] is faster.
    ///
    /// # Errors
    /// Those of [`Prepared::new`]; after an error the old problem stays.
    pub fn problem(&mut self, problem: &ContactProblem) -> Result<()> {
        let plan = Plan {
            law: self.law.clone(),
            solver: self.solver,
            seed: self.seed,
            stop: self.work.stop().clone(),
            ..Plan::default()
        };
        *self = Prepared::new(problem, &plan)?;
        Ok(())
    }

    /// Fits the memory of raw samples to a call with `count` of them.
    fn room(&mut self, count: usize) {
        let width = self.process.space().step.width();
        self.endings
            .resize(count, Ending { status: Status::Unsolved, steps: 0, residual: R::ZERO });
        self.totals.resize(count * width, R::ZERO);
    }

    /// Adapts the tolerance of the tables to the impulse bounds.
    fn follow(&mut self) {
        if let (Some(tables), Some(rates)) = (&mut self.tables, self.reference.rates()) {
            tables.set_caps(rates.largest_caps());
        }
    }

    /// Samples `first .. first + count`, checked, and repaired where necessary. Does not allocate
    /// after a first call with the same `count`. All samples are in memory at the same time.
    /// Numbers of samples end at 2^64.
    pub fn sample(&mut self, first: u64, count: usize) -> &Samples {
        let mut samples = std::mem::take(&mut self.samples);
        self.sample_into(first, count, &mut samples);
        self.samples = samples;
        &self.samples
    }

    /// Like [`Prepared::sample`], but writes into `samples`, whose old content does not matter.
    pub fn sample_into(&mut self, first: u64, count: usize, samples: &mut Samples) {
        self.room(count);
        let job = Job {
            tables: self.tables.as_ref(),
            process: &self.process,
            seed: self.seed,
            first,
            endings: &mut self.endings,
            totals: &mut self.totals,
            work: &mut self.work,
        };
        job.run();
        let double = R::EPSILON <= f64::EPSILON;
        let verifier = Verifier::new::<R>(&self.problem, &self.reference, self.seed, double);
        let raw = Unchecked { first, endings: &self.endings, totals: &self.totals };
        verifier.verify(raw, &mut self.scratch, Some(samples), None);
    }
}

fn tables<R: Lane>(
    reference: &Process<f64>,
    solver: Option<StepSolver>,
) -> Result<Option<LaneTables<R>>> {
    if solver.is_none()
        && let Some(steps) = reference.steps()
        && steps.table.is_some()
    {
        return Ok(Some(LaneTables::Steps(Box::new(Map::new(steps, steps.whole_map())))));
    }
    Ok(planner::choose(reference, solver)?.tables)
}
