//! Continuous collision detection: examination times that prevent tunnelling.

use std::collections::BTreeSet;

use nalgebra::DVector;

use super::mechanism::Mechanism;
use crate::model::{Site, Surface};
use carom_core::error::Result;

/// Largest overlap of a pair until the next look, relative to its thickness.
const SHARE: f64 = 0.5;
/// Maximum number of looks in a step.
const LOOKS: f64 = 1000.0;
/// Relative tolerance of times, because reports round.
const ROUNDING: f64 = 1e-5;

/// Possible tunnelling of two bodies through each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Passing {
    /// First time of possible tunnelling, in s.
    pub time: f64,
    /// The indices of the bodies.
    pub bodies: [usize; 2],
    /// Maximum relative speed of their points, in m/s.
    pub speed: f64,
    /// Minimum width of their Minkowski sum, in m.
    pub thickness: f64,
    /// Time step in s that excludes tunnelling; `None` if the bodies are too thin for any.
    pub time_step: Option<f64>,
    /// Number of possible occurrences.
    pub times: u64,
}

impl Passing {
    /// Adds a later occurrence to a list that has each pair once, with the smallest time step.
    pub fn note(all: &mut Vec<Passing>, later: Passing) {
        match all.iter_mut().find(|known| known.bodies == later.bodies) {
            Some(known) => {
                known.times += later.times;
                if later.time_step < known.time_step {
                    let Passing { speed, thickness, time_step, .. } = later;
                    *known = Passing { speed, thickness, time_step, ..*known };
                }
            }
            None => all.push(later),
        }
    }
}

/// Schedule of the examination times of a motion.
///
/// Two bodies with a maximum relative point speed c and gap g cannot overlap before `g / c`, nor by
/// more than half of their thickness w before `(g + w/2) / c`: the time of the next look. Looks are
/// at least a thousandth of a step apart.
#[derive(Debug)]
pub struct Watch<'a> {
    mechanism: &'a Mechanism,
    /// Pairs that may meet, with their speeds.
    pairs: Vec<([usize; 2], f64)>,
    /// Time of the last look, and end time of the looks, s.
    time: f64,
    end: f64,
    /// Minimum time between two looks, s.
    least: f64,
    /// Pairs that may tunnel before the next look.
    doubts: Vec<Passing>,
    passed: Vec<Passing>,
}

type Phase<'a> = (&'a DVector<f64>, &'a DVector<f64>);

impl<'a> Watch<'a> {
    /// Watches the last `left` seconds of a step of `time_step`, between two states without an
    /// event; pairs in `closed` are exempt.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub fn new(
        mechanism: &'a Mechanism,
        [from, to]: [Phase<'_>; 2],
        [left, time_step]: [f64; 2],
        closed: &BTreeSet<[usize; 2]>,
    ) -> Result<Self> {
        let mut pairs = mechanism.body_pairs();
        pairs.retain(|pair| !closed.contains(pair));
        let mut meeting = Vec::new();
        if !pairs.is_empty() {
            let speeds = |(q, p): Phase<'_>| -> Result<Vec<f64>> {
                Ok(mechanism.speeds(&pairs, q, &mechanism.velocity(q, p)?))
            };
            let fastest = speeds(from)?.into_iter().zip(speeds(to)?).map(|(a, b)| a.max(b));
            meeting = pairs.iter().copied().zip(fastest).collect();
            meeting.retain(|(pair, speed)| {
                let way = speed * left;
                mechanism.spaces(from.0, *pair, way).iter().any(|[gap, _]| *gap <= way)
            });
        }
        Ok(Watch {
            mechanism,
            pairs: meeting,
            time: 0.0,
            end: left,
            least: time_step / LOOKS,
            doubts: Vec::new(),
            passed: Vec::new(),
        })
    }

    /// Time of the next look, in s from the beginning, if the last look or the beginning found
    /// nothing at `q`; `None` after the last.
    pub fn next(&mut self, q: &DVector<f64>) -> Option<f64> {
        self.passed.append(&mut self.doubts);
        if self.time >= self.end {
            return None;
        }
        let mut pause = f64::INFINITY;
        for &(bodies, speed) in &self.pairs {
            for [gap, thickness] in self.mechanism.spaces(q, bodies, f64::INFINITY) {
                let after = (gap.max(0.0) + SHARE * thickness) / speed;
                pause = pause.min(after);
                if after < (1.0 - ROUNDING) * self.least && self.time + after < self.end {
                    let step = LOOKS * SHARE * thickness / speed;
                    let time_step = (step > 0.0).then_some(step);
                    let doubt =
                        Passing { time: self.time, bodies, speed, thickness, time_step, times: 1 };
                    self.doubts.push(doubt);
                }
            }
        }
        self.time = (self.time + pause.max(self.least)).min(self.end);
        Some(self.time)
    }

    /// Pairs with possible tunnelling, at times from `start` on.
    pub fn passed(self, start: f64) -> impl Iterator<Item = Passing> {
        self.passed
            .into_iter()
            .map(move |passing| Passing { time: start + passing.time, ..passing })
    }
}

/// The pairs of bodies of some sites, the lower index first.
pub fn pairs<'a>(sites: impl IntoIterator<Item = &'a Site>) -> BTreeSet<[usize; 2]> {
    let bodies = |site: &Site| match site.first {
        Surface::Body(first) => Some([first, site.second]),
        Surface::Wall(_) => None,
    };
    sites.into_iter().filter_map(bodies).collect()
}
