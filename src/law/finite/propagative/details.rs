//! What the propagative law says of an outcome: the kind of its sequence, and whether a contact
//! pulls.

use serde_json::Value;

use crate::{Describe, DescribeOutcome};

/// The rule that chose the sequence of an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A sequence that ends feasible while no proper subsequence does. \[SM14\] Definition 1.
    Minimal,
    /// A sequence that reflects violated contacts only and stops at the first feasible momentum.
    Admissible,
    /// The sequence that always reflects the contact with the smallest normalised rate, the most
    /// violated one.
    Argmin,
    /// The sequence that always reflects the violated contact with the largest normalised rate, the
    /// least violated one.
    Argmax,
    /// The sequence that always reflects the violated contact that comes first in
    /// [`Propagative::order`](super::Propagative::order).
    Listed,
    /// The projection onto the momenta at which every contact rests. \[SM14\] (11)
    PlasticProjection,
    /// The plastic outcome without tension, `0 <= ln _|_ u+_n >= 0`.
    PlasticUnilateral,
}

impl Kind {
    /// The name that reports and `--json` use.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Minimal => "minimal",
            Kind::Admissible => "admissible",
            Kind::Argmin => "argmin",
            Kind::Argmax => "argmax",
            Kind::Listed => "listed",
            Kind::PlasticProjection => "plastic-projection",
            Kind::PlasticUnilateral => "plastic-unilateral",
        }
    }
}

/// What the propagative law says of an outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct PropagativeDetails {
    /// The rule that chose the sequence.
    pub kind: Kind,
    /// Whether some normal impulse is negative.
    pub tension: bool,
    /// The coefficient of restitution: the share of the sequence in the outcome.
    pub restitution: f64,
}

impl Describe for PropagativeDetails {
    fn keys(&self) -> Vec<(&'static str, Value)> {
        vec![("kind", self.kind.name().into()), ("tension", self.tension.into())]
    }
}

impl DescribeOutcome for PropagativeDetails {
    fn origin(&self, sequence: &str) -> String {
        let pulls = if self.tension { ", pulls" } else { "" };
        format!("{sequence:<12} {}{pulls}", self.kind.name())
    }

    fn title(&self) -> String {
        self.kind.name().replace('-', " ")
    }
}
