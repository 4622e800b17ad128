//! The processes that make samples, each prepared for a problem.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::contact_space::ContactSpace;
use super::draws::inertia::Inertia;
use super::draws::rates::Rates;
use super::ending::Ending;
use super::inclusion::process::{self as inclusion, Inclusion};
use super::inclusion::tolerances::Tolerances;
use super::propagative::Rebound;
use super::random_order::{self, RandomOrder};
use super::routh::options::Solution;
use super::routh::reservoirs::{self, Bouncing};
use super::routh::steps::{self, Steps};
use crate::error::Result;
use crate::lcp::ModeTable;
use crate::problem::ContactProblem;
use crate::real::Real;
use crate::rng::Stream;

/// The processes that make samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProcessKind {
    /// Steps of impulse, each a complementarity problem, without restitution and uncertain numbers.
    Steps,
    /// The same steps with restitution or with numbers that each sample draws.
    Bouncing,
    /// A differential inclusion over impulse, integrated: circular friction cones, restitution, uncertain numbers.
    Inclusion,
    /// One single impact or reflection after the other, in random order.
    RandomOrder,
}

impl ProcessKind {
    /// The name that reports, JSON and files use: the two processes by steps share one.
    pub fn name(self) -> &'static str {
        match self {
            ProcessKind::Steps | ProcessKind::Bouncing => "steps",
            ProcessKind::Inclusion => "inclusion",
            ProcessKind::RandomOrder => "random-order",
        }
    }
}

/// A law on a problem, with all that is the same for every sample. All numbers are dimensionless, see
/// [`Scaling`](crate::lcp::Scaling).
#[derive(Clone, Debug)]
pub enum Process<R> {
    /// See [`ProcessKind::Steps`].
    Steps(Steps<R>),
    /// See [`ProcessKind::Bouncing`].
    Bouncing(Bouncing<R>),
    /// See [`ProcessKind::Inclusion`].
    Inclusion(Inclusion<R>),
    /// See [`ProcessKind::RandomOrder`].
    RandomOrder(RandomOrder<R>),
}

/// What one sample of a process needs while it runs, and its impulse at the end.
#[derive(Clone, Debug)]
pub enum Workspace<R> {
    /// For [`Process::Steps`].
    Steps(steps::Workspace<R>),
    /// For [`Process::Bouncing`].
    Bouncing(reservoirs::Workspace<R>),
    /// For [`Process::Inclusion`].
    Inclusion(inclusion::Workspace<R>),
    /// For [`Process::RandomOrder`].
    RandomOrder(random_order::Workspace<R>),
}

impl<R: Real> Process<R> {
    /// Which process this is.
    pub fn kind(&self) -> ProcessKind {
        match self {
            Process::Steps(_) => ProcessKind::Steps,
            Process::Bouncing(_) => ProcessKind::Bouncing,
            Process::Inclusion(_) => ProcessKind::Inclusion,
            Process::RandomOrder(_) => ProcessKind::RandomOrder,
        }
    }

    /// The problem's contact space.
    pub fn space(&self) -> &ContactSpace<R> {
        match self {
            Process::Steps(process) => &process.space,
            Process::Bouncing(process) => &process.steps.space,
            Process::Inclusion(process) => &process.space,
            Process::RandomOrder(process) => &process.space,
        }
    }

    /// The impulse step and its rates; none where contacts are struck one by one.
    pub fn rates(&self) -> Option<&Rates<R>> {
        match self {
            Process::Steps(process) => Some(&process.rates),
            Process::Bouncing(process) => Some(&process.steps.rates),
            Process::Inclusion(process) => Some(&process.rates),
            Process::RandomOrder(_) => None,
        }
    }

    /// Steps without restitution, where the process is one by them.
    pub fn steps(&self) -> Option<&Steps<R>> {
        match self {
            Process::Steps(process) => Some(process),
            _ => None,
        }
    }

    /// Which solution of a step is taken.
    pub fn solution(&self) -> Solution {
        match self {
            Process::Steps(process) => process.solution,
            Process::Bouncing(process) => process.steps.solution,
            Process::Inclusion(_) | Process::RandomOrder(_) => Solution::Random,
        }
    }

    /// The maps of a step's contact modes, where steps are solved by them.
    pub fn table(&self) -> Option<&ModeTable<R>> {
        self.steps()?.table.as_ref()
    }

