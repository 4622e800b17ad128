//! What the law of Anitescu and Potra says of an outcome: in which contact modes it is a solution.

use serde_json::Value;

use crate::{Describe, DescribeOutcome};

/// What a contact does in a solution of the simultaneous problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ContactMode {
    /// `ln = lt = 0`, `u+_n >= 0`.
    Off,
    /// `u+_n = u+_t = 0`, `|lt| <= mu ln`.
    Stick,
    /// `u+_n = 0`, `u+_t >= 0`, `lt = -mu ln`; a contact without friction is in this mode for any
    /// `u+_t`.
    Slide,
    /// `u+_n = 0`, `u+_t <= 0`, `lt = mu ln`.
    SlideBack,
}

impl ContactMode {
    /// The name that reports and `--json` use.
    pub fn name(self) -> &'static str {
        match self {
            ContactMode::Off => "off",
            ContactMode::Stick => "stick",
            ContactMode::Slide => "slide+",
            ContactMode::SlideBack => "slide-",
        }
    }
}

/// What the law of Anitescu and Potra says of an outcome beside its velocity and impulse.
#[derive(Clone, Debug, PartialEq)]
pub struct AnitescuPotraDetails {
    /// The combinations of contact modes (m each) in which the outcome is a solution; none where
    /// Lemke's method found it.
    pub combinations: Vec<Vec<ContactMode>>,
    /// Whether the solutions near the outcome, if any, have its `v+`. A solution that is not
    /// isolated is a corner of a continuum of `v+`.
    pub isolated: bool,
    /// Whether all solutions of the problem are known.
    pub complete: bool,
}

/// The names of the modes of all contacts.
fn names(modes: &[ContactMode]) -> Vec<&'static str> {
    modes.iter().map(|mode| mode.name()).collect()
}

impl Describe for AnitescuPotraDetails {
    fn keys(&self) -> Vec<(&'static str, Value)> {
        let combinations: Vec<Vec<&str>> =
            self.combinations.iter().map(|modes| names(modes)).collect();
        vec![
            ("combinations", combinations.into()),
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
        let first = self.combinations.first();
        let first = first.map_or("found by pivoting".to_string(), |modes| names(modes).join(" "));
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
