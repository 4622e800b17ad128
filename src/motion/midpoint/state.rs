//! The state of a mechanism within a step.

use std::collections::{BTreeMap, BTreeSet};

use nalgebra::{DVector, Vector3};

use crate::model::{Site, Surface};

/// The state of a mechanism: configuration, momentum, and the progress of the present step.
#[derive(Clone, Debug, PartialEq)]
pub struct MechanismState {
    /// Configuration `q` (n).
    pub q: DVector<f64>,
    /// Discrete momentum `p` (n).
    pub p: DVector<f64>,
    /// Number of completed steps.
    pub step: u64,
    /// Time since the last completed step, s.
    pub within: f64,
    /// Number of impacts in the present step.
    pub impacts: u32,
    /// The latest impact of each site that was struck in the present step.
    pub hits: BTreeMap<Site, Hit>,
    /// The sites in sustained contact.
    pub sustained: BTreeSet<Site>,
    /// The normal impulse of each site so far in N s, where the integrator counts it; else empty.
    pub normal: BTreeMap<Site, f64>,
    /// The mean forces of sustained contacts over the last step in N, along the normal and the
    /// tangents, with their pairs. The search for the next ones starts from them.
    pub forces: Vec<((Surface, usize), Vector3<f64>)>,
}

/// An impact at a site.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The time since the last completed step, s.
    pub time: f64,
    /// The speed of the approach, m/s.
    pub closing: f64,
    /// Number of impacts of the site in the present step.
    pub count: u32,
    /// Whether the impact lost energy.
    pub loses: bool,
}

impl MechanismState {
    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.q.iter().chain(&self.p).all(|x| x.is_finite())
    }
}
