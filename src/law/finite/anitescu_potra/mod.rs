//! All contacts at once, inelastic, with friction: every solution of the simultaneous
//! complementarity problem.

mod cone;
mod search;

use serde_json::{Value, json};

use crate::sampling::restitution::require_inelastic;
use crate::{Describe, DescribeOutcome};
use carom_core::contact_space::facets_on;
use carom_core::named;
use carom_core::{ContactProblem, Limits, OutcomeSet, Result};
use search::SolutionSearch;

/// The simultaneous inelastic impact of Anitescu and Potra, all of its solutions:
///
/// ```text
/// find L = (ln, lt) with u+ = u + W L,
///   0 <= ln _|_ u+_n >= 0,   |lt| <= mu ln,
///   lt = -mu ln where u+_t > 0,   lt = mu ln where u+_t < 0.
/// ```
///
/// Planar problems: in each combination of contact modes ([`ContactMode`]), `L` is a solution if
/// `-u` is a nonnegative combination of the vectors `W g`, with `g` the active edges of the
/// friction cones, and, up to sign, of the unit vectors of the entries of `u+` that may be nonzero.
/// This combination is found for every combination of modes
/// ([`cone::nonnegative`](carom_core::lcp::cone::nonnegative)), singular ones included; if `v+` may
/// vary within one, the corners of its solution set are found. Source: \[HP23\] (31), after
/// \[AP97\]. Deviation: all solutions instead of one. Solutions with equal `v+` are merged.
/// Guarantee: complete up to [`AnitescuPotra::MAX_COMBINATIONS`] combinations; their number is 4^m,
/// with a factor 2 instead of 4 for each frictionless contact. With more combinations, the
/// solutions by Lemke's method with [`AnitescuPotra::PATHS`] covering vectors.
///
/// Spatial problems: friction cones have [`Facets`](carom_core::lcp::Facets); listed are the
/// solutions by Lemke's method with [`AnitescuPotra::SPATIAL_PATHS`] covering vectors, which may be
/// incomplete.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnitescuPotra {
    /// Facets of the friction cones of a spatial problem; `None`: [`AnitescuPotra::FACETS`].
    pub facets: Option<u32>,
}

impl AnitescuPotra {
    /// The law's name.
    pub const NAME: &'static str = "anitescu-potra";
    /// Limit of combinations of contact modes for a complete search: six contacts with friction.
    pub const MAX_COMBINATIONS: usize = 4096;
    /// Number of covering vectors above this limit.
    pub const PATHS: u64 = 256;
    /// Number of covering vectors in spatial problems.
    pub const SPATIAL_PATHS: u64 = 32;
    /// Default number of facets of spatial friction cones.
    pub const FACETS: u32 = 16;

    /// All solutions, in the order of their combinations of modes.
    ///
    /// # Errors
    /// Facets in a planar problem, a number of facets refused by
    /// [`Facets::new`](carom_core::lcp::Facets::new), a coefficient of restitution above 0.
    pub fn resolve(&self, problem: &ContactProblem) -> Result<OutcomeSet<AnitescuPotraDetails>> {
        self.resolve_within(problem, &Limits::default())
    }

    /// The solutions found within the limits.
    pub fn resolve_within(
        &self,
        problem: &ContactProblem,
        limits: &Limits,
    ) -> Result<OutcomeSet<AnitescuPotraDetails>> {
        let facets = facets_on(problem, self.facets, Self::FACETS)?;
        require_inelastic(problem, Self::NAME)?;
        let mut search = SolutionSearch::new(problem, facets.as_ref(), limits);
        let per_contact: Vec<&[ContactMode]> =
            problem.friction().iter().map(|&mu| modes_of(mu)).collect();
        let count =
            per_contact.iter().try_fold(1_usize, |count, modes| count.checked_mul(modes.len()));
        match facets {
            Some(_) => search.pivot(Self::SPATIAL_PATHS),
            None if count.is_some_and(|count| count <= Self::MAX_COMBINATIONS) => {
                search.enumerate(&per_contact)
            }
            None => search.pivot(Self::PATHS),
        }
        let mut warnings = Vec::new();
        if search.found.is_empty() {
            search.complete = false;
            if !limits.is_over() {
                warnings.push("no solution was found; rounding hides it".to_string());
            }
        }
        if let Some(facets) = &facets {
            let (count, paths) = (2 * facets.axes().len(), Self::SPATIAL_PATHS);
            warnings.push(format!(
                "the friction cones have {count} facets; listed are the solutions that Lemke's method meets with {paths} \
                 covering vectors"
            ));
        }
        let (mut outcomes, complete) = (search.found, search.complete);
        if !complete {
            warnings.push("there may be more solutions than those listed".to_string());
        }
        outcomes.iter_mut().for_each(|outcome| outcome.details.complete = complete);
        Ok(OutcomeSet::new(Self::NAME, problem, outcomes, complete, (), warnings))
    }
}

impl Describe for AnitescuPotra {
    fn keys(&self) -> Vec<(&'static str, Value)> {
        vec![("facets", self.facets.into())]
    }
}

/// The modes of a contact with friction `mu`.
fn modes_of(mu: f64) -> &'static [ContactMode] {
    use ContactMode::*;
    if mu > 0.0 { &[Off, Stick, Slide, SlideBack] } else { &[Off, Slide] }
}

named! {
    /// What a contact does in a solution of the simultaneous problem.
    #[derive(Hash, PartialOrd, Ord)]
    pub enum ContactMode {
        /// `ln = lt = 0`, `u+_n >= 0`.
        Off = "off",
        /// `u+_n = u+_t = 0`, `|lt| <= mu ln`.
        Stick = "stick",
        /// `u+_n = 0`, `u+_t >= 0`, `lt = -mu ln`; a contact without friction is in this mode for
        /// any `u+_t`.
        Slide = "slide+",
        /// `u+_n = 0`, `u+_t <= 0`, `lt = mu ln`.
        SlideBack = "slide-",
    }
}

/// Details of an outcome of the law of Anitescu and Potra.
#[derive(Clone, Debug, PartialEq)]
pub struct AnitescuPotraDetails {
    /// The combinations of contact modes (m each) in which the outcome is a solution; empty after
    /// Lemke's method.
    pub combinations: Vec<Vec<ContactMode>>,
    /// Whether all solutions near the outcome have its `v+`. A solution that is not isolated is a
    /// corner of a continuum of `v+`.
    pub isolated: bool,
    /// Whether all solutions of the problem are known.
    pub complete: bool,
}

impl Describe for AnitescuPotraDetails {
    fn keys(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("combinations", json!(self.combinations)),
            ("isolated", self.isolated.into()),
            ("complete", self.complete.into()),
        ]
    }
}

impl DescribeOutcome for AnitescuPotraDetails {
    fn heading(&self) -> &'static str {
        "combinations of contact modes"
    }

    fn origin(&self, _: &str) -> String {
        let names = |modes: &Vec<ContactMode>| modes.iter().map(|mode| mode.name()).collect();
        let names: Option<Vec<&str>> = self.combinations.first().map(names);
        let first = names.map_or("found by pivoting".to_string(), |names| names.join(" "));
        let more = match self.combinations.len() {
            0 | 1 => String::new(),
            n => format!(" and {} more", n - 1),
        };
        let continuum = if self.isolated { "" } else { ", corner of a continuum" };
        format!("{first}{more}{continuum}")
    }

    fn title(&self) -> String {
        if self.isolated { "solution" } else { "corner of a continuum" }.to_string()
    }
}
