//! What the sequential law says of an outcome: the order of the contacts.

use serde_json::Value;

use crate::{Describe, DescribeOutcome};

/// What the sequential law says of an outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct SequentialDetails {
    /// The contacts in their cyclic order, at least one.
    pub order: Vec<usize>,
    /// Number of contacts visited, those that did not approach included.
    pub visits: usize,
    /// The impulse (normal, tangents) in N s of each impact; 0 along tangents that the problem does
    /// not have.
    pub impulses: Vec<[f64; 3]>,
}

impl Describe for SequentialDetails {
    fn keys(&self) -> Vec<(&'static str, Value)> {
        let SequentialDetails { order, visits, .. } = self;
        vec![
            ("start", order[0].into()),
            ("order", order.clone().into()),
            ("visits", (*visits).into()),
        ]
    }
}

impl DescribeOutcome for SequentialDetails {
    fn title(&self) -> String {
        format!("start {}", self.order[0])
    }
}
