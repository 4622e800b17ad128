//! The processes that compute samples, each prepared for a problem.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::compiled::{Compiled, Note};
use super::ending::Ending;
use super::plain::{Plain, PlainKind, PlainWorkspace};
use super::random_order::{RandomOrder, RandomOrderWorkspace, StrikeKind};
use crate::finite::propagative::Rebound;
use crate::routh::events::process::{Events, EventsWorkspace};
use crate::routh::events::table::MOST_TABULATED;
use crate::routh::inclusion::process::{Inclusion, InclusionWorkspace};
use crate::routh::inclusion::tolerances::MOST_ON_GPU;
use crate::routh::options::Solution;
use crate::routh::steps::bouncing::{Bouncing, BouncingWorkspace};
use crate::routh::steps::{Steps, StepsWorkspace};
use carom_core::contact_space::{ContactSpace, require_range};
use carom_core::draws::inertia::{Drawn, UncertainInertia};
use carom_core::draws::numbers::Numbers;
use carom_core::draws::rates::Rates;
use carom_core::error::Result;
use carom_core::lcp::ModeTable;
use carom_core::problem::ContactProblem;
use carom_core::real::Real;
use carom_core::rng::Stream;

/// The processes that compute samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProcessKind {
    /// Steps of impulse, each a complementarity problem, without restitution and without uncertain
    /// numbers.
    Steps,
    /// Steps of impulse with restitution, uncertain numbers or a last step.
    Bouncing,
    /// The planar law from event to event, inelastic or with Stronge's coefficients of restitution.
    Events,
    /// A differential inclusion over normal impulse, integrated numerically: circular friction
    /// cones, restitution, uncertain numbers.
    Inclusion,
    /// Single impacts or reflections, one contact at a time, in random order.
    RandomOrder,
    /// Single impacts in random order in space: circular friction cones and restitution.
    SpatialOrder,
    /// A law with samples computed one by one, see [`Plain`].
    Plain(&'static PlainKind),
}

impl ProcessKind {
    /// The name in reports, JSON and files; both step processes have one name.
    pub fn name(self) -> &'static str {
        match self {
            ProcessKind::Steps | ProcessKind::Bouncing => "steps",
            ProcessKind::Events => "exact",
            ProcessKind::Inclusion => "inclusion",
            ProcessKind::RandomOrder | ProcessKind::SpatialOrder => "random-order",
            ProcessKind::Plain(kind) => kind.name,
        }
    }

    /// The value of `--process`, also in messages: [`ProcessKind::name`], except `events` for the
    /// process called `exact` in reports.
    pub fn word(self) -> &'static str {
        if self == ProcessKind::Events { "events" } else { self.name() }
    }

    /// The value of `--process` for a process name in reports.
    pub fn word_of(name: &str) -> &str {
        if name == ProcessKind::Events.name() { ProcessKind::Events.word() } else { name }
    }

    /// Whether relative impulse rates are drawn for blocks (intervals of constant rates), not for
    /// published steps.
    pub fn is_in_blocks(self) -> bool {
        matches!(self, ProcessKind::Events | ProcessKind::Inclusion)
    }

    /// Description of the process on planar or `spatial` problems, with the number of facets of
    /// polyhedral friction cones.
    pub fn words(self, spatial: bool, facets: Option<u64>) -> String {
        let steps = "steps by complementarity";
        match (self, facets) {
            (ProcessKind::Steps | ProcessKind::Bouncing, None) => steps.to_string(),
            (ProcessKind::Steps | ProcessKind::Bouncing, Some(facets)) => {
                format!("{steps}, friction cones of {facets} facets")
            }
            (ProcessKind::Events, _) => {
                "from event to event in blocks of constant rates".to_string()
            }
            (ProcessKind::Inclusion, _) if spatial => {
                "inclusion integrated, circular friction cones".to_string()
            }
            (ProcessKind::Inclusion, _) => "inclusion integrated".to_string(),
            (ProcessKind::RandomOrder, _) => "single impacts in random order".to_string(),
            (ProcessKind::SpatialOrder, _) => {
                "single impacts in random order, circular friction cones".to_string()
            }
            (ProcessKind::Plain(kind), _) => kind.words.to_string(),
        }
    }

    /// The reason why the process runs on the CPU only; `None` if a GPU can run it. Depends on the
    /// number of contacts, on uncertain numbers and on uncertain inertia.
    pub fn on_the_cpu(
        self,
        contacts: usize,
        [uncertain, inertia]: [bool; 2],
    ) -> Option<&'static str> {
        match self {
            _ if inertia => Some("uncertain inertia runs on the CPU"),
            ProcessKind::Bouncing => {
                Some("steps with restitution, uncertain numbers or a last step run on the CPU")
            }
            ProcessKind::Events if uncertain => {
                Some("the event process with uncertain numbers runs on the CPU")
            }
            ProcessKind::Events if contacts > MOST_TABULATED => {
                Some("the event process of more than five contacts runs on the CPU")
            }
            ProcessKind::SpatialOrder => Some("single impacts in space run on the CPU"),
            ProcessKind::Plain(kind) => Some(kind.on_the_cpu),
            ProcessKind::Inclusion if contacts > MOST_ON_GPU => {
                Some("the inclusion of more than sixteen contacts runs on the CPU")
            }
            _ => None,
        }
    }
}

