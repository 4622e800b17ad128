//! What the law with circular cones says of an outcome: how it was found.

use serde_json::Value;

use crate::{Describe, DescribeOutcome};

/// The impulse from which a solution was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// No impulse.
    Zero,
    /// The solution of the convex relaxation.
    Relaxation,
    /// The result of sweeps over the contacts.
    Sweeps,
    /// The result of convex programs in turn, each with the sliding speeds of the last one.
    Programs,
    /// A solution with facets instead of circles.
    Facets,
    /// A random impulse.
    Random,
    /// The solution itself, from the combinations of contact modes of a planar problem.
    Modes,
}

impl Start {
    /// The name that reports and `--json` use.
    pub fn name(self) -> &'static str {
        match self {
            Start::Zero => "zero",
            Start::Relaxation => "relaxation",
            Start::Sweeps => "sweeps",
            Start::Programs => "programs",
            Start::Facets => "facets",
            Start::Random => "random",
            Start::Modes => "modes",
        }
    }
}

/// What the law with circular cones says of an outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct ConeComplementarityDetails {
    /// The impulse from which Newton's method found the solution first.
    pub start: Start,
    /// The steps of Newton's method from that impulse.
    pub iterations: usize,
    /// Number of starts that led to the solution.
    pub found: usize,
    /// Number of starts in all.
    pub starts: usize,
    /// Whether the solutions near this one, to first order, have its `v+`. A solution that is not
    /// isolated is one of a continuum of `v+`.
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
