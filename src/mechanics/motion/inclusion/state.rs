use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use nalgebra::{DVector, Vector2};

use crate::model::Site;
use crate::model::spatial::Vector;
use carom_core::error::{Error, Result};

/// Work of evaluating the equations of motion without their unknowns, and work of finding a contact
/// in a plane; in space four times the latter.
const EVALUATION: u64 = 1000;
const CONTACT: u64 = 5000;

/// Potential contact: a site, and the number of the touch there.
pub type TouchPlace = (Site, usize);

/// The mode of a closed contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mode {
    /// The contact lets go.
    Off,
    /// The contact does not slide.
    Stick,
    /// The contact slides, or begins to, along a unit vector of its tangents; in a plane `(1, 0)`
    /// or `(-1, 0)`.
    Slide(Vector2<f64>),
}

/// A contact that is closed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// Gap in m at closure, which the contact keeps.
    pub gap: f64,
    /// The place of the contact in the frame of the touching body, in m.
    pub at: Vector,
    /// Mode of the contact. [`Mode::Stick`] until modes are chosen, if its sliding velocity is
    /// momentarily 0.
    pub mode: Mode,
}

/// Work counter of an advance, shared by all its states.
#[derive(Clone, Debug)]
pub struct Work {
    spent: Arc<AtomicU64>,
    /// Maximum work.
    most: u64,
}

impl Work {
    /// Counter without work, with a limit of `most`.
    pub fn new(most: u64) -> Self {
        Work { spent: Arc::default(), most }
    }

    /// Adds the work of `count` linear systems with `size` unknowns: about their multiplications.
    pub(super) fn add(&self, size: usize, count: usize) {
        let each = EVALUATION + (size as u64).pow(3);
        self.spent.fetch_add(each * count as u64, Ordering::Relaxed);
    }

    /// Adds the work of the equations of motion with n coordinates and m contacts with d tangents
    /// each.
    pub(super) fn spend(&self, n: usize, [m, d]: [usize; 2]) -> Result<()> {
        self.add(n + (1 + d) * m, 1);
        self.spent.fetch_add(CONTACT * (m * d * d) as u64, Ordering::Relaxed);
        match self.left() {
            0 => Err(Error::empty("more work than allowed")),
            _ => Ok(()),
        }
    }

    /// Remaining work.
    pub fn left(&self) -> u64 {
        self.most.saturating_sub(self.spent.load(Ordering::Relaxed))
    }
}

/// The state of a mechanism between events: configuration, momentum, closed contacts, and the
/// progress of the present step.
#[derive(Clone, Debug)]
pub struct EventState {
    /// Configuration `q`.
    pub q: DVector<f64>,
    /// Momentum `p = M(q) v` (n).
    pub p: DVector<f64>,
    /// Parameter s: time in s plus the sum of all normal impulses in N s since the start.
    pub arc: f64,
    /// Accumulated normal impulse of each site, N s.
    pub normal: BTreeMap<Site, f64>,
    /// Number of completed steps.
    pub step: u64,
    /// Time since the last completed step, s.
    pub within: f64,
    /// The closed contacts.
    pub held: BTreeMap<TouchPlace, Held>,
    /// Whether the modes were chosen for the present state or an earlier one and hold.
    pub chosen: bool,
    /// Number of random choices of modes since the start.
    pub draws: u64,
    /// The work of the present advance.
    pub work: Work,
}

impl EventState {
    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.q.iter().chain(&self.p).chain([&self.arc]).all(|x| x.is_finite())
    }

    /// Adds normal impulses at places to s and to their sites.
    pub fn push<'a>(
        &mut self,
        places: impl Iterator<Item = &'a TouchPlace>,
        impulses: impl Iterator<Item = &'a f64>,
    ) {
        for ((site, _), impulse) in places.zip(impulses) {
            self.arc += impulse;
            *self.normal.entry(*site).or_insert(0.0) += impulse;
        }
    }

    /// Adds normal impulses (m) of the closed contacts, in order.
    pub fn push_closed(&mut self, impulses: &DVector<f64>) {
        let places: Vec<TouchPlace> = self.held.keys().copied().collect();
        self.push(places.iter(), impulses.iter());
    }

    /// The modes of the closed contacts, in order.
    pub fn modes(&self) -> Vec<Mode> {
        self.held.values().map(|held| held.mode).collect()
    }
}
