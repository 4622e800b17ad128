//! The states of a motion that a film shows.

use crate::plot::Flash;
use carom_mechanics::model::spatial::Contact;
use carom_mechanics::motion::futures::{Node, Tree};
use carom_mechanics::motion::{Course, Impact, Moment, Simulation};
use carom_scene::ScenePlace;

/// An impact of a branch.
#[derive(Clone, Debug)]
pub struct Strike {
    /// The time in s.
    pub time: f64,
    /// The state of the system at the impact.
    pub state: Vec<f64>,
    /// Contact points in the world frame, in m.
    pub places: Vec<ScenePlace>,
}

/// A motion, or a branch of one.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Times in s, ascending, and states.
    pub states: Vec<(f64, Vec<f64>)>,
    /// Impacts of the branch, in order.
    pub strikes: Vec<Strike>,
    /// The probability mass of the branch; 1 without branching.
    pub share: f64,
}

impl Branch {
    /// The first impact between two recorded states, so at most one per state.
    pub(super) fn shown(&self) -> Vec<&Strike> {
        // A later impact belongs to a step that was not completed.
        let last = self.states.last().map_or(f64::NEG_INFINITY, |(time, _)| *time);
        let mut shown: Vec<_> = self.strikes.iter().filter(|strike| strike.time <= last).collect();
        shown.dedup_by_key(|strike| self.states.partition_point(|(time, _)| *time <= strike.time));
        shown
    }

    /// Recorded states merged with the states at the impacts of [`Branch::shown`], by time.
    pub(super) fn keys(&self) -> Vec<(f64, Vec<f64>)> {
        let mut keys = self.states.clone();
        keys.extend(self.shown().into_iter().map(|strike| (strike.time, strike.state.clone())));
        keys.sort_by(|a, b| a.0.total_cmp(&b.0));
        keys.dedup_by_key(|(time, _)| *time);
        keys
    }

    /// The flashes of the impacts of [`Branch::shown`]; `seen` projects a point into the picture.
    pub(super) fn flashes(&self, seen: impl Fn(ScenePlace) -> [f64; 2]) -> Vec<Flash> {
        let (mut flashes, share) = (Vec::new(), self.share);
        for Strike { time, places, .. } in self.shown() {
            let flash = |place: &ScenePlace| Flash { time: *time, place: seen(*place), share };
            flashes.extend(places.iter().map(flash));
        }
        flashes
    }
}

/// Some of the states of a motion, evenly spaced, and its last one.
#[derive(Clone, Debug)]
pub struct Recording {
    stride: u64,
    states: Vec<(f64, Vec<f64>)>,
    last: Option<(f64, Vec<f64>)>,
}

impl Recording {
    /// A recording of a motion of `steps` steps, for `keys` key frames.
    pub fn new(steps: u64, keys: usize) -> Self {
        Recording { stride: steps.div_ceil(keys as u64).max(1), states: Vec::new(), last: None }
    }

    /// Takes the state after a step.
    pub fn look(&mut self, moment: &Moment) {
        let state = (moment.time, moment.position.clone());
        match self.states.is_empty() || moment.step.is_multiple_of(self.stride) {
            true => self.states.push(state),
            false => self.last = Some(state),
        }
    }

    /// The states.
    pub fn states(self) -> Vec<(f64, Vec<f64>)> {
        let mut states = self.states;
        let latest = states.last().map(|(time, _)| *time);
        states.extend(self.last.filter(|(time, _)| Some(*time) > latest));
        states
    }
}

/// A motion whose states were recorded.
pub fn whole(course: &Course, recording: Recording) -> Vec<Branch> {
    let strikes = course.impacts.iter().map(strike).collect();
    vec![Branch { states: recording.states(), strikes, share: 1.0 }]
}

/// The branches of a tree, whose states were recorded.
pub fn branches(motion: &Simulation, tree: &Tree, recordings: Vec<Recording>) -> Vec<Branch> {
    let branch = |(node, recording): (&Node, Recording)| {
        let mut strikes: Vec<_> = node.impacts.iter().map(strike).collect();
        if let Some(given) = motion.given().filter(|_| !node.children.is_empty()) {
            let q = &node.state.q;
            let contacts = given.mechanism().touching(q, given.tolerance());
            strikes.push(at(given.time_of(&node.state), q.as_slice(), &contacts));
        }
        Branch { states: recording.states(), strikes, share: node.mass }
    };
    tree.nodes.iter().zip(recordings).map(branch).collect()
}

fn strike(impact: &Impact) -> Strike {
    at(impact.time, &impact.position, &impact.contacts)
}

fn at(time: f64, q: &[f64], contacts: &[Contact]) -> Strike {
    let place = |contact: &Contact| contact.touch.point.into();
    Strike { time, state: q.to_vec(), places: contacts.iter().map(place).collect() }
}
