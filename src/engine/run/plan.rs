use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{Device, Forecaster, Precision, Run, StepSolver};
use carom_core::error::Result;
use carom_core::outcome::Dressing;
use carom_core::problem::ContactProblem;
use carom_core::stopped;
use carom_law::{Compiled, Law, Process, ProcessKind, Workspace};
use carom_shaders::spec::MAX_CONTACTS;

/// The plan of a run.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The impact law.
    pub law: Law,
    /// Number of samples.
    pub samples: u64,
    /// The number of the first sample, for runs of one problem; 0 elsewhere.
    pub first: u64,
    /// Seed of the sample streams.
    pub seed: u64,
    /// The device.
    pub device: Device,
    /// The precision; `None`: f32 on a GPU, f64 on the CPU.
    pub precision: Option<Precision>,
    /// The solver of steps on the CPU; `None`: the fastest one that applies.
    pub solver: Option<StepSolver>,
    /// The name of the model file with the law, if the law comes from a model.
    pub model: Option<String>,
    /// The model that makes forecasts from outcomes of the law; `None`: samples are the outcomes.
    pub forecaster: Option<Arc<dyn Forecaster>>,
    /// Largest number of samples computed at a time, rounded up to blocks. By default, chunks take
    /// about a quarter of a second. Results do not depend on this number.
    pub chunk: Option<u64>,
    /// A flag that ends the run with [`ErrorKind::Interrupted`] within a few samples once it is
    /// true, for example set by a signal handler.
    ///
    /// [`ErrorKind::Interrupted`]: carom_core::error::ErrorKind::Interrupted
    pub stop: Option<Arc<AtomicBool>>,
    /// Whether a stopped run keeps its finished samples, if any.
    pub partial: bool,
}

impl Plan {
    /// The requested solver; `None`: the fastest one that applies.
    pub fn known_solver(&self) -> Option<StepSolver> {
        self.solver.filter(|solver| *solver != StepSolver::Former)
    }

    /// The map from outcomes on a problem to forecasts, if the plan has a forecast model.
    ///
    /// # Errors
    /// Errors of [`Forecaster::dressing`].
    pub fn dressing(&self, problem: &ContactProblem) -> Result<Option<Dressing>> {
        self.forecaster.as_ref().map(|forecaster| forecaster.dressing(problem)).transpose()
    }

    /// Whether the stop flag is set.
    pub fn stopped(&self) -> bool {
        stopped(&self.stop)
    }

    /// A workspace of a process; the stop flag interrupts computations in it.
    pub(crate) fn workspace<R: Compiled>(&self, process: &Process<R>) -> Workspace<R> {
        let mut work = process.workspace();
        work.stop().clone_from(&self.stop);
        work
    }
}

impl Run {
    /// The plan of the run.
    pub fn plan(&self) -> Plan {
        Plan {
            law: self.law.clone(),
            samples: self.samples.unwrap_or(Self::SAMPLES),
            seed: self.seed,
            device: self.device.clone(),
            precision: self.precision,
            solver: self.solver,
            model: self.model.as_ref().map(|file| file.name().to_string()),
            forecaster: self.forecaster(),
            ..Plan::default()
        }
    }
}

/// Properties of a run that follow from law and problem, before sampling.
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    /// The process that computes the samples.
    pub process: ProcessKind,
    /// The impulse step in N s, where the law has one.
    pub step: Option<f64>,
    /// The limit on steps, segments, substeps, impacts or rounds.
    pub max_steps: u32,
    /// The reason why no GPU kernel computes the run; `None`: one does.
    pub cpu_only: Option<String>,
}

impl Settled {
    /// Derives the properties from law and problem.
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
