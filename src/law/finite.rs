//! The laws with finitely many outcomes, and the details that each reports.

pub mod anitescu_potra;
pub mod compliant;
pub mod cone_complementarity;
pub mod convex_relaxation;
pub mod course;
pub mod darboux_keller;
pub mod describe;
pub mod plus;
pub mod propagative;
pub mod sequential;

use self::anitescu_potra::AnitescuPotra;
use self::compliant::Compliant;
use self::cone_complementarity::ConeComplementarity;
use self::convex_relaxation::ConvexRelaxation;
use self::darboux_keller::{ContactCourse, DarbouxKeller};
use self::describe::{Describe, DescribeOutcome};
use self::plus::{Plus, PlusCourse};
use self::propagative::Propagative;
use self::propagative::uniqueness::{Uniqueness, indeterminacy};
use self::sequential::Sequential;
use crate::sampling::random_order::sampled_velocities;
use carom_core::effort::Effort;
use carom_core::error::Result;
use carom_core::outcome::listed::OutcomeSet;
use carom_core::problem::ContactProblem;

/// The impact laws with finitely many outcomes.
#[derive(Clone, Debug, PartialEq)]
pub enum FiniteLaw {
    /// All contacts at once: every solution of the simultaneous complementarity problem.
    AnitescuPotra(AnitescuPotra),
    /// All contacts at once, with circular friction cones: the solutions that several starts lead
    /// to.
    ConeComplementarity(ConeComplementarity),
    /// All contacts at once, with sliding that makes contacts leave: a convex program.
    ConvexRelaxation(ConvexRelaxation),
    /// Single impacts, one contact after the other, in a given cyclic order.
    Sequential(Sequential),
    /// Single reflections, one contact after the other, in every order that may occur. \[SM14\]
    Propagative(Propagative),
    /// The impact at one spatial contact with friction and restitution. \[JW16\]
    DarbouxKeller(DarbouxKeller),
    /// Rounds of compression and expansion at all contacts at once. \[USD15\]
    Plus(Plus),
    /// Springs, dampers and friction at all contacts, integrated through the impact.
    Compliant(Compliant),
}

/// The details of one outcome that only its law reports.
#[derive(Clone, Debug, PartialEq)]
pub enum Details {
    /// Details of a solution of the simultaneous problem.
    AnitescuPotra(anitescu_potra::AnitescuPotraDetails),
    /// Details of a solution with circular friction cones.
    ConeComplementarity(cone_complementarity::ConeComplementarityDetails),
    /// Details of the solution of the convex program.
    ConvexRelaxation(convex_relaxation::ConvexRelaxationDetails),
    /// Details of an outcome of single impacts.
    Sequential(sequential::SequentialDetails),
    /// Details of an outcome of reflections.
    Propagative(propagative::PropagativeDetails),
    /// The course of the impact at one spatial contact.
    DarbouxKeller(Box<ContactCourse>),
    /// The course of rounds of compression and expansion.
    Plus(PlusCourse),
    /// Details of compliant contact.
    Compliant(compliant::CompliantDetails),
}

/// Results that a law reports for all its outcomes together.
#[derive(Clone, Debug, PartialEq)]
pub enum About {
    /// No further result.
    Nothing,
    /// Whether the order of reflections matters.
    Propagative(Uniqueness),
}

/// All outcomes of one law on one problem.
pub type Resolved = OutcomeSet<Details, About>;

impl FiniteLaw {
    /// The names of the laws.
    pub const NAMES: [&'static str; 8] = [
        AnitescuPotra::NAME,
        ConeComplementarity::NAME,
        ConvexRelaxation::NAME,
        Sequential::NAME,
        Propagative::NAME,
        DarbouxKeller::NAME,
        Plus::NAME,
        Compliant::NAME,
    ];

