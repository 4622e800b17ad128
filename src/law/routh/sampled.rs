//! The Routh law as a sampled law: its process on a problem, and its options.

use super::events::Events;
use super::inclusion::process::Inclusion;
use super::options::{Routh, RouthProcess, Solution};
use super::steps::Steps;
use super::steps::bouncing::Bouncing;
use crate::{Hypothesis, Process, ProcessKind, SampledLaw};
use carom_core::draws::rates;
use carom_core::{ContactProblem, Error, Real, Result, Sampler};

impl SampledLaw for Routh {
    fn prepare<R: Real>(&self, problem: &ContactProblem) -> Result<Process<R>> {
        Ok(match self.process_on(problem) {
            ProcessKind::Bouncing => Process::Bouncing(Bouncing::new(self, problem)?),
            ProcessKind::Events => Process::Events(Events::new(self, problem)?),
            ProcessKind::Inclusion => Process::Inclusion(Inclusion::new(self, problem)?),
            _ => Process::Steps(Steps::new(self, problem)?),
        })
    }

    /// The requested process, else the default in [`Routh::process`].
    fn process_on(&self, problem: &ContactProblem) -> ProcessKind {
        let special = problem.bounces() || problem.uncertainty().draws_numbers();
        let spatial = problem.tangents_per_contact() == 2;
        let exact = !spatial && (self.hypothesis() == Hypothesis::Stronge || !problem.bounces());
        let stepwise = self.facets.is_some() || !spatial && !special && self.is_published();
        let one_by_one = special || self.last_step.is_some();
        let steps = if one_by_one { ProcessKind::Bouncing } else { ProcessKind::Steps };
        match self.process {
            Some(RouthProcess::Steps) => steps,
            Some(RouthProcess::Events) => ProcessKind::Events,
            Some(RouthProcess::Inclusion) => ProcessKind::Inclusion,
            None if stepwise => steps,
            None if exact => ProcessKind::Events,
            None => ProcessKind::Inclusion,
        }
    }

    fn max_steps_on(&self, problem: &ContactProblem) -> u32 {
        match self.process_on(problem).is_in_blocks() {
            true => self.segments(),
            false => self.steps_on(problem),
        }
    }

    /// With an uncertain pose, a step length derived from the problem differs between samples.
    fn step_on(&self, problem: &ContactProblem) -> Option<f64> {
        let in_blocks = self.process_on(problem).is_in_blocks();
        let given = self.step.or(problem.spec().step.filter(|_| !in_blocks));
        if given.is_none() && problem.uncertainty().poses() {
            return None;
        }
        Some(match in_blocks {
            true => rates::block_on(problem, self.length()),
            false if self.reaches() && given.is_none() => rates::block_on(problem, self.length()),
            false => rates::step_on(problem, self.length()),
        })
    }

    fn accuracy_on(&self, problem: &ContactProblem) -> Option<f64> {
        let accuracy = self.accuracy.unwrap_or(Self::ACCURACY);
        (self.process_on(problem) == ProcessKind::Inclusion).then_some(accuracy)
    }

    fn hypothesis_on(&self, problem: &ContactProblem) -> Option<Hypothesis> {
        problem.bounces().then(|| self.hypothesis())
    }

    fn facets(&self) -> Option<u32> {
        self.facets
    }

    fn persistence(&self) -> Option<u32> {
        Some(Routh::persistence(self))
    }

    fn choices(&self) -> (Solution, Sampler) {
        (self.solution, self.sampler())
    }

    fn check(&self, problems: &[&ContactProblem]) -> Result<()> {
        if self.step.is_some() && self.block.is_some() {
            return Err(Error::usage("a length in N s and one over the natural step are two")
                .option("block")
                .hint("leave --block or --step out"));
        }
        let process = |problem: &&ContactProblem| self.process_on(problem);
        let Some(first) = problems.first().map(process) else { return Ok(()) };
        let all = |holds: fn(ProcessKind) -> bool| problems.iter().map(process).all(holds);
        if self.hypothesis.is_some() && problems.iter().all(|problem| !problem.bounces()) {
            return Err(no_restitution());
        }
        if self.solution == Solution::Lemke && all(ProcessKind::is_in_blocks) {
            let what = "has no steps whose solution Lemke's method could find";
            return Err(Error::usage(format!("the process `{}` {what}", first.word()))
                .option("solution")
                .hint("leave it out, or take steps: --process steps, in space --facets K"));
        }
        if self.last_step.is_some() && all(ProcessKind::is_in_blocks) {
            let what = "has no step limit at which a last step could be taken";
            return Err(Error::usage(format!("the process `{}` {what}", first.word()))
                .option("last_step")
                .hint("leave it out, or take steps: --process steps, in space --facets K"));
        }
        if self.accuracy.is_some() && all(|process| process != ProcessKind::Inclusion) {
            let what = "has no accuracy that could be chosen";
            return Err(Error::usage(format!("the process `{}` {what}", first.word()))
                .option("accuracy")
                .hint("leave it out, or take --process inclusion"));
        }
        Ok(())
    }
}

/// The error of a hypothesis without restitution.
pub fn no_restitution() -> Error {
    Error::usage("no contact has restitution that there could be a hypothesis about")
        .option("hypothesis")
        .hint("leave it out, or give restitution: --restitution E")
}
