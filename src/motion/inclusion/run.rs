//! A motion of the inclusion, step after step.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use super::given::InclusionMotion;
use super::state::{EventState, TouchPlace};
use super::step::EventAdvance;
use super::zeno::Hits;
use crate::error::Result;
use crate::model::Site;
use crate::motion::ending::MotionEnding;
use crate::motion::midpoint::{
    Accumulation, Augmented, Change, MechanismCourse, MechanismMoment, MechanismState,
};

/// Most impacts and other events of a step where the file sets no limit.
const EVENTS: u32 = 10_000;
/// Part of the fastest contact velocity below which touching contacts are closed at the start.
const RESTING: f64 = 1e-9;

impl InclusionMotion {
    /// The motion over `steps` steps; `look` is called with the start and the end of each step,
    /// with s.
    ///
    /// Impact number k takes sample k of a sampled law.
    ///
    /// # Errors
    /// Those of [`InclusionMotion::advance`], of the law, and of `look`.
    pub fn run(
        &self,
        steps: u64,
        stop: Option<&AtomicBool>,
        mut look: impl FnMut(&MechanismMoment<'_>) -> Result<()>,
    ) -> Result<MechanismCourse> {
        let given = self.given();
        let mut state = self.start()?;
        let initial = given.energy(&plain(&state))?;
        let mut course = MechanismCourse::new(plain(&state), initial);
        let mut accumulations = Vec::new();
        let mut hits = Hits::default();
        let mut events = 0;
        look(&course.moment(Some(0.0)))?;
        while course.steps < steps {
            if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                course.ending = MotionEnding::Interrupted;
                break;
            }
            match self.advance(&mut state, &mut course.passed)? {
                EventAdvance::Step => {}
                EventAdvance::Event => events += 1,
                EventAdvance::Impact(impact) => {
                    events += 1;
                    let number = course.impacts.len() as u64;
                    let outcome = given.law().resolve(&impact.problem, given.seed(), number)?;
                    let m = impact.contacts.len();
                    let pushed = (0..m).filter(|i| outcome.impulse[*i] > 0.0);
                    let places: Vec<TouchPlace> = pushed.map(|i| impact.contacts[i].0).collect();
                    let speed = -impact.problem.contact_velocity().rows(0, m).min();
                    let impact = self.strike(&mut state, *impact, outcome)?;
                    hits.push(impact.time, state.arc, places, speed);
                    course.impacts.push(impact);
                    if let Some(limit) = self.accumulate(&mut state, &mut hits)? {
                        accumulations.push(Accumulation { impacts: number + 1, ..limit });
                    }
                }
            }
            let time = self.time_of(&state);
            let sustained = sustained(&state);
            if state.chosen
                && course.changes.last().map_or(&BTreeSet::new(), |last| &last.sustained)
                    != &sustained
            {
                course.changes.push(Change { time, sustained });
            }
            if events > given.max_impacts().unwrap_or(EVENTS) {
                let limit = hits.series();
                course.ending =
                    if limit.is_some() { MotionEnding::Zeno } else { MotionEnding::EventLimit };
                let impacts = course.impacts.len() as u64;
                accumulations.extend(limit.map(|limit| Accumulation { impacts, ..limit }));
                break;
            }
            if state.step == course.steps {
                continue;
            }
            events = 0;
            if !given.complete(&mut course, time, &plain(&state))? {
                break;
            }
            look(&course.moment(Some(state.arc)))?;
        }
        course.augmented = Some(Augmented { arc: state.arc, accumulations });
        Ok(course)
    }

    /// The state at the start: contacts that touch and do not move apart are closed.
    fn start(&self) -> Result<EventState> {
        let given = self.given();
        let MechanismState { q, p, .. } = given.start().clone();
        let sites = given.mechanism().places(&q).into_iter().map(|((site, _), _)| (site, 0.0));
        let mut state = EventState {
            normal: sites.collect(),
            q,
            p,
            arc: 0.0,
            step: 0,
            within: 0.0,
            held: Default::default(),
            chosen: false,
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
                self.close(&mut state, place, contact, u[m + i], rest);
            }
        }
        self.project(&mut state)?;
        Ok(state)
    }
}

/// The sites in sustained contact.
fn sustained(state: &EventState) -> BTreeSet<Site> {
    state.held.keys().map(|(site, _)| *site).collect()
}

/// The state without s and modes.
fn plain(state: &EventState) -> MechanismState {
    MechanismState {
        q: state.q.clone(),
        p: state.p.clone(),
        step: state.step,
        within: state.within,
        impacts: 0,
        sustained: sustained(state),
        normal: state.normal.clone(),
    }
}
