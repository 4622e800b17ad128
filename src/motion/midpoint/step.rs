//! A step of the motion, from impact to impact.

use std::collections::BTreeSet;

use nalgebra::DVector;

use super::flow::flow;
use super::given::Midpoint;
use super::impact::problem;
use super::rest::rest;
use super::state::{Pair, State};
use crate::error::{Error, Result};
use crate::model::Contact;
use crate::problem::ContactProblem;

/// Overlaps below this part of the tolerance of contacts are rounding.
const ROUNDING: f64 = 1e-3;
/// Gaps of a pair that moves apart are known up to this part of the tolerance.
const BLUR: f64 = 1e-8;
/// Impacts within this part of the time step are at once.
const INSTANT: f64 = 1e-12;
/// Sections of the time to an impact.
const SECTIONS: usize = 200;

/// How far a motion went.
#[derive(Clone, Debug)]
pub enum Advance {
    /// To the end of the step.
    Step,
    /// To an impact, which is not resolved yet.
    Impact {
        /// The contact problem of the impact; its velocity is that before it.
        problem: Box<ContactProblem>,
        /// Its contacts.
        contacts: Vec<Contact>,
    },
    /// To a change of the sustained contacts: those of the state are the new ones.
    Changed,
}

/// Where a mechanism is after a time without impacts.
struct Moved {
    q: DVector<f64>,
    p: DVector<f64>,
    /// The pairs that push, where contacts are sustained.
    loaded: Option<BTreeSet<Pair>>,
}

impl Midpoint {
    /// Goes on to the next impact, or else to the end of the step.
    ///
    /// A pair of surfaces that would overlap by more than rounding at the end of the step strikes where its gap closes, found by chords and
    /// bisection that keep the outside. The contacts of the impact are all those within the tolerance. After more than
    /// [`max_impacts`](super::MidpointSpec::max_impacts) impacts in a step, what touches is in sustained contact until it separates.
    /// Source: \[SM14\] Sec. VI, (30). Deviation: only the end of a step is examined; a dip within it is not seen.
    ///
    /// # Errors
    /// Equations of a step that Newton's method does not solve; a contact problem that cannot be made.
    pub fn advance(&self, state: &mut State) -> Result<Advance> {
        let left = self.time_step() - state.within;
        if state.impacts > self.max_impacts() {
            return self.hold(state);
        }
        let moved = self.moved(state, left)?;
        let deep = self.overlapping(&moved.q, &state.sustained);
        if deep.is_empty() {
            return Ok(self.finish(state, moved));
        }
        let outside: Vec<f64> =
            deep.iter().map(|pair| self.gap(&state.q, *pair).min(0.0) - BLUR * self.tolerance()).collect();
        // How far outside the nearest of the pairs is.
        let room = |q: &DVector<f64>| {
            let gaps = deep.iter().zip(&outside).map(|(pair, outside)| self.gap(q, *pair) - outside);
            gaps.fold(f64::INFINITY, f64::min)
        };
        let (mut low, mut high) = ([0.0, room(&state.q)], [left, room(&moved.q)]);
        let mut found = (state.q.clone(), state.p.clone());
        for number in 0..SECTIONS {
            // The chord's zero once a time outside is known, but every third time the middle, so that the interval gets short. A pair
            // that touches at first may leave before it strikes.
            let chord = low[0] + (high[0] - low[0]) * low[1] / (low[1] - high[1]);
            let inside = low[0] > 0.0 && number % 3 != 2 && chord > low[0] && chord < high[0];
            let time = if inside { chord } else { 0.5 * (low[0] + high[0]) };
            let met = low[0] > 0.0 && low[1] <= BLUR * self.tolerance();
            if met || time <= low[0] || time >= high[0] || high[0] <= INSTANT * self.time_step() {
                break;
            }
            let moved = self.moved(state, time)?;
            let here = room(&moved.q);
            if here >= 0.0 {
                (low, found) = ([time, here], (moved.q, moved.p));
            } else {
                high = [time, here];
            }
        }
        let low = low[0];
        (state.q, state.p) = found;
        state.within += low;
        state.impacts += 1;
        let poses = self.mechanism().model.poses(state.q.as_slice());
        let contacts = self.mechanism().model.touching(&poses, self.tolerance());
        let v = self.mechanism().velocity(&state.q, &state.p)?;
        let problem = problem(self.mechanism(), self.coefficients(), &contacts, &state.q, &v)?;
        Ok(Advance::Impact { problem: Box::new(problem), contacts })
    }

    /// Configuration and momentum after `time`, and the pairs that touch if contacts are sustained.
    fn moved(&self, state: &State, time: f64) -> Result<Moved> {
        if !state.sustained.is_empty() {
            let rested =
                rest(self.mechanism(), self.coefficients(), self.tolerance(), (&state.q, &state.p), time)?;
            let loaded = rested.contacts.iter().zip(&rested.impulse).filter(|(_, l)| **l > 0.0);
            let pairs = loaded.map(|(contact, _)| (contact.first, contact.second)).collect();
            return Ok(Moved { q: rested.q, p: rested.p, loaded: Some(pairs) });
        }
        let moved = flow(self.mechanism(), &state.q, &state.p, time);
        let (q, p) = moved.ok_or_else(|| {
            Error::input(format!(
                "step {}: the equations of the midpoint integrator are not solved",
                state.step
            ))
            .at("time_step")
            .hint("take a smaller time step")
        })?;
        Ok(Moved { q, p, loaded: None })
    }

    /// Ends the step. Contacts that push are sustained, and those stay so that are no farther than gravity brings back in two steps.
    fn finish(&self, state: &mut State, moved: Moved) -> Advance {
        (state.q, state.p) = (moved.q, moved.p);
        state.step += 1;
        (state.within, state.impacts) = (0.0, 0);
        let Some(mut remaining) = moved.loaded else { return Advance::Step };
        let hop = self.tolerance() + self.mechanism().gravity.norm() * self.time_step().powi(2);
        remaining.extend(state.sustained.iter().filter(|pair| self.gap(&state.q, **pair) <= hop));
        if remaining == state.sustained {
            return Advance::Step;
        }
        state.sustained = remaining;
        Advance::Changed
    }

    /// Declares the contacts that touch sustained.
    fn hold(&self, state: &mut State) -> Result<Advance> {
        let poses = self.mechanism().model.poses(state.q.as_slice());
        let touching = self.mechanism().model.touching(&poses, self.tolerance());
        state.sustained = touching.iter().map(|contact| (contact.first, contact.second)).collect();
        state.impacts = 0;
        Ok(Advance::Changed)
    }

    /// The pairs that overlap at `q` by more than rounding, but for those in sustained contact.
    fn overlapping(&self, q: &DVector<f64>, sustained: &BTreeSet<Pair>) -> Vec<Pair> {
        let poses = self.mechanism().model.poses(q.as_slice());
        let deep = self.mechanism().model.touching(&poses, -ROUNDING * self.tolerance());
        let pairs: BTreeSet<_> = deep.iter().map(|contact| (contact.first, contact.second)).collect();
        pairs.difference(sustained).copied().collect()
    }

    fn gap(&self, q: &DVector<f64>, (first, second): Pair) -> f64 {
        self.mechanism().model.gap(&self.mechanism().model.poses(q.as_slice()), first, second)
    }
}
