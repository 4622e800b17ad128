//! Ways to sample scenes.

use super::{Bench, holds};
use carom_core::problem::ContactProblem;
use carom_engine::run::Settled;
use carom_engine::{Engine, StepSolver};
use carom_law::{Law, ProcessKind, Propagative, Routh, RouthProcess, Sequential, Solution};

/// Facets of the friction cones of spatial problems in steps.
const FACETS: u32 = 4;

pub(super) struct Case<'a> {
    pub(super) scene: &'a str,
    pub(super) problem: &'a ContactProblem,
    pub(super) law: Law,
    pub(super) solver: Option<StepSolver>,
    /// Whether the case applies to every problem; otherwise unsupported problems are skipped.
    pub(super) usual: bool,
}

impl Bench {
    pub(super) fn cases<'a>(
        &self,
        engine: &Engine,
        scenes: &'a [(String, ContactProblem)],
    ) -> Vec<Case<'a>> {
        let on_cpu = engine.info().kind == "cpu";
        let mut cases = Vec::new();
        for (scene, problem) in scenes.iter().filter(|(_, problem)| holds(engine, problem)) {
            let mut add =
                |law: Law, solver, usual| cases.push(Case { scene, problem, law, solver, usual });
            let planar = problem.tangents_per_contact() == 1;
            let default = default_on(engine, problem);
            if !planar || default.process != Some(RouthProcess::Steps) {
                add(default.into(), None, true);
            }
            if planar {
                add(Routh::steps().into(), None, true);
            }
            if self.quick {
                continue;
            }
            if planar {
                if on_cpu {
                    add(Routh::steps().into(), Some(StepSolver::Scalar), false);
                }
                add(Routh { solution: Solution::Lemke, ..Routh::steps() }.into(), None, false);
                add(Propagative::default().into(), None, false);
            } else {
                add(Routh { facets: Some(FACETS), ..Routh::default() }.into(), None, false);
            }
            add(Sequential::default().into(), None, false);
        }
        cases
    }
}

impl Case<'_> {
    pub(super) fn process(&self) -> ProcessKind {
        self.law.process_on(self.problem)
    }

    /// The number of facets, if the cones have facets, and the choice among several solutions of a
    /// step.
    pub(super) fn facets(&self) -> (Option<u32>, Solution) {
        match &self.law {
            Law::Routh(law) => (law.facets, law.solution),
            _ => (None, Solution::Random),
        }
    }

    /// The options of `carom sample` that select the case.
    pub(super) fn options(&self) -> String {
        match (&self.law, self.facets().0) {
            (Law::Routh(_), Some(facets)) => format!("--facets {facets}"),
            (Law::Routh(law), None) => {
                format!("--process {} --solution {}", self.process().word(), law.solution.name())
            }
            (law, _) => format!("--law {}", law.name()),
        }
    }
}

/// The law with its defaults. On a GPU it takes steps if its default process runs on the CPU only.
pub(super) fn default_on(engine: &Engine, problem: &ContactProblem) -> Routh {
    let cpu_only = Settled::new(&Law::default(), problem).cpu_only;
    let elsewhere = engine.info().kind != "cpu" && cpu_only.is_some();
    if elsewhere { Routh::steps() } else { Routh::default() }
}
