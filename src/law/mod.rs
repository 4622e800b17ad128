//! Impact laws, one published law per module: the velocities to which an impact can lead.
//!
//! [`Law`] holds the laws that are sampled, [`FiniteLaw`] those with finitely many outcomes, which
//! [`FiniteLaw::resolve`] lists.

pub mod anitescu_potra;
pub mod budget;
pub mod compliant;
pub mod cone_complementarity;
pub mod cones;
pub mod contact_space;
pub mod convex_relaxation;
pub mod darboux_keller;
pub mod describe;
pub mod direction;
pub mod draws;
pub mod effort;
pub mod ending;
pub mod finite;
pub mod outcome;
pub mod plus;
pub mod process;
pub mod propagative;
pub mod random_order;
pub mod restitution;
pub mod routh;
pub mod sequential;

pub use anitescu_potra::AnitescuPotra;
pub use compliant::{Compliant, ContactModel};
pub use cone_complementarity::ConeComplementarity;
pub use convex_relaxation::ConvexRelaxation;
pub use darboux_keller::{ContactCourse, DarbouxKeller};
pub use describe::{Describe, DescribeOutcome};
pub use direction::Direction;
pub use draws::sampler::{Sampler, Shares};
pub use effort::Effort;
pub use ending::Ending;
pub use finite::{About, Details, FiniteLaw, Resolved};
pub use outcome::{Outcome, OutcomeSet};
pub use plus::Plus;
pub use process::{Process, ProcessKind, Workspace, most_residual};
pub use propagative::{Propagative, Uniqueness};
pub use random_order::{Orders, StrikeKind};
pub use restitution::Hypothesis;
pub use routh::options::{Routh, RouthProcess, Solution};
pub use sequential::Sequential;

use serde_json::{Value, json};

use crate::error::Result;
use crate::problem::ContactProblem;
use crate::real::Real;
use plus::MAX_ROUNDS;
use plus::rounds::Rounds;
use random_order::RandomOrder;
use routh::events::Events;
use routh::inclusion::process::Inclusion;
use routh::steps::Steps;
use routh::steps::bouncing::Bouncing;

/// The impact laws that can be sampled.
#[derive(Clone, Debug, PartialEq)]
pub enum Law {
    /// The set-valued Routh law. \[HP23\]
    Routh(Routh),
    /// Single impacts with friction, one contact after the other in random order.
    Sequential(Orders),
    /// Reflections, one contact after the other in random order. \[SM14\]
    Propagative(Orders),
    /// Rounds of compression and expansion: one outcome for each draw of uncertain numbers.
    /// \[USD15\]
    Plus(Plus),
}

impl Default for Law {
    fn default() -> Self {
        Law::Routh(Routh::default())
    }
}

impl From<Routh> for Law {
    fn from(law: Routh) -> Self {
        Law::Routh(law)
    }
}

