//! The laws with finitely many outcomes, and the details that each law reports.

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

use self::anitescu_potra::{AnitescuPotra, AnitescuPotraDetails};
use self::compliant::{Compliant, CompliantDetails};
use self::cone_complementarity::{ConeComplementarity, ConeComplementarityDetails};
use self::convex_relaxation::{ConvexRelaxation, ConvexRelaxationDetails};
use self::darboux_keller::{ContactCourse, DarbouxKeller};
use self::describe::{Describe, DescribeOutcome};
use self::plus::{Plus, PlusCourse};
use self::propagative::uniqueness::{Uniqueness, indeterminacy};
use self::propagative::{Propagative, PropagativeDetails};
use self::sequential::{Sequential, SequentialDetails};
use crate::sampling::random_order::sampled_velocities;
use carom_core::{ContactProblem, Limits, OutcomeSet, Result};

/// Defines [`FiniteLaw`] and [`Details`], with one variant per law and the type of its details.
macro_rules! laws {
    ($($(#[$doc:meta])* $law:ident($details:ty),)+) => {
        /// The impact laws with finitely many outcomes.
        #[derive(Clone, Debug, PartialEq)]
        pub enum FiniteLaw {
            $($(#[$doc])* $law($law),)+
        }

        /// Details of one outcome, specific to its law.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Details {
            $(
                #[doc = concat!("Details of an outcome of [`", stringify!($law), "`].")]
                $law($details),
            )+
        }

        impl FiniteLaw {
            /// The names of the laws.
            pub const NAMES: [&'static str; 8] = [$($law::NAME),+];

            /// The law of a name, with its defaults.
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $($law::NAME => Some(FiniteLaw::$law($law::default())),)+
                    _ => None,
                }
            }

            /// The law's name, as the command line and the files write it.
            pub fn name(&self) -> &'static str {
                match self {
                    $(FiniteLaw::$law(_) => $law::NAME,)+
                }
            }

            /// The law's own options, for reports.
            pub fn describe(&self) -> &dyn Describe {
                match self {
                    $(FiniteLaw::$law(law) => law,)+
                }
            }

            /// Computes the outcomes within limits.
            fn found(&self, problem: &ContactProblem, limits: &Limits) -> Result<Resolved> {
                Ok(match self {
                    $(FiniteLaw::$law(law) => law
                        .resolve_within(problem, limits)?
                        .map(|details| Details::$law(details.into()), About::from),)+
                })
            }
        }

        impl Details {
            /// The details as a type of any law, for reports.
            pub fn describe(&self) -> &dyn DescribeOutcome {
                match self {
                    $(Details::$law(details) => details.described(),)+
                }
            }
        }
    };
}

laws! {
    /// All contacts at once: every solution of the simultaneous complementarity problem.
    AnitescuPotra(AnitescuPotraDetails),
    /// All contacts at once, with circular friction cones: the solutions found from several
    /// starting points.
    ConeComplementarity(ConeComplementarityDetails),
    /// All contacts at once, as a convex program; a sliding contact may separate.
    ConvexRelaxation(ConvexRelaxationDetails),
    /// Single impacts, one contact after the other, in a given cyclic order.
    Sequential(SequentialDetails),
    /// Single reflections, one contact after the other, in every admissible order. \[SM14\]
    Propagative(PropagativeDetails),
    /// The impact at one spatial contact with friction and restitution. \[JW16\]
    DarbouxKeller(Box<ContactCourse>),
    /// Rounds of compression and expansion at all contacts at once. \[USD15\]
    Plus(PlusCourse),
    /// Springs, dampers and friction at all contacts, integrated through the impact.
    Compliant(CompliantDetails),
}

/// Results about all outcomes of a law together.
#[derive(Clone, Debug, PartialEq)]
pub enum About {
    /// No further result.
    Nothing,
    /// Whether outcomes depend on the order of reflections.
    Propagative(Uniqueness),
}

/// All outcomes of one law on one problem.
pub type Resolved = OutcomeSet<Details, About>;

impl FiniteLaw {
    /// Whether the law has no restitution.
    pub fn inelastic(&self) -> bool {
        use FiniteLaw::*;
        matches!(self, AnitescuPotra(_) | ConeComplementarity(_) | ConvexRelaxation(_))
    }

    /// Every outcome of the law on `problem`, checked, with at most [`Limits::WORK`].
    ///
    /// # Errors
    /// A problem or an option that the law does not support: see its own `resolve`.
    pub fn resolve(&self, problem: &ContactProblem) -> Result<Resolved> {
        self.resolve_within(problem, &Limits::default())
    }

    /// The outcomes found within limits. Once the limits are spent, unfinished outcomes have the
    /// status [`Status::Budget`](carom_core::status::Status::Budget), others may be missing, and a
    /// warning says so.
    pub fn resolve_within(&self, problem: &ContactProblem, limits: &Limits) -> Result<Resolved> {
        let mut resolved = self.found(problem, limits)?;
        // From three contacts on, sampled orders estimate the distance between outcomes.
        if let (FiniteLaw::Propagative(law), About::Propagative(about)) =
            (self, &mut resolved.about)
            && problem.contact_count() > 2
        {
            let rebound = law.rebound(problem)?;
            let sampled = sampled_velocities(problem, rebound, Uniqueness::SAMPLED, limits)?;
            about.sampled = Some(indeterminacy(problem, sampled.iter().map(Vec::as_slice), limits));
        }
        resolved = resolved.cut(limits);
        if !problem.uncertainty().is_none() {
            let warning = "what is uncertain is taken as it is given; `carom sample` draws it";
            resolved.warnings.push(warning.to_string());
        }
        Ok(resolved)
    }
}

impl From<()> for About {
    fn from((): ()) -> Self {
        About::Nothing
    }
}

impl From<Uniqueness> for About {
    fn from(uniqueness: Uniqueness) -> Self {
        About::Propagative(uniqueness)
    }
}

impl About {
    /// The results as a type of any law, for reports.
    pub fn describe(&self) -> &dyn Describe {
        match self {
            About::Nothing => &(),
            About::Propagative(uniqueness) => uniqueness,
        }
    }
}
