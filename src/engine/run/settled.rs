//! What follows once a law meets a problem.

use carom_core::problem::ContactProblem;
use carom_law::{Law, ProcessKind};
use carom_shaders::spec::MAX_CONTACTS;

/// What is settled once law and problem are known, before anything is sampled.
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    /// The process that computes the samples.
    pub process: ProcessKind,
    /// The impulse step in N s, where the law has one.
    pub step: Option<f64>,
    /// The limit on steps, segments, substeps, impacts or rounds.
    pub max_steps: u32,
    /// Why no GPU computes this, if none does.
    pub cpu_only: Option<String>,
}

impl Settled {
    /// What follows from a law and a problem.
    pub fn new(law: &Law, problem: &ContactProblem) -> Self {
        let process = law.process_on(problem);
        Settled {
            process,
            step: law.step_on(problem),
            max_steps: law.max_steps_on(problem),
            cpu_only: cpu_only(process, problem),
        }
    }
}

fn cpu_only(process: ProcessKind, problem: &ContactProblem) -> Option<String> {
    let m = problem.contact_count();
    if m > MAX_CONTACTS && process != ProcessKind::Inclusion {
        return Some(format!("more than {MAX_CONTACTS} contacts"));
    }
    let uncertainty = problem.uncertainty();
    let inertia = !uncertainty.inertia.is_empty();
    process.on_the_cpu(m, [uncertainty.draws_numbers(), inertia]).map(str::to_string)
}