/// The acceptance tolerance of residuals: the larger of `residual`, the [`Real::RESIDUAL`] of the
/// precision, and ten times the `accuracy` of an inclusion.
pub fn most_residual(residual: f64, accuracy: Option<f64>) -> f64 {
    accuracy.map_or(residual, |accuracy| residual.max(10.0 * accuracy))
}

/// A law prepared for a problem: the data common to all samples. Numbers are dimensionless, see
/// [`Scaling`](carom_core::lcp::Scaling).
#[derive(Clone, Debug)]
pub enum Process<R> {
    /// The process of [`ProcessKind::Steps`].
    Steps(Steps<R>),
    /// The process of [`ProcessKind::Bouncing`].
    Bouncing(Bouncing<R>),
    /// The process of [`ProcessKind::Events`].
    Events(Events<R>),
    /// The process of [`ProcessKind::Inclusion`].
    Inclusion(Inclusion<R>),
    /// The process of [`ProcessKind::RandomOrder`] or [`ProcessKind::SpatialOrder`].
    RandomOrder(RandomOrder<R>),
    /// The process of [`ProcessKind::Plain`].
    Plain(Plain<R>),
}

/// The memory of a process for one sample; at the end it contains the sample's impulse.
#[derive(Clone, Debug)]
pub enum Workspace<R: Real> {
    /// For [`Process::Steps`].
    Steps(Box<StepsWorkspace<R>>),
    /// For [`Process::Bouncing`].
    Bouncing(Box<BouncingWorkspace<R>>),
    /// For [`Process::Events`].
    Events(Box<EventsWorkspace<R>>),
    /// For [`Process::Inclusion`].
    Inclusion(Box<InclusionWorkspace<R>>),
    /// For [`Process::RandomOrder`].
    RandomOrder(RandomOrderWorkspace<R>),
    /// For [`Process::Plain`].
    Plain(PlainWorkspace<R>),
}

impl<R: Real> Process<R> {
    /// The kind of this process.
    pub fn kind(&self) -> ProcessKind {
        match self {
            Process::Steps(_) => ProcessKind::Steps,
            Process::Bouncing(_) => ProcessKind::Bouncing,
            Process::Events(_) => ProcessKind::Events,
            Process::Inclusion(_) => ProcessKind::Inclusion,
            Process::RandomOrder(process) if process.strike == StrikeKind::Continuous => {
                ProcessKind::SpatialOrder
            }
            Process::RandomOrder(_) => ProcessKind::RandomOrder,
            Process::Plain(process) => ProcessKind::Plain(process.law.kind()),
        }
    }

