//! Impact laws: what may leave an impact, one published law per file.
//!
//! [`Law`] holds the laws that are sampled, [`FiniteLaw`] those that have finitely many outcomes, all of which
//! [`FiniteLaw::resolve`] finds.

pub mod anitescu_potra;
pub mod arc;
pub mod darboux_keller;
pub mod hodograph;
pub mod integration;
pub mod invariant;
pub mod orders;
pub mod process;
pub mod propagative;
pub mod rates;
pub mod reflections;
pub mod reservoirs;
pub mod resolved;
pub mod restitution;
pub mod routh;
pub mod sequential;
mod settle;
mod slip;
pub mod steps;
pub mod uniqueness;

pub use anitescu_potra::AnitescuPotra;
pub use darboux_keller::{Course, DarbouxKeller};
pub use orders::{Orders, Strike};
pub use process::ProcessKind;
pub use propagative::Propagative;
pub use rates::Sampler;
pub use resolved::{Details, Outcome, Resolved};
pub use restitution::Hypothesis;
pub use routh::{Routh, Solution};
pub use sequential::Sequential;
pub use uniqueness::Uniqueness;

use crate::error::{Error, Result};
use crate::lcp::Facets;
use crate::problem::ContactProblem;
use crate::real::Real;
use routh::Bound;

/// The impact laws that can be sampled.
#[derive(Clone, Debug, PartialEq)]
pub enum Law {
    /// The set-valued Routh law of \[HP23\].
    Routh(Routh),
    /// Single impacts with friction, one contact after the other in random order.
    Sequential(Orders),
    /// Reflections, one contact after the other in random order. \[SM14\]
    Propagative(Orders),
}

impl Default for Law {
    fn default() -> Self {
        Law::Routh(Routh::default())
    }
}

impl Law {
    /// The law's name, as the command line and the files write it.
    pub fn name(&self) -> &'static str {
        match self {
            Law::Routh(_) => "routh",
            Law::Sequential(_) => Sequential::NAME,
            Law::Propagative(_) => Propagative::NAME,
        }
    }

    /// Validates the law against a problem and prepares all that is the same for every sample.
    ///
    /// # Errors
    /// What the law cannot honour.
    pub fn bind<R: Real>(&self, problem: &ContactProblem) -> Result<Bound<R>> {
        match self {
            Law::Routh(law) => law.bind(problem),
            Law::Sequential(law) => law.bind(Strike::Impact, problem),
            Law::Propagative(law) => law.bind(Strike::Reflection, problem),
        }
    }

    /// Takes over the velocity of `problem`, which has the mass, Jacobians and friction that `bound` was made for.
    ///
    /// # Errors
    /// Those of [`Law::bind`] that concern the velocity.
    pub fn approach<R: Real>(&self, problem: &ContactProblem, bound: &mut Bound<R>) -> Result<()> {
        match self {
            Law::Routh(law) => law.approach(problem, bound),
            Law::Sequential(law) | Law::Propagative(law) => law.approach(problem, bound),
        }
    }

    /// The impulse step `h` in N s that a run on `problem` uses, if the law has one.
    pub fn step_on(&self, problem: &ContactProblem) -> Option<f64> {
        match self {
            Law::Routh(law) => Some(law.step_on(problem)),
            Law::Sequential(_) | Law::Propagative(_) => None,
        }
    }

    /// The limit on steps or single impacts that a run on `problem` uses.
    pub fn max_steps_on(&self, problem: &ContactProblem) -> u32 {
        match self {
            Law::Routh(law) => law.max_steps_on(problem),
            Law::Sequential(law) | Law::Propagative(law) => law.limit(),
        }
    }

    /// The process that makes the law's samples of `problem`.
    pub fn process_on(&self, problem: &ContactProblem) -> ProcessKind {
        match self {
            Law::Routh(law) => law.process_on(problem),
            Law::Sequential(_) | Law::Propagative(_) => ProcessKind::RandomOrder,
        }
    }

    /// Facets of the friction cones, where the law has some.
    pub fn facets(&self) -> Option<u32> {
        match self {
            Law::Routh(law) => law.facets,
            Law::Sequential(_) | Law::Propagative(_) => None,
        }
    }

    /// Steps that share their draw of the rates, where the law has steps.
    pub fn persistence(&self) -> Option<u32> {
        match self {
            Law::Routh(law) => Some(law.persistence()),
            Law::Sequential(_) | Law::Propagative(_) => None,
        }
    }

    /// What a coefficient of restitution means, where the law on `problem` has one that may be above 0.
    pub fn hypothesis_on(&self, problem: &ContactProblem) -> Option<Hypothesis> {
        match self {
            Law::Routh(law) if problem.bounces() => Some(law.hypothesis),
            _ => None,
        }
    }

    /// Which solution of a step is taken, and how rates or orders are drawn.
    pub fn choices(&self) -> (Solution, Sampler) {
        match self {
            Law::Routh(law) => (law.solution, law.sampler),
            Law::Sequential(_) | Law::Propagative(_) => (Solution::Random, Sampler::Uniform),
        }
    }
}

