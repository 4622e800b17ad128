use std::collections::{BTreeMap, BTreeSet};

use nalgebra::DVector;

use super::flow::flow;
use super::given::Midpoint;
use super::rest::{Moved, rest};
use super::run::Going;
use super::state::MechanismState;
use super::strike::Strike;
use crate::model::Site;
use crate::model::spatial::Contact;
use crate::motion::ending::MotionEnding;
use crate::motion::watch::{Passing, Watch, pairs};
use carom_core::error::{Error, Result};

/// Maximum number of impacts of a step; beyond it the motion ends.
const MOST: u32 = 10_000;
/// Part of the fastest contact velocity below which a contact closes without an impact.
const GRAZING: f64 = 1e-12;
/// Overlap, as a part of the tolerance of contacts, below which it is rounding.
const ROUNDING: f64 = 1e-3;
/// Error of the gap of a pair that moves apart, as a part of the tolerance.
const BLUR: f64 = 1e-8;
/// Part of the time step within which impacts are simultaneous.
const INSTANT: f64 = 1e-12;
/// Most sections of the time to an impact.
const SECTIONS: usize = 200;

impl Midpoint {
    /// Advances to the next impact, or else to the end of the step.
    ///
    /// An impact occurs if a pair overlaps by more than rounding at the end of the step, or at an
    /// earlier look of [`Watch`]. Chords and bisection locate the time at which its gap closes, and
    /// keep the state outside. The impact has all contacts within the tolerance or in sustained
    /// contact that it can reach. Contacts become sustained if they rest at the start or after an
    /// impact, or if their impacts [accumulate], until they separate. Pairs of possible tunnelling
    /// are added to `passed`. Source: \[SM14\] Sec. VI, (30). Deviation: the motion is examined at
    /// single times; a shorter overlap is not seen. Two bodies in sustained contact that strike at
    /// another place strike at the start of the step.
    ///
    /// [accumulate]: Midpoint::accumulates
    ///
    /// # Errors
    /// Equations of a step that Newton's method does not solve; an invalid contact problem.
    /// made.
    pub fn advance(&self, state: &mut MechanismState, passed: &mut Vec<Passing>) -> Result<Going> {
        let left = self.time_step() - state.within;
        let (slammed, reach) = self.slammed(state, left)?;
        if !slammed.is_empty()
            && let Some(going) = self.strike(state, &slammed, reach)?.0
        {
            return Ok(going);
        }
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
        let Some((time, there, deep)) = strike else { return Ok(self.finish(state, end)) };
        let (time, q, p) = self.locate(state, &deep, time, &there)?;
        (state.q, state.p) = (q, p);
        state.within += time;
        let (strike, slow) = self.strike(state, &deep, 0.0)?;
        Ok(strike.unwrap_or_else(|| {
            state.sustained.extend(deep.into_iter().chain(slow));
            Going::On
        }))
    }

    /// Impact at which the gaps of the sites `deep` close. `None` if no near site approaches; or if
    /// the impacts of all approaching sites [accumulate](Midpoint::accumulates), with these sites.
    /// `reach` is the maximum gap of a participating sustained contact.
    fn strike(
        &self,
        state: &mut MechanismState,
        deep: &[Site],
        reach: f64,
    ) -> Result<(Option<Going>, Vec<Site>)> {
        let near = self.near(&state.q, &state.sustained, deep, reach);
        let v = self.mechanism().velocity(&state.q, &state.p)?;
        let contacts: Vec<Contact> = near.iter().map(|(_, contact)| contact.clone()).collect();
        let u = self.mechanism().rows(&state.q, &contacts) * &v;
        let rest = GRAZING * u.amax();
        let mut strikes = false;
        let mut slow: Vec<Site> = Vec::new();
        for (i, ((site, _), _)) in near.iter().enumerate() {
            let least = if state.sustained.contains(site) { self.brisk() } else { rest };
            if u[i] >= -least {
                continue;
            }
            strikes |= !self.accumulates(state, site, -u[i]);
            slow.push(*site);
        }
        if !strikes {
            return Ok((None, slow));
        }
        if state.impacts >= MOST {
            return Ok((Some(Going::Ends(MotionEnding::EventLimit)), slow));
        }
        state.impacts += 1;
        let strike = Strike::new(self, &state.q, &v, near)?;
        Ok((Some(Going::Impact(Box::new(strike))), slow))
    }

    /// Contacts of an impact: within the tolerance, at sustained sites within [`Midpoint::hop`] or
    /// `reach`, and all contacts of the sites `deep`.
    fn near(
        &self,
        q: &DVector<f64>,
        sustained: &BTreeSet<Site>,
        deep: &[Site],
        reach: f64,
    ) -> Vec<((Site, usize), Contact)> {
        let reach = reach.max(self.hop());
        let mut touching = self.mechanism().touching_sites(q, reach);
        touching.retain(|(site, contact)| {
            contact.touch.gap <= self.tolerance() || sustained.contains(site)
        });
        // When sustained contacts begin to act within the step, it jumps, so sites may overlap
        // before they touch.
        let missing =
            |site: &Site| deep.contains(site) && !touching.iter().any(|(other, _)| other == site);
        if deep.iter().any(missing) {
            let of_deep = |first, second| {
                deep.iter().any(|site| (site.first, site.second) == (first, second))
            };
            let places = self.mechanism().places(q, of_deep, f64::INFINITY).into_iter();
            let more: Vec<_> = places
                .filter(|((site, _), _)| missing(site))
                .map(|((site, _), contact)| (site, contact))
                .collect();
            touching.extend(more);
        }
        let mut counts: BTreeMap<Site, usize> = BTreeMap::new();
        let placed = |(site, contact): (Site, Contact)| {
            let count = counts.entry(site).or_default();
            *count += 1;
            ((site, *count - 1), contact)
        };
        touching.into_iter().map(placed).collect()
    }

    /// Last time before `left` at which the sites `deep` are outside, with configuration and
    /// momentum; `end` is the overlapping configuration at `left`.
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
        // Smallest gap of the sites `deep`.
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
            // Zero of the chord once a time outside is known; every third time the midpoint, to
            // shrink the interval. A pair that touches at the start may separate before it strikes.
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

    fn finish(&self, state: &mut MechanismState, moved: Moved) -> Going {
        (state.q, state.p, state.forces) = (moved.q, moved.p, moved.forces);
        state.step += 1;
        (state.within, state.impacts) = (0.0, 0);
        state.hits.clear();
        self.part(state);
        Going::On
    }

    /// Sites that overlap at `q` by more than rounding, except sites in sustained contact.
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
