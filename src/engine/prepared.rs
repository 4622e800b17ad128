//! Samples with low latency: a problem that is prepared once and used many times.

use super::check::{Unchecked, Verifier, VerifierScratch};
use super::lanes::{Job, LaneTables, Map};
use super::planner;
use super::posed::{Pose, Poser};
use crate::error::Result;
use crate::law::{Ending, Process, Workspace};
use crate::outcome::{Dressing, Samples};
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
    /// Draws the poses of samples that have their own.
    poser: Option<Box<Poser>>,
    /// The problem with the uncertain pose, where it has one.
    given: Option<Box<ContactProblem>>,
    /// The velocity before the last change by [`Prepared::velocity`].
    last: Vec<f64>,
    plan: Plan,
    process: Process<R>,
    reference: Process<f64>,
    tables: Option<LaneTables<R>>,
    work: Workspace<R>,
    scratch: VerifierScratch,
    dressing: Option<Dressing>,
    endings: Vec<Ending<R>>,
    totals: Vec<R>,
    samples: Samples,
}

impl<R: Lane> Prepared<R> {
    /// Prepares a problem. The law, the solver, the forecaster, the seed and the stop flag come
    /// from the plan; the flag ends samples that take very many steps, as [`Status::StepLimit`].
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
        let pose = Pose::of(problem, plan)?;
        let given = pose.is_some().then(|| Box::new(problem.clone()));
        let dressing = plan.dressing(problem)?;
        let (problem, poser) = match pose {
            None => (problem.clone(), None),
            Some(Pose::One(posed)) => (*posed, None),
            Some(Pose::Each(poser)) => (problem.unposed(), Some(poser)),
        };
        let problem = &problem;
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
            poser,
            given,
            last: problem.velocity().as_slice().to_vec(),
            dressing,
            plan: plan.clone(),
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
    /// allocate, unless the pose is uncertain or samples are forecasts.
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
        if let Some(given) = &mut self.given {
            given.set_velocity(velocity)?;
            if let Some(poser) = &mut self.poser {
                poser.follow(given);
            }
        }
        self.process.approach(&self.problem)?;
        self.reference.approach(&self.problem)?;
        let given = self.given.as_deref().unwrap_or(&self.problem);
        self.dressing = self.plan.dressing(given)?;
        self.follow();
        Ok(())
    }

    /// Sets another seed.
    pub fn seed(&mut self, seed: u64) {
        self.plan.seed = seed;
        if let Some(poser) = &mut self.poser {
            poser.seed(seed);
        }
    }

    /// Sets another problem. Where only the velocity differs, [`Prepared::velocity`] is faster.
    ///
    /// # Errors
    /// Those of [`Prepared::new`]; after an error the old problem stays.
    pub fn problem(&mut self, problem: &ContactProblem) -> Result<()> {
        *self = Prepared::new(problem, &self.plan)?;
        Ok(())
    }

    /// Adapts the tolerance of the tables to the impulse bounds.
    fn follow(&mut self) {
        if let (Some(tables), Some(rates)) = (&mut self.tables, self.reference.rates()) {
            tables.set_caps(rates.largest_caps());
        }
    }

    /// Samples `first .. first + count`, checked, and repaired where necessary. Does not allocate
    /// after a first call with the same `count`, unless the pose is uncertain. All samples are in
    /// memory at the same time.
    /// Numbers of samples end at 2^64.
    pub fn sample(&mut self, first: u64, count: usize) -> &Samples {
        let mut samples = std::mem::take(&mut self.samples);
        self.sample_into(first, count, &mut samples);
        self.samples = samples;
        &self.samples
    }

    /// Like [`Prepared::sample`], but writes into `samples`, whose old content does not matter.
    pub fn sample_into(&mut self, first: u64, count: usize, samples: &mut Samples) {
        let double = R::EPSILON <= f64::EPSILON;
        let verifier = Verifier::new::<R>(&self.problem, &self.reference, self.plan.seed, double)
            .dressed(self.dressing.as_ref());
        if let Some(poser) = &self.poser {
            *samples = poser.here::<R>(first, count as u64, alone::<R>);
            return verifier.hand_out(samples, None);
        }
        let width = self.process.space().step.width();
        self.endings
            .resize(count, Ending { status: Status::Unsolved, steps: 0, residual: R::ZERO });
        self.totals.resize(count * width, R::ZERO);
        let job = Job {
            tables: self.tables.as_ref(),
            process: &self.process,
            seed: self.plan.seed,
            first,
            endings: &mut self.endings,
            totals: &mut self.totals,
            work: &mut self.work,
        };
        job.run();
        let raw = Unchecked { first, endings: &self.endings, totals: &self.totals };
        verifier.verify(raw, &mut self.scratch, Some(samples), None);
    }
}

/// Sample `number` of a problem, of which no other is wanted.
pub(super) fn alone<R: Lane>(
    problem: &ContactProblem,
    plan: &Plan,
    number: u64,
) -> Result<Samples> {
    Ok(Prepared::<R>::for_samples(problem, plan, 1)?.sample(number, 1).clone())
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