    /// The problem's contact space.
    pub fn space(&self) -> &ContactSpace<R> {
        self.space_and_rates().0
    }

    /// The impulse step and the sampler of rates; `None` for single impacts.
    pub fn rates(&self) -> Option<&Rates<R>> {
        self.space_and_rates().1
    }

    fn space_and_rates(&self) -> (&ContactSpace<R>, Option<&Rates<R>>) {
        match self {
            Process::Steps(Steps { space, rates, .. })
            | Process::Bouncing(Bouncing { steps: Steps { space, rates, .. }, .. })
            | Process::Events(Events { space, rates, .. })
            | Process::Inclusion(Inclusion { space, rates, .. }) => (space, Some(rates)),
            Process::RandomOrder(RandomOrder { space, .. })
            | Process::Plain(Plain { space, .. }) => (space, None),
        }
    }

    /// The contact space, the step with its rates, and the numbers for the storage of restitution.
    #[allow(clippy::type_complexity)]
    pub fn parts_mut(
        &mut self,
    ) -> (&mut ContactSpace<R>, Option<&mut Rates<R>>, Option<&mut Numbers<R>>) {
        match self {
            Process::Steps(Steps { space, rates, .. }) => (space, Some(rates), None),
            Process::Bouncing(Bouncing { steps: Steps { space, rates, .. }, numbers, .. })
            | Process::Events(Events { space, rates, numbers, .. })
            | Process::Inclusion(Inclusion { space, rates, numbers, .. }) => {
                (space, Some(rates), Some(numbers))
            }
            Process::RandomOrder(RandomOrder { space, .. })
            | Process::Plain(Plain { space, .. }) => (space, None, None),
        }
    }

    /// Whether samples of the event process draw uncertain numbers.
    pub fn draws_numbers(&self) -> bool {
        let Process::Events(Events { numbers, inertia, .. }) = self else { return false };
        inertia.is_some() || !numbers.are_certain()
    }

    /// The process, if it is [`Process::Steps`].
    pub fn steps(&self) -> Option<&Steps<R>> {
        match self {
            Process::Steps(process) => Some(process),
            _ => None,
        }
    }

    /// The choice among several solutions of a step.
    pub fn solution(&self) -> Solution {
        match self {
            Process::Steps(Steps { solution, .. })
            | Process::Bouncing(Bouncing { steps: Steps { solution, .. }, .. }) => *solution,
            _ => Solution::Random,
        }
    }

    /// The explicit solution (critical regions) of a step, where one exists.
    pub fn table(&self) -> Option<&ModeTable<R>> {
        self.steps()?.table.as_ref()
    }

    /// The acceptance tolerance of residuals, see [`most_residual`].
    pub fn most_residual<S: Real>(&self) -> f64 {
        let accuracy = match self {
            Process::Inclusion(process) => Some(process.accuracy),
            _ => None,
        };
        most_residual(S::RESIDUAL, accuracy)
    }

    /// Whether no sample of `problem` can gain kinetic energy. Poisson's coefficient may add
    /// energy; reflections prescribe it.
    pub fn dissipates(&self, problem: &ContactProblem) -> bool {
        let poisson = match self {
            Process::Bouncing(Bouncing { poisson, .. })
            | Process::Inclusion(Inclusion { poisson, .. }) => *poisson,
            Process::RandomOrder(RandomOrder { strike: StrikeKind::Reflection, .. })
            | Process::Plain(_) => return false,
            _ => false,
        };
        problem.uncertainty().keeps_energy() && !(poisson && problem.bounces())
    }

    /// The parts of the mass matrix, if inertia is uncertain.
    pub fn inertia(&self) -> Option<&UncertainInertia> {
        match self {
            Process::Events(Events { inertia, .. })
            | Process::Inclusion(Inclusion { inertia, .. }) => inertia.as_deref(),
            _ => None,
        }
    }

