//! Samples with low latency: a problem prepared once and used many times.

use std::ops::Range;

use super::check::{Unchecked, Verifier, VerifierScratch};
use super::planner;
use super::posed::{Pose, Poser};
use crate::run::Plan;
use carom_core::error::Result;
use carom_core::outcome::{Dressing, Samples, Tolerance};
use carom_core::problem::ContactProblem;
use carom_core::status::Status;
use carom_law::lanes::{InclusionJob, Job, Kernels, LaneTables};
use carom_law::routh::inclusion::lanes::Starts;
use carom_law::routh::inclusion::process::Inclusion;
use carom_law::{Ending, Process, Workspace};

/// Number of samples below which building a chart costs more time than it saves: building takes 1
/// ms, and a sample saves 0.6 us.
const FEW: u64 = 2000;

/// A problem prepared on the CPU for repeated sampling, with new velocities or new problems.
///
/// The caller's thread computes the samples. Up to rounding they equal the samples of
/// [`Engine::sample`](super::Engine::sample).
#[derive(Clone, Debug)]
pub struct Prepared<R: Kernels> {
    problem: ContactProblem,
    /// Draws a pose for each sample, if the pose is uncertain.
    poser: Option<Box<Poser>>,
    /// The original problem, if it has an uncertain pose.
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

impl<R: Kernels> Prepared<R> {
    /// Prepares a problem. Law, solver, forecaster, seed and stop flag come from the plan. The flag
    /// ends samples with very many steps, as [`Status::StepLimit`].
    ///
    /// # Errors
    /// A feature that the law or the solver does not support.
    pub fn new(problem: &ContactProblem, plan: &Plan) -> Result<Self> {
        Self::for_samples(problem, plan, u64::MAX)
    }

    /// Prepares a problem for `samples` samples. For few samples no chart is built, as that takes
    /// longer.
    ///
    /// # Errors
    /// Errors of [`Prepared::new`].
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
        let solver = plan.known_solver();
        let few = solver.is_none() && samples < FEW && matches!(reference, Process::Events(_));
        let tables = if few { None } else { planner::choose(&reference, solver)?.tables };
        let process = law.prepare::<R>(problem)?;
        let work = plan.workspace(&process);
        let scratch = VerifierScratch::new(problem, plan.workspace(&reference));
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
    /// Errors of [`ContactProblem::set_velocity`]; a step out of range. After an error the old
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

    /// The problem, with the current velocity.
    pub fn current(&self) -> &ContactProblem {
        self.given.as_deref().unwrap_or(&self.problem)
    }

    /// The tolerances of the samples: speed of rest, and acceptance tolerance.
    pub fn tolerance(&self) -> Tolerance {
        Tolerance {
            rest: self.problem.rest_velocity::<R>(),
            residual: self.reference.most_residual::<R>(),
        }
    }