    /// The law of a name, with its defaults.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            AnitescuPotra::NAME => FiniteLaw::AnitescuPotra(AnitescuPotra::default()),
            ConeComplementarity::NAME => {
                FiniteLaw::ConeComplementarity(ConeComplementarity::default())
            }
            ConvexRelaxation::NAME => FiniteLaw::ConvexRelaxation(ConvexRelaxation),
            Sequential::NAME => FiniteLaw::Sequential(Sequential::default()),
            Propagative::NAME => FiniteLaw::Propagative(Propagative::default()),
            DarbouxKeller::NAME => FiniteLaw::DarbouxKeller(DarbouxKeller::default()),
            Plus::NAME => FiniteLaw::Plus(Plus::default()),
            Compliant::NAME => FiniteLaw::Compliant(Compliant::default()),
            _ => return None,
        })
    }

    /// The law's name, as the command line and the files write it.
    pub fn name(&self) -> &'static str {
        match self {
            FiniteLaw::AnitescuPotra(_) => AnitescuPotra::NAME,
            FiniteLaw::ConeComplementarity(_) => ConeComplementarity::NAME,
            FiniteLaw::ConvexRelaxation(_) => ConvexRelaxation::NAME,
            FiniteLaw::Sequential(_) => Sequential::NAME,
            FiniteLaw::Propagative(_) => Propagative::NAME,
            FiniteLaw::DarbouxKeller(_) => DarbouxKeller::NAME,
            FiniteLaw::Plus(_) => Plus::NAME,
            FiniteLaw::Compliant(_) => Compliant::NAME,
        }
    }

    /// The law's own options, for reports.
    pub fn describe(&self) -> &dyn Describe {
        match self {
            FiniteLaw::AnitescuPotra(law) => law,
            FiniteLaw::ConeComplementarity(law) => law,
            FiniteLaw::ConvexRelaxation(law) => law,
            FiniteLaw::Sequential(law) => law,
            FiniteLaw::Propagative(law) => law,
            FiniteLaw::DarbouxKeller(law) => law,
            FiniteLaw::Plus(law) => law,
            FiniteLaw::Compliant(law) => law,
        }
    }

    /// Whether the law has no restitution.
    pub fn inelastic(&self) -> bool {
        use FiniteLaw::*;
        matches!(self, AnitescuPotra(_) | ConeComplementarity(_) | ConvexRelaxation(_))
    }

    /// Every outcome of the law on `problem`, checked, with at most [`Effort::WORK`].
    ///
    /// # Errors
    /// What the law cannot honour: see its own `resolve`.
    pub fn resolve(&self, problem: &ContactProblem) -> Result<Resolved> {
        self.resolve_within(problem, &Effort::default())
    }

    /// The outcomes that the law finds within an effort. Where that is spent, outcomes that have
    /// not ended are [`Status::Budget`](carom_core::status::Status::Budget), others may be missing, and
    /// a warning says so.
    pub fn resolve_within(&self, problem: &ContactProblem, effort: &Effort) -> Result<Resolved> {
        let nothing = |()| About::Nothing;
        let mut resolved = match self {
            FiniteLaw::AnitescuPotra(law) => {
                law.resolve_within(problem, effort)?.map(Details::AnitescuPotra, nothing)
            }
            FiniteLaw::ConeComplementarity(law) => {
                law.resolve_within(problem, effort)?.map(Details::ConeComplementarity, nothing)
            }
            FiniteLaw::ConvexRelaxation(law) => {
                law.resolve_within(problem, effort)?.map(Details::ConvexRelaxation, nothing)
            }
            FiniteLaw::Sequential(law) => {
                law.resolve_within(problem, effort)?.map(Details::Sequential, nothing)
            }
            FiniteLaw::Propagative(law) => {
                propagative(law, problem, effort)?.map(Details::Propagative, About::Propagative)
            }
            FiniteLaw::DarbouxKeller(law) => law
                .resolve(problem)?
                .map(|course| Details::DarbouxKeller(Box::new(course)), nothing),
            FiniteLaw::Plus(law) => {
                law.resolve_within(problem, effort)?.map(Details::Plus, nothing)
            }
            FiniteLaw::Compliant(law) => {
                law.resolve_within(problem, effort)?.map(Details::Compliant, nothing)
            }
        };
        resolved = resolved.cut(effort);
        if !problem.uncertainty().is_none() {
            let warning = "what is uncertain is taken as it is given; `carom sample` draws it";
            resolved.warnings.push(warning.to_string());
        }
        Ok(resolved)
    }
}

/// The outcomes of the propagative law; from three contacts on with the distance between outcomes
/// of sampled orders.
fn propagative(
    law: &Propagative,
    problem: &ContactProblem,
    effort: &Effort,
) -> Result<OutcomeSet<propagative::PropagativeDetails, Uniqueness>> {
    let mut resolved = law.resolve_within(problem, effort)?;
    if problem.contact_count() > 2 {
        let sampled =
            sampled_velocities(problem, law.rebound(problem)?, Uniqueness::SAMPLED, effort)?;
        resolved.about.sampled =
            Some(indeterminacy(problem, sampled.iter().map(Vec::as_slice), effort));
    }
    Ok(resolved)
}

impl Details {
    /// The details as a reporter sees them, whatever the law.
    pub fn describe(&self) -> &dyn DescribeOutcome {
        match self {
            Details::AnitescuPotra(details) => details,
            Details::ConeComplementarity(details) => details,
            Details::ConvexRelaxation(details) => details,
            Details::Sequential(details) => details,
            Details::Propagative(details) => details,
            Details::DarbouxKeller(course) => &**course,
            Details::Plus(course) => course,
            Details::Compliant(details) => details,
        }
    }
}

impl About {
    /// The results as a reporter sees them, whatever the law.
    pub fn describe(&self) -> &dyn Describe {
        match self {
            About::Nothing => &(),
            About::Propagative(uniqueness) => uniqueness,
        }
    }
}