    /// The effect of restitution on the impulse at the end of a sample.
    pub fn rebound(&self) -> &Rebound {
        match self {
            Process::RandomOrder(process) => &process.rebound,
            _ => const { &Rebound::NONE },
        }
    }

    pub(super) fn approach_in(&mut self, problem: &ContactProblem) -> Result<()> {
        require_range::<R>(problem)?;
        match self {
            Process::Steps(process) => process.approach(problem),
            Process::Bouncing(process) => process.approach(problem),
            Process::Events(process) => process.approach(problem),
            Process::Inclusion(process) => process.approach(problem),
            Process::RandomOrder(process) => process.approach(problem),
            Process::Plain(process) => process.approach(problem),
        }
    }

    pub(super) fn workspace_in(&self) -> Workspace<R> {
        match self {
            Process::Steps(process) => Workspace::Steps(Box::new(process.workspace())),
            Process::Bouncing(process) => Workspace::Bouncing(Box::new(process.workspace())),
            Process::Events(process) => Workspace::Events(Box::new(process.workspace())),
            Process::Inclusion(process) => Workspace::Inclusion(Box::new(process.workspace())),
            Process::RandomOrder(process) => Workspace::RandomOrder(process.workspace()),
            Process::Plain(process) => Workspace::Plain(process.workspace()),
        }
    }

    pub(super) fn trace_in(
        &self,
        finer: bool,
        stream: &Stream,
        work: &mut Workspace<R>,
        note: &mut Note<'_, R>,
    ) -> Ending<R> {
        let width = self.space().step.width();
        match (self, &mut *work) {
            (Process::Steps(process), Workspace::Steps(work)) => {
                process.sample_observed(stream, work, |_, x, l| note(&x[width..], l))
            }
            (Process::Bouncing(process), Workspace::Bouncing(work)) => {
                process.sample_observed(stream, work, |_, x, l| note(&x[width..], l))
            }
            (Process::Events(process), Workspace::Events(work)) => {
                process.sample_observed(stream, work, note)
            }
            (Process::Inclusion(process), Workspace::Inclusion(work)) => {
                let scaled = |h: R, x: &[R]| x.iter().map(|x| *x * h).collect::<Vec<R>>();
                process.sample_observed(finer, stream, work, |h, caps, l| {
                    note(&scaled(h, caps), &scaled(h, l))
                })
            }
            (Process::RandomOrder(process), Workspace::RandomOrder(work)) => {
                let mut before = vec![R::ZERO; width];
                process.sample_observed(stream, work, |i, total| {
                    let impulse: Vec<R> =
                        total.iter().zip(&before).map(|(after, before)| *after - *before).collect();
                    let mut caps = vec![R::ZERO; self.space().step.contacts];
                    caps[i] = impulse[i];
                    before.copy_from_slice(total);
                    note(&caps, &impulse);
                })
            }
            (Process::Plain(process), Workspace::Plain(work)) => {
                let m = self.space().step.contacts;
                process.sample_observed(stream, work, |impulse| note(&impulse[..m], impulse))
            }
            (process, _) => {
                work.renew(process);
                process.trace_in(finer, stream, work, note)
            }
        }
    }

    pub(crate) fn sample_in(
        &self,
        finer: bool,
        stream: &Stream,
        work: &mut Workspace<R>,
    ) -> Ending<R> {
        match (self, &mut *work) {
            (Process::Steps(process), Workspace::Steps(work)) => process.sample(stream, work),
            (Process::Bouncing(process), Workspace::Bouncing(work)) => process.sample(stream, work),
            (Process::Events(process), Workspace::Events(work)) => process.sample(stream, work),
            (Process::Inclusion(process), Workspace::Inclusion(work)) => {
                process.sample(finer, stream, work)
            }
            (Process::RandomOrder(process), Workspace::RandomOrder(work)) => {
                process.sample(stream, work)
            }
            (Process::Plain(process), Workspace::Plain(work)) => process.sample(stream, work),
            (process, _) => {
                work.renew(process);
                process.sample_in(finer, stream, work)
            }
        }
    }
}