impl Law {
    /// The names of all laws.
    pub const NAMES: [&'static str; 4] =
        [Routh::NAME, Sequential::NAME, Propagative::NAME, Plus::NAME];

    /// The law of a name, with its defaults.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            Routh::NAME => Law::default(),
            Sequential::NAME => Law::Sequential(Orders::default()),
            Propagative::NAME => Law::Propagative(Orders::default()),
            Plus::NAME => Law::Plus(Plus::default()),
            _ => return None,
        })
    }

    /// The law's name, as the command line and the files write it.
    pub fn name(&self) -> &'static str {
        match self {
            Law::Routh(_) => Routh::NAME,
            Law::Sequential(_) => Sequential::NAME,
            Law::Propagative(_) => Propagative::NAME,
            Law::Plus(_) => Plus::NAME,
        }
    }

    /// Checks that the law applies to a problem and prepares all that is the same for every sample.
    ///
    /// # Errors
    /// Something in the problem or the options that the law does not support.
    pub fn prepare<R: Real>(&self, problem: &ContactProblem) -> Result<Process<R>> {
        Ok(match (self, self.process_on(problem)) {
            (Law::Routh(law), ProcessKind::Bouncing) => {
                Process::Bouncing(Bouncing::new(law, problem)?)
            }
            (Law::Routh(law), ProcessKind::Events) => Process::Events(Events::new(law, problem)?),
            (Law::Routh(law), ProcessKind::Inclusion) => {
                Process::Inclusion(Inclusion::new(law, problem)?)
            }
            (Law::Routh(law), _) => Process::Steps(Steps::new(law, problem)?),
            (Law::Sequential(law), _) => {
                Process::RandomOrder(RandomOrder::new(law, StrikeKind::Impact, problem)?)
            }
            (Law::Propagative(law), _) => {
                Process::RandomOrder(RandomOrder::new(law, StrikeKind::Reflection, problem)?)
            }
            (Law::Plus(law), _) => Process::Rounds(Box::new(Rounds::new(law, problem)?)),
        })
    }

    /// Whether rates are drawn for blocks of impulse.
    fn in_blocks(&self, problem: &ContactProblem) -> bool {
        matches!(self.process_on(problem), ProcessKind::Events | ProcessKind::Inclusion)
    }

    /// The impulse step `h` in N s that a run on `problem` uses, if the law has one.
    pub fn step_on(&self, problem: &ContactProblem) -> Option<f64> {
        match self {
            Law::Routh(law) if self.in_blocks(problem) => Some(law.block_on(problem)),
            Law::Routh(law) => Some(law.step_on(problem)),
            Law::Sequential(_) | Law::Propagative(_) | Law::Plus(_) => None,
        }
    }

    /// The limit on steps, single impacts or rounds that a run on `problem` uses.
    pub fn max_steps_on(&self, problem: &ContactProblem) -> u32 {
        match self {
            Law::Routh(law) if self.in_blocks(problem) => law.segments(),
            Law::Routh(law) => law.max_steps_on(problem),
            Law::Sequential(law) | Law::Propagative(law) => law.limit(),
            Law::Plus(_) => MAX_ROUNDS as u32,
        }
    }

    /// The process that computes the law's samples of `problem`. For [`Law::Routh`] this is the one
    /// asked for. Where none is asked for, it is [`Steps`](ProcessKind::Steps) if facets are asked
    /// for, or if a planar problem without restitution and uncertain numbers has Lemke's solution
    /// or rates that persist over steps; else [`Events`](ProcessKind::Events) for planar problems,
    /// except with Poisson's hypothesis; else [`Inclusion`](ProcessKind::Inclusion).
    pub fn process_on(&self, problem: &ContactProblem) -> ProcessKind {
        let law = match self {
            Law::Routh(law) => law,
            Law::Sequential(_) if problem.tangents_per_contact() == 2 => {
                return ProcessKind::SpatialOrder;
            }
            Law::Sequential(_) | Law::Propagative(_) => return ProcessKind::RandomOrder,
            Law::Plus(_) => return ProcessKind::Rounds,
        };
        let special = problem.bounces() || !problem.uncertainty().is_none();
        let spatial = problem.tangents_per_contact() == 2;
        let exact = !spatial && (law.hypothesis == Hypothesis::Stronge || !problem.bounces());
        let published = law.persistence() != 1 || law.solution == Solution::Lemke;
        let stepwise = law.facets.is_some() || !spatial && !special && published;
        let steps = if special { ProcessKind::Bouncing } else { ProcessKind::Steps };
        match law.process {
            Some(RouthProcess::Steps) => steps,
            Some(RouthProcess::Events) => ProcessKind::Events,
            Some(RouthProcess::Inclusion) => ProcessKind::Inclusion,
            None if stepwise => steps,
            None if exact => ProcessKind::Events,
            None => ProcessKind::Inclusion,
        }
    }

    /// The accuracy of a run on `problem`, a part of `max|u-|`, where the process has one.
    pub fn accuracy_on(&self, problem: &ContactProblem) -> Option<f64> {
        match self {
            Law::Routh(law) if self.process_on(problem) == ProcessKind::Inclusion => {
                Some(law.accuracy.unwrap_or(Routh::ACCURACY))
            }
            _ => None,
        }
    }

    /// Number of facets of the friction cones, where they have facets.
    pub fn facets(&self) -> Option<u32> {
        match self {
            Law::Routh(law) => law.facets,
            Law::Sequential(_) | Law::Propagative(_) | Law::Plus(_) => None,
        }
    }

    /// Number of steps that share one draw of the rates, for laws with steps.
    pub fn persistence(&self) -> Option<u32> {
        match self {
            Law::Routh(law) => Some(law.persistence()),
            Law::Sequential(_) | Law::Propagative(_) | Law::Plus(_) => None,
        }
    }

    /// The meaning of the coefficient of restitution, where the law on `problem` has one that may
    /// be above 0.
    pub fn hypothesis_on(&self, problem: &ContactProblem) -> Option<Hypothesis> {
        match self {
            Law::Routh(law) if problem.bounces() => Some(law.hypothesis),
            Law::Sequential(_) if problem.bounces() => Some(Hypothesis::Stronge),
            Law::Plus(_) => Some(Hypothesis::Poisson),
            _ => None,
        }
    }

    /// The options of a run on `problem`, by the names that JSON has; `null`: does not apply.
    pub fn options_on(&self, problem: &ContactProblem) -> Vec<(&'static str, Value)> {
        let (solution, sampler) = self.choices();
        let own = if let Law::Plus(law) = self { law.keys() } else { Vec::new() };
        let common = [
            ("solution", json!(solution.name())),
            ("sampler", json!(sampler.to_string())),
            ("persist", json!(self.persistence())),
            ("facets", json!(self.facets())),
            ("hypothesis", json!(self.hypothesis_on(problem).map(Hypothesis::name))),
            ("step", json!(self.step_on(problem))),
            ("accuracy", json!(self.accuracy_on(problem))),
            ("max_steps", json!(self.max_steps_on(problem))),
        ];
        common.into_iter().chain(own).collect()
    }

    /// The choice among several solutions of a step, and the sampler of rates or orders.
    pub fn choices(&self) -> (Solution, Sampler) {
        match self {
            Law::Routh(law) => (law.solution, law.sampler),
            Law::Sequential(_) | Law::Propagative(_) | Law::Plus(_) => {
                (Solution::Random, Sampler::Uniform)
            }
        }
    }
}
