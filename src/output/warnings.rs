//! What a reader of results must know, beyond the results.

use super::RunRecord;
use crate::engine::Run;
use crate::law::{Hypothesis, ProcessKind};
use crate::problem::{ContactProblem, Uncertainty};
use crate::status::Status;

impl RunRecord {
    /// Adds the warnings that a finished run gives rise to.
    pub fn conclude(&mut self, problem: &ContactProblem, run: &Run) {
        let unsolved = unsolved(self.integrates_cones(), run);
        let gain = if self.has_hypothesis(Hypothesis::Poisson) { gain(problem, run) } else { None };
        self.warnings.extend([unsolved, gain, endless(run)].into_iter().flatten());
    }

    /// Whether circular friction cones are integrated.
    fn integrates_cones(&self) -> bool {
        self.sampling
            .as_ref()
            .is_some_and(|sampling| sampling.spatial && sampling.processes.contains(&ProcessKind::Inclusion))
    }

    fn has_hypothesis(&self, hypothesis: Hypothesis) -> bool {
        self.law.as_ref().is_some_and(|law| law.options["hypothesis"] == hypothesis.name())
    }
}

/// Samples without an outcome.
fn unsolved(cones: bool, run: &Run) -> Option<String> {
    let lost = run.summary.count(Status::Unsolved) + run.summary.count(Status::NotFinite);
    let help = if cones { "; cones with --facets K may do, or a shorter --step" } else { "" };
    let what = "samples have a step that no solver could solve; they are not counted as outcomes";
    (lost > 0).then(|| format!("{lost} {what}{help}"))
}

/// Energy that Poisson's hypothesis adds.
fn gain(problem: &ContactProblem, run: &Run) -> Option<String> {
    let Uncertainty { noise, inertia, .. } = problem.uncertainty();
    let before = problem.kinetic_energy(problem.velocity().as_slice());
    let (_, most, _) = run.summary.kinetic_energy.get(0)?;
    if most <= before * (1.0 + 1e-6) || *noise > 0.0 || !inertia.is_empty() {
        return None;
    }
    let factor = most / before;
    Some(format!(
        "with Poisson's hypothesis samples gain energy, up to {factor:.3} times what there was; with \
         --hypothesis stronge none does"
    ))
}

/// A limit within which no sample ended.
fn endless(run: &Run) -> Option<String> {
    if run.summary.terminated() > 0 || run.summary.count(Status::StepLimit) == 0 {
        return None;
    }
    let limit = run.max_steps;
    Some(match run.step {
        Some(step) => format!(
            "no sample ended within {limit} steps of {step:e} N s; try more --max-steps or another --step"
        ),
        None => format!("no sample ended within {limit} single impacts; try more --max-steps"),
    })
}
