//! The simultaneous inelastic impact with circular friction cones.

mod alart_curnier;
mod search;
mod sweep;

pub use search::{solution_near, solutions};

use serde_json::Value;

use crate::sampling::restitution::require_inelastic;
use crate::{Describe, DescribeOutcome};
use carom_core::cones::space::RESIDUAL;
use carom_core::named;
use carom_core::{ContactProblem, Limits, Outcome, OutcomeSet, Result, Status};
use search::ConeSearch;

/// The simultaneous inelastic impact with circular friction cones:
///
/// ```text
/// find L = (ln, lt) with u+ = u + W L,
///   0 <= ln _|_ u+_n >= 0,   |lt| <= mu ln,   lt = -mu ln u+_t / |u+_t| where u+_t != 0,
/// ```
///
/// equivalently, with `K` the friction cone and `e_n` the normal,
/// `K* contains u+ + mu |u+_t| e_n _|_ L in K` at each contact.
///
/// Spatial problems: Newton's method for nonsmooth equations
/// ([`alart_curnier`](alart_curnier::alart_curnier)) from several starting impulses ([`Start`]):
/// zero, sweeps over the contacts, the convex relaxation, the solutions with eight facets, random
/// impulses. If none leads to a solution, a sequence of convex programs and more sweeps follow.
/// Solutions with equal `v+` are merged. Planar problems: the solutions of
/// [`AnitescuPotra`](crate::AnitescuPotra), each improved if its residual is too large. Source:
/// \[DF98\]; on the existence of solutions, \[ACLM11\]. Guarantee: an outcome is terminated only
/// with a residual of at most 1e-10. If no start leads to a solution, the impulse with the smallest
/// residual is listed as [`Status::Unsolved`]. Spatial problems may have more solutions than
/// listed.
#[derive(Clone, Debug, PartialEq)]
pub struct ConeComplementarity {
    /// Number of random starts.
    pub starts: u32,
}

impl Default for ConeComplementarity {
    fn default() -> Self {
        ConeComplementarity { starts: Self::STARTS }
    }
}

impl ConeComplementarity {
    /// The law's name.
    pub const NAME: &'static str = "cone-complementarity";
    /// Default number of random starts.
    pub const STARTS: u32 = 8;

    /// The solutions, in the order of their starts.
    ///
    /// # Errors
    /// A coefficient of restitution above 0.
    pub fn resolve(
        &self,
        problem: &ContactProblem,
    ) -> Result<OutcomeSet<ConeComplementarityDetails>> {
        self.resolve_within(problem, &Limits::default())
    }

    /// The solutions found within the limits.
    pub fn resolve_within(
        &self,
        problem: &ContactProblem,
        limits: &Limits,
    ) -> Result<OutcomeSet<ConeComplementarityDetails>> {
        self.search(problem, true, limits)
    }

    /// The first solution found; others may exist. A spatial problem costs one start of Newton's
    /// method, if this start leads to a solution.
    ///
    /// # Errors
    /// A coefficient of restitution above 0.
    pub fn first(
        &self,
        problem: &ContactProblem,
    ) -> Result<OutcomeSet<ConeComplementarityDetails>> {
        self.search(problem, false, &Limits::default())
    }

    fn search(
        &self,
        problem: &ContactProblem,
        all: bool,
        limits: &Limits,
    ) -> Result<OutcomeSet<ConeComplementarityDetails>> {
        require_inelastic(problem, Self::NAME)?;
        let mut search = ConeSearch::new(problem, limits);
        let mut complete =
            search.rests() || problem.tangents_per_contact() < 2 && search.combinations();
        if search.found.is_empty() {
            search.starts(self.starts, all);
        }
        if !all && search.found.len() > 1 {
            search.found.truncate(1);
            complete = false;
        }
        let (mut outcomes, starts) = (search.found, search.starts);
        let mut warnings = Vec::new();
        let several = outcomes.len() > 1;
        if outcomes.is_empty() {
            let unsolved = |nearest| Outcome { status: Status::Unsolved, ..nearest };
            outcomes.extend(search.nearest.map(unsolved));
            warnings.push(format!(
                "none of {starts} starts led to a residual of {RESIDUAL:.0e}; listed is what came nearest"
            ));
        } else if several && !complete {
            warnings.push("several solutions were found; there may be more".to_string());
        }
        for outcome in &mut outcomes {
            let details = &mut outcome.details;
            (details.starts, details.several, details.complete) = (starts, several, complete);
        }
        Ok(OutcomeSet::new(Self::NAME, problem, outcomes, complete, (), warnings))
    }
}

impl Describe for ConeComplementarity {
    fn keys(&self) -> Vec<(&'static str, Value)> {
        vec![("starts", self.starts.into())]
    }
}

named! {
    /// The impulse from which a solution was found.
    pub enum Start {
        /// No impulse.
        Zero = "zero",
        /// The solution of the convex relaxation.
        Relaxation = "relaxation",
        /// The result of sweeps over the contacts.
        Sweeps = "sweeps",
        /// The result of convex programs in turn, each with the sliding speeds of the last one.
        Programs = "programs",
        /// A solution with facets instead of circles.
        Facets = "facets",
        /// A random impulse.
        Random = "random",
        /// The solution itself, from the combinations of contact modes of a planar problem.
        Modes = "modes",
    }
}

/// Details of an outcome of the law with circular cones.
#[derive(Clone, Debug, PartialEq)]
pub struct ConeComplementarityDetails {
    /// The first starting impulse that led to the solution.
    pub start: Start,
    /// Number of steps of Newton's method from this impulse.
    pub iterations: usize,
    /// Number of starts that led to the solution.
    pub found: usize,
    /// Total number of starts.
    pub starts: usize,
    /// Whether all solutions near this one, to first order, have the same `v+`. A solution that is
    /// not isolated belongs to a continuum of `v+`.
    pub isolated: bool,
    /// Whether several solutions were found.
    pub several: bool,
    /// Whether all solutions of the problem are known.
    pub complete: bool,
}

impl Describe for ConeComplementarityDetails {
    fn keys(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("start", self.start.name().into()),
            ("iterations", self.iterations.into()),
            ("found", self.found.into()),
            ("starts", self.starts.into()),
            ("isolated", self.isolated.into()),
            ("several", self.several.into()),
            ("complete", self.complete.into()),
        ]
    }
}

impl DescribeOutcome for ConeComplementarityDetails {
    fn heading(&self) -> &'static str {
        "found from"
    }

    fn origin(&self, _: &str) -> String {
        let ConeComplementarityDetails { start, iterations, found, starts, .. } = self;
        let from = match start {
            Start::Modes => "contact modes".to_string(),
            _ => format!(
                "{}, in {iterations} steps; {found} of {starts} starts lead here",
                start.name()
            ),
        };
        let continuum = if self.isolated { "" } else { "; one of a continuum" };
        format!("{from}{continuum}")
    }

    fn title(&self) -> String {
        if self.isolated { "solution" } else { "one of a continuum" }.to_string()
    }
}
