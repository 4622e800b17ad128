//! The states of a motion that a film shows.

use super::{KEYS, key_frames};
use crate::model::Contact;
use crate::motion::futures::{Node, Tree};
use crate::motion::midpoint::{Impact, Midpoint};
use crate::scene::Place;

/// An impact on the way of a branch.
#[derive(Clone, Debug)]
pub struct Strike<S> {
    /// When, in s.
    pub time: f64,
    /// The state in which it happens.
    pub state: S,
    /// Where bodies touch, in the world, in m.
    pub places: Vec<Place>,
}

/// A motion, or a branch of one.
#[derive(Clone, Debug)]
pub struct Branch<S> {
    /// Times in s, ascending, and states.
    pub states: Vec<(f64, S)>,
    /// The impacts on its way, in order.
    pub strikes: Vec<Strike<S>>,
    /// The share of what may happen that it stands for; 1 where nothing else may.
    pub share: f64,
}

impl<S: Clone> Branch<S> {
    /// The states with those of impacts among them: the first impact between two states, so that their number is bounded.
    pub(super) fn keys(&self) -> Vec<(f64, S)> {
        let mut keys = Vec::with_capacity(self.states.len());
        let mut strikes = self.strikes.iter().peekable();
        for (i, (time, state)) in self.states.iter().enumerate() {
            keys.push((*time, state.clone()));
            let next = self.states.get(i + 1).map_or(f64::NEG_INFINITY, |(next, _)| *next);
            let mut within = Vec::new();
            while let Some(strike) = strikes.next_if(|strike| strike.time < next) {
                within.push(strike);
            }
            keys.extend(within.iter().find(|s| s.time > *time).map(|s| (s.time, s.state.clone())));
        }
        keys
    }

    /// When and where it strikes, at most [`KEYS`] times.
    pub(super) fn flashes(&self) -> impl Iterator<Item = (f64, Place)> + '_ {
        let places =
            self.strikes.iter().flat_map(|strike| strike.places.iter().map(|place| (strike.time, *place)));
        places.take(KEYS)
    }
}

/// Some of the states of a motion, evenly spaced, and its last one.
#[derive(Clone, Debug)]
pub struct Recording<S> {
    stride: u64,
    states: Vec<(f64, S)>,
    last: Option<(f64, S)>,
}

impl<S> Recording<S> {
    /// Of a motion of so many steps, for so many key frames.
    pub fn new(steps: u64, keys: usize) -> Self {
        Recording { stride: steps.div_ceil(keys as u64).max(1), states: Vec::new(), last: None }
    }

    /// Takes the state after a step.
    pub fn look(&mut self, step: u64, time: f64, state: S) {
        match self.states.is_empty() || step.is_multiple_of(self.stride) {
            true => self.states.push((time, state)),
            false => self.last = Some((time, state)),
        }
    }

    /// The states.
    pub fn states(self) -> Vec<(f64, S)> {
        let mut states = self.states;
        let latest = states.last().map(|(time, _)| *time);
        states.extend(self.last.filter(|(time, _)| Some(*time) > latest));
        states
    }
}

/// Key frames of a film of so many branches of a planar mechanism.
pub fn keys_of_bodies(motion: &Midpoint, branches: usize) -> usize {
    // A pose is about as long as two points.
    key_frames(2 * motion.mechanism().model.bodies().len() * branches)
}

/// The branches of a tree, whose states were recorded.
pub fn branches(
    motion: &Midpoint,
    tree: &Tree,
    recordings: Vec<Recording<Vec<f64>>>,
) -> Vec<Branch<Vec<f64>>> {
    let model = &motion.mechanism().model;
    let branch = |(node, recording): (&Node, Recording<Vec<f64>>)| {
        let mut strikes: Vec<_> = node.impacts.iter().map(strike).collect();
        if !node.children.is_empty() {
            let q = node.state.q.as_slice();
            let contacts = model.touching(&model.poses(q), motion.tolerance());
            strikes.push(at(motion.time_of(&node.state), q, &contacts));
        }
        Branch { states: recording.states(), strikes, share: node.mass }
    };
    tree.nodes.iter().zip(recordings).map(branch).collect()
}

/// An impact of a mechanism.
pub fn strike(impact: &Impact) -> Strike<Vec<f64>> {
    at(impact.time, &impact.position, &impact.contacts)
}

fn at(time: f64, q: &[f64], contacts: &[Contact]) -> Strike<Vec<f64>> {
    let place = |contact: &Contact| [contact.touch.point.x, contact.touch.point.y, 0.0];
    Strike { time, state: q.to_vec(), places: contacts.iter().map(place).collect() }
}
