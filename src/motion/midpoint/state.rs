//! The state of a mechanism within a step.

use std::collections::BTreeSet;

use nalgebra::DVector;

use crate::model::Site;

/// Where a mechanism is, how it moves, and what of the present step is left.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Configuration `q` (n).
    pub q: DVector<f64>,
    /// Discrete momentum `p` (n).
    pub p: DVector<f64>,
    /// Steps that were completed.
    pub step: u64,
    /// Time since the last completed step, s.
    pub within: f64,
    /// Impacts in the present step.
    pub impacts: u32,
    /// What is in sustained contact.
    pub sustained: BTreeSet<Site>,
}

impl State {
    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.q.iter().chain(&self.p).all(|x| x.is_finite())
    }
}