impl<R: Compiled> Process<R> {
    /// Sets the velocity before the impact from `problem`, which must have the mass matrix,
    /// Jacobians and coefficients of the prepared problem. Allocates only where velocities have
    /// noise or contacts are reflected.
    pub fn approach(&mut self, problem: &ContactProblem) -> Result<()> {
        (R::compiled().approach)(self, problem)
    }

    /// A workspace for [`Process::sample`].
    pub fn workspace(&self) -> Workspace<R> {
        (R::compiled().workspace)(self)
    }

    /// Computes one sample and writes its total impulse to [`Workspace::total`]. Does not allocate
    /// with a workspace of this process, except that the event process may need more room for the
    /// solutions of a segment; a workspace of another process is replaced.
    pub fn sample(&self, stream: &Stream, work: &mut Workspace<R>) -> Ending<R> {
        (R::compiled().sample)(self, false, stream, work)
    }

    /// Computes a failed sample again; an inclusion uses a smaller error tolerance.
    pub fn sample_again(&self, stream: &Stream, work: &mut Workspace<R>) -> Ending<R> {
        (R::compiled().sample)(self, true, stream, work)
    }

    /// Computes a sample and reports its path: calls `note` after each step, segment, substep or
    /// single impact with its normal impulse bounds (m) and its impulse (K). In a single impact,
    /// the bounds of the other contacts are 0.
    pub fn trace(
        &self,
        finer: bool,
        stream: &Stream,
        work: &mut Workspace<R>,
        note: &mut dyn FnMut(&[R], &[R]),
    ) -> Ending<R> {
        (R::compiled().trace)(self, finer, stream, work, note)
    }
}

impl<R: Real> Workspace<R> {
    /// Becomes a workspace of `process`; the stop flag remains.
    pub(super) fn renew(&mut self, process: &Process<R>) {
        let stop = self.stop().take();
        *self = process.workspace_in();
        *self.stop() = stop;
    }

    /// Dimensionless total impulse (K) of the last sample.
    pub fn total(&self) -> &[R] {
        match self {
            Workspace::Steps(work) => &work.total,
            Workspace::Bouncing(work) => &work.steps.total,
            Workspace::Events(work) => &work.total,
            Workspace::Inclusion(work) => &work.lanes[0].state.total,
            Workspace::RandomOrder(work) => &work.total,
            Workspace::Plain(work) => &work.total,
        }
    }

    /// Memory for the inertia that a sample draws, if inertia is uncertain.
    pub fn drawn(&mut self) -> Option<&mut Drawn> {
        match self {
            Workspace::Events(work) => work.drawn.as_mut(),
            Workspace::Inclusion(work) => work.lanes[0].drawn.as_mut().map(|(drawn, _)| drawn),
            _ => None,
        }
    }

    /// Shrinks the segment cache, so that `workspaces` workspaces together use the memory of one.
    /// Samples remain the same, and may allocate.
    pub fn spare(&mut self, workspaces: usize) {
        if let Workspace::Events(work) = self {
            work.segment.spare(workspaces);
        }
    }

    /// A flag that, once true, ends a sample in progress as
    /// [`Status::StepLimit`](carom_core::status::Status::StepLimit) within a few steps.
    pub fn stop(&mut self) -> &mut Option<Arc<AtomicBool>> {
        match self {
            Workspace::Steps(work) => &mut work.stop,
            Workspace::Bouncing(work) => &mut work.steps.stop,
            Workspace::Events(work) => &mut work.stop,
            Workspace::Inclusion(work) => &mut work.stop,
            Workspace::RandomOrder(work) => &mut work.stop,
            Workspace::Plain(work) => &mut work.stop,
        }
    }
}
