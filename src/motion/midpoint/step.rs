//! A step of the motion, from impact to impact.

use std::collections::BTreeSet;

use nalgebra::DVector;

use super::flow::flow;
use super::given::Midpoint;
use super::impact::problem;
use super::rest::{Moved, rest};
use super::run::{Going, Strike};
use super::state::MechanismState;
use crate::error::{Error, Result};
use crate::model::Site;
use crate::model::spatial::Contact;
use crate::motion::watch::{Passing, Watch, pairs};

/// Most impacts of a step where the file sets no limit.
const MAX_IMPACTS: u32 = 20;
/// Overlap, as a part of the tolerance of contacts, below which it is rounding.
const ROUNDING: f64 = 1e-3;
/// Error of the gap of a pair that moves apart, as a part of the tolerance.
const BLUR: f64 = 1e-8;
/// Part of the time step within which impacts are simultaneous.
const INSTANT: f64 = 1e-12;
/// Most sections of the time to an impact.
const SECTIONS: usize = 200;

impl Midpoint {
    /// Moves on to the next impact, or else to the end of the step.
    ///
    /// A pair that would overlap by more than rounding at the end of the step, or at one of the
    /// times that [`Watch`] chooses before, strikes where its gap closes, found by chords and
    /// bisection that keep the state outside. The contacts of the impact are all those within the
    /// tolerance. Touching pairs are in sustained contact until they separate, after more than
    /// [`max_impacts`](super::MidpointSpec::max_impacts) impacts in a step, and where they strike
    /// again in a step no faster than gravity makes them in two steps. Bodies that may have passed
    /// through each other are added to `passed`. Source: \[SM14\] Sec. VI, (30). Deviation: the
    /// motion is examined at single times; a shorter overlap is not seen.
    ///
    /// # Errors
    /// Equations of a step that Newton's method does not solve; a contact problem that cannot be
    /// made.
    pub fn advance(&self, state: &mut MechanismState, passed: &mut Vec<Passing>) -> Result<Going> {
        let left = self.time_step() - state.within;
        let end = self.moved(state, left)?;
        let sustained = pairs(&state.sustained);
        let phases = [(&state.q, &state.p), (&end.q, &end.p)];
        let mut watch = Watch::new(self.mechanism(), phases, [left, self.time_step()], &sustained)?;
        let mut seen = state.q.clone();
        let mut strike = None;
        while let Some(time) = watch.next(&seen) {
            let there = if time < left { self.moved(state, time)?.raw } else { end.raw.clone() };
            let deep = self.overlapping(&there, &state.sustained);
            if !deep.is_empty() {
                strike = Some((time, there, deep));
                break;
            }
            seen = there;
        }
        watch.passed(self.time_of(state)).for_each(|passing| Passing::note(passed, passing));
        let Some((time, there, deep)) = strike else { return self.finish(state, end) };
        if state.impacts > self.max_impacts().unwrap_or(MAX_IMPACTS) {
            self.hold(state, &deep);
            return Ok(Going::On);
        }
        let (time, q, p) = self.locate(state, &deep, time, &there)?;
        (state.q, state.p) = (q, p);
        state.within += time;
        state.impacts += 1;
        let mut contacts = self.mechanism().touching(&state.q, self.tolerance());
        if contacts.is_empty() {
            // Sustained contacts that begin to act within the step make it jump: pairs that jump
            // into overlap strike.
            let places =
                self.mechanism().places(&state.q, |_, _| true, self.tolerance()).into_iter();
            contacts = places
                .filter(|((site, _), _)| deep.contains(site))
                .map(|(_, contact)| contact)
                .collect();
        }
        let v = self.mechanism().velocity(&state.q, &state.p)?;
        let problem = problem(self.mechanism(), self.coefficients(), &contacts, &state.q, &v)?;
        let closing = -problem.contact_velocity().rows(0, contacts.len()).min();
        if state.impacts > 1 && closing <= self.slow() {
            self.hold(state, &deep);
            return Ok(Going::On);
        }
        let strike = Strike { problem, contacts, places: Vec::new(), collision: true };
        Ok(Going::Impact(Box::new(strike)))
    }

