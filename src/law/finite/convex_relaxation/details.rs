//! What the convex relaxation says of its outcome.

use serde_json::Value;

use crate::{Describe, DescribeOutcome};

/// What the convex relaxation says of its outcome beside velocity and impulse.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvexRelaxationDetails {
    /// The steps of Newton's method that improved the solver's impulse.
    pub iterations: usize,
    /// For each contact, the normal velocity `u+_n` in m/s with which it leaves although it pushes
    /// (m entries); 0 where it does not.
    pub lift: Vec<f64>,
}

impl Describe for ConvexRelaxationDetails {
    fn keys(&self) -> Vec<(&'static str, Value)> {
        vec![("iterations", self.iterations.into()), ("lift", self.lift.clone().into())]
    }
}

impl DescribeOutcome for ConvexRelaxationDetails {
    fn heading(&self) -> &'static str {
        "pushed off by sliding"
    }

    fn origin(&self, _: &str) -> String {
        let lifted: Vec<String> =
            (0..self.lift.len()).filter(|&i| self.lift[i] > 0.0).map(|i| i.to_string()).collect();
        if lifted.is_empty() {
            "no contact".to_string()
        } else {
            format!("contacts {}", lifted.join(", "))
        }
    }

    fn title(&self) -> String {
        "relaxation".to_string()
    }
}
