//! A motion of a mechanism, step after step.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};

use super::given::Midpoint;
use super::impact::Impact;
use super::state::State;
use super::step::Advance;
use crate::error::Result;
use crate::model::Site;
use crate::motion::ending::Ending;
use crate::motion::watch::Passing;

/// Energies, J.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Energy {
    /// `v' M v / 2`.
    pub kinetic: f64,
    /// Of gravity and springs.
    pub potential: f64,
}

impl Energy {
    /// The sum.
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential
    }
}

/// A state at the end of a step, or at the start.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// Steps that were taken.
    pub step: u64,
    /// In s.
    pub time: f64,
    /// The state.
    pub state: &'a State,
    /// Its energies.
    pub energy: Energy,
    /// Impacts so far.
    pub impacts: u64,
    /// s, where the integrator has it: time in s and all normal impulses in N s so far, added up.
    pub arc: Option<f64>,
}

/// What the time-augmented inclusion adds to a motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Augmented {
    /// s at its end.
    pub arc: f64,
    /// Where infinitely many impacts ended.
    pub accumulations: Vec<Accumulation>,
}

/// Infinitely many impacts that end in a finite time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accumulation {
    /// The time at which they end, s: the limit of the geometric series.
    pub time: f64,
    /// s at that time.
    pub arc: f64,
    /// The time between two impacts over that before it, in the mean of a group; 1 where rounding
    /// hides what is left.
    pub ratio: f64,
    /// The time of the last impact that was computed, s.
    pub last: f64,
    /// Impacts that were computed until then, since the motion began.
    pub impacts: u64,
}

/// A change of what is in sustained contact.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// When, in s.
    pub time: f64,
    /// What is in sustained contact from then on.
    pub sustained: BTreeSet<Site>,
}

/// A motion that was computed.
#[derive(Clone, Debug)]
pub struct Course {
    /// Steps that were completed.
    pub steps: u64,
    /// Their time, s.
    pub time: f64,
    /// The impacts, in order.
    pub impacts: Vec<Impact>,
    /// When contacts became sustained or ended.
    pub changes: Vec<Change>,
    /// The energies at first.
    pub initial: Energy,
    /// The energies after the last completed step.
    pub last: Energy,
    /// The largest difference of the energy from that at first, at the ends of steps, J.
    pub energy_error: f64,
    /// The state after the last completed step.
    pub state: State,
    /// How it ended.
    pub ending: Ending,
    /// What the time-augmented inclusion adds.
    pub augmented: Option<Augmented>,
    /// Bodies that may have passed through each other unseen.
    pub passed: Vec<Passing>,
}

impl Course {
    /// The state after the last completed step.
    pub fn moment(&self, arc: Option<f64>) -> Moment<'_> {
        let impacts = self.impacts.len() as u64;
        Moment {
            step: self.steps,
            time: self.time,
            state: &self.state,
            energy: self.last,
            impacts,
            arc,
        }
    }

    /// A motion that begins.
    pub fn new(state: State, initial: Energy) -> Self {
        Course {
            steps: 0,
            time: 0.0,
            impacts: Vec::new(),
            changes: Vec::new(),
            initial,
            last: initial,
            energy_error: 0.0,
            state,
            ending: Ending::Done,
            augmented: None,
            passed: Vec::new(),
        }
    }
}

impl Midpoint {
    /// The energies of a state.
    ///
    /// # Errors
    /// A mass matrix that became singular.
    pub fn energy(&self, state: &State) -> Result<Energy> {
        let v = self.mechanism().velocity(&state.q, &state.p)?;
        Ok(Energy {
            kinetic: 0.5 * v.dot(&state.p),
            potential: self.mechanism().potential(&state.q),
        })
    }

    /// Takes the state after a step; `false`, and the motion ends, where a number of it is not
    /// finite.
    ///
    /// # Errors
    /// A mass matrix that became singular.
    pub fn complete(&self, course: &mut Course, time: f64, state: &State) -> Result<bool> {
        let energy = if state.is_finite() { Some(self.energy(state)?) } else { None };
        let Some(energy) = energy.filter(|energy| energy.total().is_finite()) else {
            course.ending = Ending::NotFinite;
            return Ok(false);
        };
        (course.steps, course.time, course.state) = (state.step, time, state.clone());
        course.last = energy;
        course.energy_error =
            course.energy_error.max((energy.total() - course.initial.total()).abs());
        Ok(true)
    }

    /// The time of a state, s.
    pub fn time_of(&self, state: &State) -> f64 {
        state.step as f64 * self.time_step() + state.within
    }

    /// The motion over `steps` steps; `look` sees the start and the end of each step.
    ///
    /// # Errors
    /// Those of [`Midpoint::advance`], of the law, and of `look`.
    pub fn run(
        &self,
        steps: u64,
        stop: Option<&AtomicBool>,
        mut look: impl FnMut(&Moment<'_>) -> Result<()>,
    ) -> Result<Course> {
        let mut state = self.start().clone();
        let initial = self.energy(&state)?;
        let mut course = Course::new(state.clone(), initial);
        look(&course.moment(None))?;
        while course.steps < steps {
            if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                course.ending = Ending::Interrupted;
                break;
            }
            let advance = self.advance(&mut state, &mut course.passed)?;
            let time = self.time_of(&state);
            match advance {
                Advance::Impact { problem, contacts } => {
                    let outcome =
                        self.law().resolve(&problem, self.seed(), course.impacts.len() as u64)?;
                    let impact = Impact::at(self.mechanism(), time, &mut state, contacts, outcome);
                    course.impacts.push(impact);
                }
                Advance::Changed => {
                    course.changes.push(Change { time, sustained: state.sustained.clone() });
                }
                Advance::Step => {}
            }
            if state.step == course.steps {
                continue;
            }
            if !self.complete(&mut course, time, &state)? {
                break;
            }
            look(&course.moment(None))?;
        }
        Ok(course)
    }
}
