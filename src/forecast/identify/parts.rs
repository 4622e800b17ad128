//! Partition of the events: impacts at one contact, which have neither edges nor orders, and all
//! others.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::fit::{Identified, Identify, measured_noise};
use super::folds::Tosses;
use super::unfitted::counted;
use super::{HeldOut, Ingredient, Model};
use crate::bootstrap::tosses;
use carom_core::error::Result;
use carom_core::event::Event;

/// Minimum number of tosses per fold for separate parameters of a part.
const FEWEST: usize = 4;

impl Identify {
    /// Identifies a model from events. Calls `tell` after each search; there are at most
    /// [`Identify::searches`].
    ///
    /// Events with one contact and all others are fitted separately, if both parts have enough
    /// tosses. An ingredient is kept if the held-out score gains more than its standard error over
    /// tosses. Nothing depends on the number of threads. With a time limit the progress of the
    /// search depends on speed.
    ///
    /// # Errors
    /// Fewer tosses than folds; errors of [`Model::forecast`]; an interruption by `stop`.
    pub fn run(
        &self,
        events: &[Event],
        stop: Option<&AtomicBool>,
        mut tell: impl FnMut(),
    ) -> Result<Identified> {
        let start = Instant::now();
        let until = |share: f64| {
            let seconds = self.seconds.map(|seconds| share * seconds);
            seconds.map(|seconds| start + Duration::from_secs_f64(seconds))
        };
        let [ones, others] = parts(events);
        if !self.splits(events) {
            let found = self.part(events, until(1.0), stop, &mut tell)?;
            let few = !ones.is_empty() && !others.is_empty();
            return Ok(Identified { few, ..found });
        }
        let some = |of: &[usize]| of.iter().map(|&i| events[i].clone()).collect::<Vec<_>>();
        let share = others.len() as f64 / events.len() as f64;
        let several = self.part(&some(&others), until(share), stop, &mut tell)?;
        let single = self.part(&some(&ones), until(1.0), stop, &mut tell)?;
        let joined = several.with_single(single, events, [&others, &ones]);
        Ok(Identified { seconds: start.elapsed().as_secs_f64(), ..joined })
    }

    /// Maximum number of searches of [`Identify::run`].
    pub fn searches(&self, events: &[Event]) -> usize {
        let parts = if self.splits(events) { 2 } else { 1 };
        parts * Ingredient::ALL.len() * (self.folds + 1)
    }

    /// Whether events with one contact are fitted separately.
    fn splits(&self, events: &[Event]) -> bool {
        let enough = |part: Vec<usize>| {
            let part: Vec<Event> = part.iter().map(|&i| events[i].clone()).collect();
            Tosses::new(&part).events.len() >= FEWEST * self.folds
        };
        parts(events).into_iter().all(enough)
    }
}

/// Indices of the events with one contact, and of all others.
fn parts(events: &[Event]) -> [Vec<usize>; 2] {
    let (ones, others) = (0..events.len()).partition(|&i| events[i].problem.contact_count() == 1);
    [ones, others]
}

impl Identified {
    /// Merges this model, of `events[places[0]]`, with `single`, of `events[places[1]]`.
    fn with_single(self, single: Identified, events: &[Event], places: [&[usize]; 2]) -> Self {
        let [others, ones] = places;
        let contacts = merged(places, [self.contacts, single.contacts]);
        let Model { source, events: none, contacts: of_none, seed, .. } = Model::default();
        let own = Model { source, events: none, contacts: of_none, seed, ..single.model };
        let model = Model {
            events: events.len(),
            contacts: counted(&contacts),
            single: Some(Box::new(own)),
            ..self.model
        };
        let scores = merged(places, [self.scores, single.scores]);
        let tosses_of = Tosses::new(events);
        let (mean, error) = tosses_of.mean(&scores);
        let share = ones.len() as f64 / events.len() as f64;
        let at = |places: &[usize], folds: Vec<(Model, Vec<usize>)>| {
            let moved = |held: Vec<usize>| held.into_iter().map(|i| places[i]).collect();
            folds.into_iter().map(|(model, held)| (model, moved(held))).collect::<Vec<_>>()
        };
        let estimates =
            single.estimates.into_iter().map(|of| super::Estimate { single: true, ..of });
        let learned = self.held_out.learned.zip(single.held_out.learned);
        let worth = single.ingredients.into_iter().map(|of| super::Worth { single: true, ..of });
        Identified {
            model,
            estimates: self.estimates.into_iter().chain(estimates).collect(),
            ingredients: self.ingredients.into_iter().chain(worth).collect(),
            tosses: tosses_of.events.len(),
            few: false,
            contacts,
            scores,
            folds: [at(others, self.folds), at(ones, single.folds)].concat(),
            score: [mean, error],
            held_out: HeldOut {
                tosses: tosses(events),
                odds: merged(places, [self.held_out.odds, single.held_out.odds]),
                learned: learned.map(|(several, single)| merged(places, [several, single])),
                shapes: merged(places, [self.held_out.shapes, single.held_out.shapes]),
            },
            trained: (1.0 - share) * self.trained + share * single.trained,
            cut: self.cut || single.cut,
            measured_noise: measured_noise(events),
            evaluations: self.evaluations + single.evaluations,
            seconds: self.seconds + single.seconds,
        }
    }
}

/// Merges per-event data of two parts into the order of the events.
fn merged<T>(places: [&[usize]; 2], of: [Vec<T>; 2]) -> Vec<T> {
    let places = places.into_iter().flatten();
    let mut all: Vec<(usize, T)> = places.copied().zip(of.into_iter().flatten()).collect();
    all.sort_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, of)| of).collect()
}