    /// The last time before `left` at which the sites `deep` are outside, and configuration and
    /// momentum then; `end` is the configuration at `left`, where they overlap.
    fn locate(
        &self,
        state: &MechanismState,
        deep: &[Site],
        left: f64,
        end: &DVector<f64>,
    ) -> Result<(f64, DVector<f64>, DVector<f64>)> {
        let outside: Vec<f64> = self
            .gaps_of(&state.q, deep)
            .iter()
            .map(|gap| gap.min(0.0) - BLUR * self.tolerance())
            .collect();
        // The smallest gap of these sites.
        let room = |q: &DVector<f64>| {
            let gaps = self.gaps_of(q, deep);
            gaps.iter()
                .zip(&outside)
                .map(|(gap, outside)| gap - outside)
                .fold(f64::INFINITY, f64::min)
        };
        let (mut low, mut high) = ([0.0, room(&state.q)], [left, room(end)]);
        let mut found = (state.q.clone(), state.p.clone());
        for number in 0..SECTIONS {
            // The zero of the chord once a time outside is known, but every third time the middle,
            // so that the interval gets short. A pair that touches at the start may leave before it
            // strikes.
            let chord = low[0] + (high[0] - low[0]) * low[1] / (low[1] - high[1]);
            let inside = low[0] > 0.0 && number % 3 != 2 && chord > low[0] && chord < high[0];
            let time = if inside { chord } else { 0.5 * (low[0] + high[0]) };
            let met = low[0] > 0.0 && low[1] <= BLUR * self.tolerance();
            if met || time <= low[0] || time >= high[0] || high[0] <= INSTANT * self.time_step() {
                break;
            }
            let moved = self.moved(state, time)?;
            let here = room(&moved.raw);
            if here >= 0.0 {
                (low, found) = ([time, here], (moved.q, moved.p));
            } else {
                high = [time, here];
            }
        }
        Ok((low[0], found.0, found.1))
    }

    /// The mechanism after `time` without impacts.
    fn moved(&self, state: &MechanismState, time: f64) -> Result<Moved> {
        let free = flow(self.mechanism(), &state.q, &state.p, time);
        let (q, p) = free.ok_or_else(|| {
            Error::input(format!(
                "step {}: the equations of the midpoint integrator are not solved",
                state.step
            ))
            .at("time_step")
            .hint("take a smaller time step")
        })?;
        if state.sustained.is_empty() {
            return Ok(Moved { raw: q.clone(), q, p, forces: Vec::new() });
        }
        rest(self, state, (q, p), time)
    }

    /// Ends the step. Sustained contacts remain if they are no farther apart than gravity brings
    /// together in two steps. Other touching pairs become sustained too, unless they approach
    /// faster than gravity makes them in two steps: then they strike in the next step.
    fn finish(&self, state: &mut MechanismState, moved: Moved) -> Result<Going> {
        (state.q, state.p, state.forces) = (moved.q, moved.p, moved.forces);
        state.step += 1;
        (state.within, state.impacts) = (0.0, 0);
        if state.sustained.is_empty() {
            return Ok(Going::On);
        }
        let hop = self.hop();
        let v = self.mechanism().velocity(&state.q, &state.p)?;
        let remains = |((site, _), contact): &((Site, usize), Contact)| {
            let gap = contact.touch.gap;
            let rows = self.mechanism().normal_rows(&state.q, std::slice::from_ref(contact));
            let closing = -(rows * &v)[0];
            match state.sustained.contains(site) {
                true => gap <= hop,
                false => gap <= self.tolerance() && closing <= self.slow(),
            }
        };
        let remaining: BTreeSet<Site> = (self.mechanism().places(&state.q, |_, _| true, hop))
            .into_iter()
            .filter(remains)
            .map(|((site, _), _)| site)
            .collect();
        if remaining == state.sustained {
            return Ok(Going::On);
        }
        state.sustained = remaining;
        Ok(Going::On)
    }

    /// The speed in m/s to which gravity brings a body in two steps.
    fn slow(&self) -> f64 {
        2.0 * self.mechanism().gravity.norm() * self.time_step()
    }

    /// The gap of a sustained contact in m beyond which it ends: that which gravity closes in two
    /// steps, and the tolerance.
    pub(super) fn hop(&self) -> f64 {
        self.tolerance() + 0.5 * self.slow() * self.time_step()
    }

    /// Declares the touching contacts sustained, and `deep`, which would overlap otherwise.
    fn hold(&self, state: &mut MechanismState, deep: &[Site]) {
        let touching = self
            .mechanism()
            .gaps(&state.q, self.tolerance())
            .into_iter()
            .filter(|(_, gap)| *gap <= self.tolerance());
        state.sustained = touching.map(|(site, _)| site).chain(deep.iter().copied()).collect();
        state.impacts = 0;
    }

    /// The sites that overlap at `q` by more than rounding, without those in sustained contact.
    fn overlapping(&self, q: &DVector<f64>, sustained: &BTreeSet<Site>) -> Vec<Site> {
        let deep = self
            .mechanism()
            .gaps(q, 0.0)
            .into_iter()
            .filter(|(_, gap)| *gap < -ROUNDING * self.tolerance());
        deep.map(|(site, _)| site).filter(|site| !sustained.contains(site)).collect()
    }

    /// The gaps of some sites, in their order.
    fn gaps_of(&self, q: &DVector<f64>, sites: &[Site]) -> Vec<f64> {
        self.mechanism()
            .gaps(q, f64::INFINITY)
            .into_iter()
            .filter(|(site, _)| sites.contains(site))
            .map(|(_, gap)| gap)
            .collect()
    }
}