/// The impact laws with finitely many outcomes.
#[derive(Clone, Debug, PartialEq)]
pub enum FiniteLaw {
    /// All contacts at once: every solution of the simultaneous complementarity problem.
    AnitescuPotra(AnitescuPotra),
    /// One contact after the other, in a given cyclic order.
    Sequential(Sequential),
    /// One reflection after the other, in every order that may occur. \[SM14\]
    Propagative(Propagative),
    /// One spatial contact with friction and restitution. \[JW16\]
    DarbouxKeller(DarbouxKeller),
}

impl FiniteLaw {
    /// The law's name, as the command line and the files write it.
    pub fn name(&self) -> &'static str {
        match self {
            FiniteLaw::AnitescuPotra(_) => AnitescuPotra::NAME,
            FiniteLaw::Sequential(_) => Sequential::NAME,
            FiniteLaw::Propagative(_) => Propagative::NAME,
            FiniteLaw::DarbouxKeller(_) => DarbouxKeller::NAME,
        }
    }

    /// Every outcome of the law on `problem`, checked.
    ///
    /// # Errors
    /// What the law cannot honour: see its own `resolve`.
    pub fn resolve(&self, problem: &ContactProblem) -> Result<Resolved> {
        let mut resolved = match self {
            FiniteLaw::AnitescuPotra(law) => law.resolve(problem),
            FiniteLaw::Sequential(law) => law.resolve(problem),
            FiniteLaw::Propagative(law) => law.resolve(problem),
            FiniteLaw::DarbouxKeller(law) => law.resolve(problem),
        }?;
        if !problem.uncertainty().is_none() {
            let warning = "what is uncertain is taken as it is given; `carom sample` draws it";
            resolved.warnings.push(warning.to_string());
        }
        Ok(resolved)
    }
}

/// The facets of a law's friction cones on a problem, as many as asked for or `default`: none where it is planar.
fn facets_on(problem: &ContactProblem, asked: Option<u32>, default: u32) -> Result<Option<Facets>> {
    if problem.tangents_per_contact() == 2 {
        return Facets::new(asked.unwrap_or(default)).map(Some);
    }
    match asked {
        None => Ok(None),
        Some(_) => Err(Error::usage("friction cones have facets in spatial problems; this one is not")
            .at("facets")
            .hint("leave --facets out")),
    }
}

/// Refuses spatial problems.
fn require_planar(problem: &ContactProblem, law: &str) -> Result<()> {
    if problem.tangents_per_contact() < 2 {
        return Ok(());
    }
    Err(Error::input(format!("the law `{law}` solves planar problems; this one is spatial"))
        .at("tangent")
        .hint("the law routh samples spatial problems; `carom resolve --law sequential` has single impacts in them"))
}
