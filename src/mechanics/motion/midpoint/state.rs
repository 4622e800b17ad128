use std::collections::{BTreeMap, BTreeSet};

use nalgebra::{DVector, Vector3};

use crate::model::{Site, Surface};
use crate::motion::course::Change;
use crate::motion::mechanism::Mechanism;

/// Relative contact velocity, compared with the fastest, below which touching contacts rest at the
/// start.
const RESTING: f64 = 1e-9;

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
    /// Latest impact of each site struck in the present step.
    pub hits: BTreeMap<Site, Hit>,
    /// The sites in sustained contact.
    pub sustained: BTreeSet<Site>,
    /// Accumulated normal impulse of each site in N s, if the integrator counts it; else empty.
    pub normal: BTreeMap<Site, f64>,
    /// Mean forces of sustained contacts over the last step in N, along the normal and the
    /// tangents, with their pairs. They start the search for the next forces.
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

    /// Change at the start of a motion, if sites are initially in sustained contact.
    pub(in crate::motion) fn first_change(&self) -> Option<Change> {
        let sustained = self.sustained.clone();
        (!sustained.is_empty()).then_some(Change { time: 0.0, sustained })
    }
}

/// Resting sites at configuration `q` and velocity `v`: within the tolerance, neither approaching
/// nor separating.
pub fn resting(
    mechanism: &Mechanism,
    tolerance: f64,
    [q, v]: [&DVector<f64>; 2],
) -> BTreeSet<Site> {
    let (sites, contacts): (Vec<_>, Vec<_>) =
        mechanism.touching_sites(q, tolerance).into_iter().unzip();
    if contacts.is_empty() {
        return BTreeSet::new();
    }
    let u = mechanism.rows(q, &contacts) * v;
    let rest = RESTING * u.amax();
    (0..sites.len()).filter(|&i| u[i].abs() <= rest).map(|i| sites[i]).collect()
}
