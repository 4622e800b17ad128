use std::collections::BTreeMap;

use nalgebra::DVector;

use super::flow::Broken;
use super::forces::least;
use super::given::InclusionMotion;
use super::state::{EventState, Mode, TouchPlace};
use crate::model::spatial::Contact;
use crate::motion::midpoint::{Strike, problem};
use crate::motion::watch::{Passing, Watch, pairs};
use carom_core::error::Result;

/// Part of the fastest contact velocity below which a contact closes without an impact.
const GRAZING: f64 = 1e-12;
/// Approach with which an impact without collision begins, relative to the fastest contact
/// velocity; twenty times a law's threshold of rest.
const NUDGE: f64 = 2e-6;
/// Number of halvings that locate an event.
const HALVINGS: usize = 100;

/// The end of an advance.
pub enum EventAdvance {
    /// The motion came to the end of the step.
    Step,
    /// A part of the step, after which the motion goes on in the same modes.
    Part,
    /// The motion came to an event after which it goes on.
    Event,
    /// The motion came to an impact, which is not resolved yet.
    Impact(Box<Strike>),
}

impl InclusionMotion {
    /// Moves on to the next event, or to the end of the step.
    ///
    /// Bisection finds the time of an event to the last digit; the state just before it counts.
    /// Events are detected at the end of a step, and at earlier looks of [`Watch`]: an event that
    /// reverses in between is not seen. Pairs of possible tunnelling are added to `passed`.
    pub(super) fn advance(
        &self,
        state: &mut EventState,
        passed: &mut Vec<Passing>,
    ) -> Result<EventAdvance> {
        if !state.chosen {
            return Ok(match self.select(state)? {
                true => EventAdvance::Event,
                false => EventAdvance::Impact(Box::new(self.without_collision(state)?)),
            });
        }
        let left = self.given().time_step() - state.within;
        let time = left.min(self.patience(state)?);
        let end = self.flow(state, time)?;
        let before = self.contacts(&state.q, &state.held);
        let looked =
            if end.is_finite() { self.look(state, &before, (time, &end), passed)? } else { None };
        let Some((time, mut broken)) = looked else {
            *state = end;
            if time < left {
                return Ok(EventAdvance::Part);
            }
            state.step += 1;
            state.within = 0.0;
            return Ok(EventAdvance::Step);
        };
        let (mut low, mut high) = (0.0, time);
        let mut last = state.clone();
        for _ in 0..HALVINGS {
            let time = 0.5 * (low + high);
            if time <= low || time >= high {
                break;
            }
            let there = self.flow(state, time)?;
            let found = self.broken(state, &before, &there)?;
            if found.is_empty() {
                (low, last) = (time, there);
            } else {
                (high, broken) = (time, found);
            }
        }
        *state = last;
        self.meet(state, &broken)
    }

    /// First examined time within `left` of `end` at which an event has happened, and the events.
    fn look(
        &self,
        state: &EventState,
        before: &BTreeMap<TouchPlace, Contact>,
        (left, end): (f64, &EventState),
        passed: &mut Vec<Passing>,
    ) -> Result<Option<(f64, Vec<Broken>)>> {
        let given = self.given();
        let phases = [(&state.q, &state.p), (&end.q, &end.p)];
        let held = pairs(state.held.keys().map(|(site, _)| site));
        let mut watch = Watch::new(given.mechanism(), phases, [left, given.time_step()], &held)?;
        let mut seen = state.q.clone();
        let mut found = None;
        while let Some(time) = watch.next(&seen) {
            let there = if time < left { &self.flow(state, time)? } else { end };
            let broken = self.broken(state, before, there)?;
            if !broken.is_empty() {
                found = Some((time, broken));
                break;
            }
            seen.clone_from(&there.q);
        }
        watch.passed(self.time_of(state)).for_each(|passing| Passing::note(passed, passing));
        Ok(found)
    }

    /// Handles the event at which a motion with fixed modes ends.
    fn meet(&self, state: &mut EventState, broken: &[Broken]) -> Result<EventAdvance> {
        state.chosen = false;
        let contacts = self.contacts(&state.q, &state.held);
        let mut strikes = false;
        for what in broken {
            match what {
                Broken::Gap(place) => {
                    let Some(contact) = contacts.get(place) else { continue };
                    let rows = self.rows(&state.q, std::slice::from_ref(contact));
                    let u = rows * self.given().mechanism().velocity(&state.q, &state.p)?;
                    let rest = GRAZING * u.amax();
                    if u[0] < -rest {
                        strikes = true;
                    } else if u[0] <= rest {
                        self.close(state, place, contact, self.across(&u, 0, 1), rest);
                    }
                }
                Broken::Corner(place) => {
                    state.held.remove(place);
                }
                Broken::Sliding(place) => {
                    if let Some(held) = state.held.get_mut(place) {
                        held.mode = Mode::Stick;
                    }
                }
                Broken::Modes => {}
            }
        }
        if !strikes {
            self.project(state)?;
            return Ok(EventAdvance::Event);
        }
        let near = |(place, contact): &(TouchPlace, Contact)| {
            contact.touch.gap <= self.given().tolerance() || state.held.contains_key(place)
        };
        let v = self.given().mechanism().velocity(&state.q, &state.p)?;
        let near = contacts.into_iter().filter(near).collect();
        let strike = Strike::new(self.given(), &state.q, &v, near)?;
        Ok(EventAdvance::Impact(Box::new(strike)))
    }

    /// Impact of closed contacts that no forces can keep from approaching: it begins with a small
    /// approach.
    ///
    /// Source: \[HP23\] Sec. 4.2 (impacts without collision, Painleve's paradox). Deviation: the
    /// approach is 2e-6 of the fastest contact velocity instead of arbitrarily small.
    fn without_collision(&self, state: &EventState) -> Result<Strike> {
        let all = self.contacts(&state.q, &state.held);
        let closed = state.held.keys().filter_map(|place| Some((*place, all.get(place)?.clone())));
        let (places, contacts): (Vec<_>, Vec<_>) = closed.unzip();
        let v = self.given().mechanism().velocity(&state.q, &state.p)?;
        let given = self.given();
        let mut problem =
            problem(given.mechanism(), given.coefficients(), &contacts, &state.q, &v)?;
        let m = contacts.len();
        let fastest = problem.contact_velocity().amax();
        let normals = problem.jacobian().rows(0, m).into_owned();
        let response = problem.response().columns(0, m).into_owned();
        let wanted = DVector::from_element(m, -NUDGE * fastest) - &normals * &v;
        let nudge = &response * least(&normals * &response, &wanted);
        problem.set_velocity((v + nudge).as_slice())?;
        Ok(Strike { problem, contacts, places, collision: false })
    }
}