    /// The mass matrix, where it is uncertain.
    pub fn inertia(&self) -> Option<&Inertia> {
        match self {
            Process::Inclusion(process) => process.inertia.as_deref(),
            _ => None,
        }
    }

    /// What is made of a sample's impulse at its end.
    pub fn rebound(&self) -> &Rebound {
        match self {
            Process::RandomOrder(process) => &process.rebound,
            _ => const { &Rebound::NONE },
        }
    }

    /// Takes over the velocity of `problem`, which has the mass, Jacobians and numbers that this was made for. Allocates at most
    /// where velocities have noise or contacts are reflected.
    ///
    /// # Errors
    /// A step that is not a finite positive number or that overflows the precision.
    pub fn approach(&mut self, problem: &ContactProblem) -> Result<()> {
        match self {
            Process::Steps(process) => process.approach(problem),
            Process::Bouncing(process) => process.approach(problem),
            Process::Inclusion(process) => process.approach(problem),
            Process::RandomOrder(process) => process.approach(problem),
        }
    }

    /// A workspace for [`Process::sample`].
    pub fn workspace(&self) -> Workspace<R> {
        match self {
            Process::Steps(process) => Workspace::Steps(process.workspace()),
            Process::Bouncing(process) => Workspace::Bouncing(process.workspace()),
            Process::Inclusion(process) => Workspace::Inclusion(process.workspace()),
            Process::RandomOrder(process) => Workspace::RandomOrder(process.workspace()),
        }
    }

    /// Runs one sample; its total impulse is left in [`Workspace::total`]. Does not allocate with a workspace of this process;
    /// one of another process is replaced.
    pub fn sample(&self, stream: &Stream, work: &mut Workspace<R>) -> Ending<R> {
        self.sample_within(Tolerances::of_precision(), stream, work)
    }

    /// The same sample once more, where it failed: an inclusion has [`Tolerances::finer`].
    pub fn sample_again(&self, stream: &Stream, work: &mut Workspace<R>) -> Ending<R> {
        self.sample_within(Tolerances::of_precision().finer(), stream, work)
    }

    fn sample_within(
        &self,
        tolerances: Tolerances<R>,
        stream: &Stream,
        work: &mut Workspace<R>,
    ) -> Ending<R> {
        match (self, &mut *work) {
            (Process::Steps(process), Workspace::Steps(work)) => process.sample(stream, work),
            (Process::Bouncing(process), Workspace::Bouncing(work)) => process.sample(stream, work),
            (Process::Inclusion(process), Workspace::Inclusion(work)) => {
                process.sample(tolerances, stream, work)
            }
            (Process::RandomOrder(process), Workspace::RandomOrder(work)) => process.sample(stream, work),
            (process, _) => {
                let stop = work.stop().clone();
                *work = process.workspace();
                *work.stop() = stop;
                process.sample_within(tolerances, stream, work)
            }
        }
    }
}

impl Process<f64> {
    /// The same in another precision.
    ///
    /// # Errors
    /// A step that overflows the precision.
    pub fn cast<R: Real>(&self, problem: &ContactProblem) -> Result<Process<R>> {
        Ok(match self {
            Process::Steps(process) => Process::Steps(process.cast(problem)?),
            Process::Bouncing(process) => Process::Bouncing(process.cast(problem)?),
            Process::Inclusion(process) => Process::Inclusion(process.cast(problem)?),
            Process::RandomOrder(process) => Process::RandomOrder(process.cast(problem)?),
        })
    }
}

impl<R: Real> Workspace<R> {
    /// Dimensionless total impulse (K) of the last sample.
    pub fn total(&self) -> &[R] {
        match self {
            Workspace::Steps(work) => &work.total,
            Workspace::Bouncing(work) => &work.steps.total,
            Workspace::Inclusion(work) => &work.state.total,
            Workspace::RandomOrder(work) => &work.total,
        }
    }

    /// Once true, a sample under way ends as [`Status::StepLimit`](crate::status::Status::StepLimit) within a few steps.
    pub fn stop(&mut self) -> &mut Option<Arc<AtomicBool>> {
        match self {
            Workspace::Steps(work) => &mut work.stop,
            Workspace::Bouncing(work) => &mut work.steps.stop,
            Workspace::Inclusion(work) => &mut work.stop,
            Workspace::RandomOrder(work) => &mut work.stop,
        }
    }
}
