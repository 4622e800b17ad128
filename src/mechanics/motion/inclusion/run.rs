use std::collections::{BTreeMap, BTreeSet};

use super::given::InclusionMotion;
use super::state::{EventState, TouchPlace, Work};
use super::step::EventAdvance;
use super::zeno::Hits;
use crate::model::Site;
use crate::motion::course::{Accumulation, Augmented, Impact};
use crate::motion::ending::MotionEnding;
use crate::motion::midpoint::{Going, MechanismState, Midpoint, Stepping, Strike, StrikeOutcome};
use crate::motion::watch::Passing;
use carom_core::error::Result;

/// Default maximum number of impacts and other events of a step.
const EVENTS: u32 = 10_000;
/// Relative contact velocity, compared with the fastest, below which touching contacts are closed
/// at the start.
const RESTING: f64 = 1e-9;

/// A state with its latest impacts.
#[derive(Clone, Debug)]
pub struct InclusionState {
    /// The state.
    at: EventState,
    /// Sites in sustained contact since the last choice of modes.
    sustained: BTreeSet<Site>,
    /// Number of impacts since the start; then of impacts and other events of the present step.
    impacts: u64,
    events: u32,
    /// Remaining work of the present step.
    work: u64,
    /// Latest impacts, and accumulation points.
    hits: Hits,
    accumulations: Vec<Accumulation>,
}

impl Stepping for InclusionMotion {
    type State = InclusionState;

    fn given(&self) -> &Midpoint {
        InclusionMotion::given(self)
    }

    fn begin(&self) -> Result<InclusionState> {
        let at = self.start()?;
        let sustained = sites(&at);
        let (hits, accumulations) = (Hits::default(), Vec::new());
        let work = self.work;
        Ok(InclusionState { at, sustained, impacts: 0, events: 0, work, hits, accumulations })
    }

    fn go_on(&self, state: &mut InclusionState, passed: &mut Vec<Passing>) -> Result<Going> {
        let most = self.given().max_impacts().unwrap_or(EVENTS);
        if state.events > most {
            let limit = state.hits.series();
            let ending =
                if limit.is_some() { MotionEnding::Zeno } else { MotionEnding::EventLimit };
            let impacts = state.impacts;
            state.accumulations.extend(limit.map(|limit| Accumulation { impacts, ..limit }));
            return Ok(Going::Ends(ending));
        }
        state.at.work = Work::new(state.work);
        let advance = self.advance(&mut state.at, passed);
        state.work = state.at.work.left();
        if state.work == 0 {
            return Ok(Going::Ends(MotionEnding::Stalled));
        }
        let advance = advance?;
        if state.at.chosen {
            state.sustained = sites(&state.at);
        }
        match advance {
            EventAdvance::Part => {}
            EventAdvance::Step => (state.events, state.work) = (0, self.work),
            EventAdvance::Event => state.events += 1,
            EventAdvance::Impact(strike) => {
                state.events += 1;
                return Ok(Going::Impact(strike));
            }
        }
        Ok(Going::On)
    }

    fn take(
        &self,
        state: &mut InclusionState,
        strike: Strike,
        outcome: StrikeOutcome,
    ) -> Result<Impact> {
        let pushed = (0..strike.contacts.len()).filter(|i| outcome.impulse[*i] > 0.0);
        let places: Vec<TouchPlace> = pushed.map(|i| strike.places[i]).collect();
        let impact = self.strike(&mut state.at, strike, outcome)?;
        state.impacts += 1;
        state.hits.push(impact.time, state.at.arc, places, impact.speed);
        if let Some(limit) = self.accumulate(&mut state.at, &mut state.hits)? {
            state.accumulations.push(Accumulation { impacts: state.impacts, ..limit });
        }
        Ok(impact)
    }

    fn plain(&self, state: &InclusionState) -> MechanismState {
        MechanismState {
            q: state.at.q.clone(),
            p: state.at.p.clone(),
            step: state.at.step,
            within: state.at.within,
            impacts: state.events,
            hits: BTreeMap::new(),
            sustained: state.sustained.clone(),
            normal: (self.sites.iter())
                .map(|site| (*site, *state.at.normal.get(site).unwrap_or(&0.0)))
                .collect(),
            forces: Vec::new(),
        }
    }

    fn arc(&self, state: &InclusionState) -> Option<f64> {
        Some(state.at.arc)
    }

    fn augmented(&self, state: &InclusionState) -> Option<Augmented> {
        let accumulations = state.accumulations.clone();
        Some(Augmented { arc: state.at.arc, accumulations })
    }
}

impl InclusionMotion {
    /// The state at the start: contacts that touch and do not move apart are closed.
    fn start(&self) -> Result<EventState> {
        let given = self.given();
        let MechanismState { q, p, .. } = given.start().clone();
        let mut state = EventState {
            normal: BTreeMap::new(),
            q,
            p,
            arc: 0.0,
            step: 0,
            within: 0.0,
            held: Default::default(),
            chosen: false,
            draws: 0,
            work: Work::new(self.work),
        };
        let v = given.mechanism().velocity(&state.q, &state.p)?;
        let touching = self
            .contacts(&state.q, &state.held)
            .into_iter()
            .filter(|(_, contact)| contact.touch.gap <= given.tolerance());
        let touching: Vec<_> = touching.collect();
        let m = touching.len();
        let contacts: Vec<_> = touching.iter().map(|(_, contact)| contact.clone()).collect();
        let u = self.rows(&state.q, &contacts) * &v;
        let rest = RESTING * if m > 0 { u.amax() } else { 0.0 };
        for (i, (place, contact)) in touching.iter().enumerate() {
            if u[i].abs() <= rest {
                self.close(&mut state, place, contact, self.across(&u, i, m), rest);
            }
        }
        self.project(&mut state)?;
        Ok(state)
    }
}

/// The sites of closed contacts.
fn sites(state: &EventState) -> BTreeSet<Site> {
    state.held.keys().map(|(site, _)| *site).collect()
}