    /// Allocates memory for calls with `count` samples, so that later calls do not allocate.
    pub fn reserve(&mut self, count: usize) {
        let (n, k) = (self.problem.coordinate_count(), self.problem.jacobian().nrows());
        self.room(count);
        self.samples.resize(count, n, k);
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
    /// Errors of [`Prepared::new`]; after an error the old problem stays.
    pub fn problem(&mut self, problem: &ContactProblem) -> Result<()> {
        *self = Prepared::new(problem, &self.plan)?;
        Ok(())
    }

    /// Resizes the buffers of raw results to `count` samples.
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

    /// Samples `first .. first + count`, checked, and recomputed if flagged. Does not allocate
    /// after a first call with the same `count`, unless the pose is uncertain. All samples are in
    /// memory at the same time. Sample numbers end at 2^64.
    pub fn sample(&mut self, first: u64, count: usize) -> &Samples {
        let mut samples = std::mem::take(&mut self.samples);
        self.sample_into(first, count, &mut samples);
        self.samples = samples;
        &self.samples
    }

    /// Like [`Prepared::sample`], but overwrites `samples`.
    pub fn sample_into(&mut self, first: u64, count: usize, samples: &mut Samples) {
        if let Some(poser) = &self.poser {
            *samples = poser.here::<R>(first, count as u64, alone::<R>);
            return verifier::<R>(&self.problem, &self.reference, self.plan.seed)
                .dressed(self.dressing.as_ref())
                .hand_out(samples, None);
        }
        self.room(count);
        let job = Job {
            tables: self.tables.as_ref(),
            process: &self.process,
            seed: self.plan.seed,
            first,
            endings: &mut self.endings,
            totals: &mut self.totals,
            work: &mut self.work,
        };
        R::compute(job);
        self.check(first, 0..count, samples);
    }

    /// Checks samples `first ..`, with the endings and impulses of rows `of`.
    fn check(&mut self, first: u64, of: Range<usize>, samples: &mut Samples) {
        let width = self.process.space().step.width();
        let totals = &self.totals[of.start * width..of.end * width];
        let raw = Unchecked { first, endings: &self.endings[of], totals };
        verifier::<R>(&self.problem, &self.reference, self.plan.seed)
            .dressed(self.dressing.as_ref())
            .verify(raw, &mut self.scratch, Some(samples), None);
    }

    /// Samples with these numbers, each from a velocity of its own, a row of `velocities` (N,n). Up
    /// to rounding, the results equal alternating calls of [`Prepared::velocity`] and
    /// [`Prepared::sample`]. `each` is called with the position of a sample in the list, and a set
    /// of this sample alone.
    ///
    /// Samples of the inclusion share the lanes of vectors.
    ///
    /// # Errors
    /// Errors of [`Prepared::velocity`]. Afterwards the problem has the velocity of a row.
    pub fn sample_from(
        &mut self,
        numbers: &[u64],
        velocities: &[f64],
        mut each: impl FnMut(usize, &Samples),
    ) -> Result<()> {
        let rows = velocities.chunks_exact(self.problem.coordinate_count());
        let mut samples = std::mem::take(&mut self.samples);
        let together = self.run_from(numbers, rows.clone())?;
        for (i, (&number, row)) in numbers.iter().zip(rows).enumerate() {
            self.velocity(row)?;
            match together {
                true => self.check(number, i..i + 1, &mut samples),
                false => self.sample_into(number, 1, &mut samples),
            }
            each(i, &samples);
        }
        self.samples = samples;
        Ok(())
    }

    /// Computes samples from velocities of their own in the lanes of vectors, without checks.
    /// Returns false where this does not apply: lanes serve the inclusion, whose samples share all
    /// data but the start.
    fn run_from<'v>(
        &mut self,
        numbers: &[u64],
        velocities: impl Iterator<Item = &'v [f64]>,
    ) -> Result<bool> {
        let shares = |law: &Inclusion<R>| {
            law.takes_plain_steps() && law.adapts && law.numbers.noise.is_empty()
        };
        let shared = matches!(&self.process, Process::Inclusion(law) if shares(law));
        if self.poser.is_some() || !shared {
            return Ok(false);
        }
        let (mut start, mut rest, mut reach) = (Vec::new(), Vec::new(), Vec::new());
        for row in velocities {
            self.velocity(row)?;
            start.extend_from_slice(&self.process.space().start);
            rest.extend_from_slice(&self.process.space().rest);
            reach.extend(self.process.rates().map(|rates| rates.reach));
        }
        self.room(numbers.len());
        let (Process::Inclusion(law), Workspace::Inclusion(work)) = (&self.process, &mut self.work)
        else {
            return Ok(false);
        };
        Ok(R::compute_from(InclusionJob {
            law,
            seed: self.plan.seed,
            first: 0,
            from: Some((numbers, Starts { start: &start, rest: &rest, reach: &reach })),
            endings: &mut self.endings,
            totals: &mut self.totals,
            work,
        }))
    }
}

/// The verifier of CPU samples in precision `R`.
fn verifier<'a, R: Kernels>(
    problem: &'a ContactProblem,
    reference: &'a Process<f64>,
    seed: u64,
) -> Verifier<'a> {
    Verifier::new::<R>(problem, reference, seed, R::EPSILON <= f64::EPSILON)
}

/// Computes the single sample `number` of a problem.
pub(super) fn alone<R: Kernels>(
    problem: &ContactProblem,
    plan: &Plan,
    number: u64,
) -> Result<Samples> {
    Ok(Prepared::<R>::for_samples(problem, plan, 1)?.sample(number, 1).clone())
}
