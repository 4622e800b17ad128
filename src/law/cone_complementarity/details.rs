//! What the law with circular cones says of an outcome: how it was found.

use serde_json::Value;

use crate::law::describe::{Describe, DescribeOutcome};

/// The impulse from which a solution was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// None.
    Zero,
    /// That of the convex relaxation.
    Relaxation,
    /// That of sweeps over the contacts.
    Sweeps,
    /// That of convex programs in turn, each with the sliding speeds of the last one.
    Programs,
    /// A solution with facets instead of circles.
    Facets,
    /// A random one.
    Random,
    /// The combinations of contact modes of a planar problem: the solution itself.
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
pub struct Details {
    /// From what impulse Newton's method found it first.
    pub start: Start,
    /// The steps of Newton's method that it took from there.
    pub iterations: usize,
    /// How many starts led to it.
    pub found: usize,
    /// How many starts there were.
    pub starts: usize,
    /// Whether the solutions near it, to first order, have the same `v+`. Otherwise it is one of a
    /// continuum of `v+`.
    pub isolated: bool,
    /// Whether several solutions were found.
    pub several: bool,
    /// Whether all solutions of the problem are known.
    pub complete: bool,
}

impl Describe for Details {
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

impl DescribeOutcome for Details {
    fn heading(&self) -> &'static str {
        "found from"
    }

    fn origin(&self, _: &str) -> String {
        let Details { start, iterations, found, starts, .. } = self;
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
