//! The times at which a motion is examined, so that no body passes through another one unseen.

use std::collections::BTreeSet;

use nalgebra::DVector;

use super::mechanism::Mechanism;
use crate::model::{Site, Surface};
use carom_core::error::Result;

/// Largest overlap of a pair until the next look, as a part of its thickness.
const SHARE: f64 = 0.5;
/// Largest number of looks in a step.
const LOOKS: f64 = 1000.0;
/// Part of a time by which it may fall short and still count, because reports round.
const ROUNDING: f64 = 1e-5;

/// Two bodies that may have passed through each other unseen.
#[derive(Clone, Debug, PartialEq)]
pub struct Passing {
    /// The first time at which they may have passed, in s.
    pub time: f64,
    /// The indices of the bodies.
    pub bodies: [usize; 2],
    /// Largest speed of their points against each other, in m/s.
    pub speed: f64,
    /// The smallest width of both together, in m.
    pub thickness: f64,
    /// The time step in s with which they cannot pass; `None` where they are too thin for any.
    pub time_step: Option<f64>,
    /// Number of times that it may have happened.
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

/// The times at which a motion is examined.
///
/// Two bodies whose points move against each other at most at speed c, and whose gap is g, overlap
/// at no time before `g / c`, and at most by half of their thickness w before `(g + w/2) / c`: then
/// they are looked at. Looks are at least a thousandth of a step apart.
#[derive(Debug)]
pub struct Watch<'a> {
    mechanism: &'a Mechanism,
    /// The pairs that may meet, with their speeds.
    pairs: Vec<([usize; 2], f64)>,
    /// The time of the last look, and the time at which looks end, s.
    time: f64,
    end: f64,
    /// The shortest time between two looks, s.
    least: f64,
    /// Pairs that may pass before the next look.
    doubts: Vec<Passing>,
    passed: Vec<Passing>,
}

type Phase<'a> = (&'a DVector<f64>, &'a DVector<f64>);

impl<'a> Watch<'a> {
    /// Watches the last `left` seconds of a step of `time_step`, from one state to another that
    /// nothing stops; pairs that are `closed` do not move through each other.
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

    /// The time of the next look, in s from the beginning, where the last look, or the beginning,
    /// found nothing at `q`; `None` after the last.
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

    /// The pairs that may have passed through each other, at times from `start` on.
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
