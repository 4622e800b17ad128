use schemars::JsonSchema;
use serde::Serialize;

use std::collections::BTreeSet;
use std::f64::consts::PI;
use std::sync::atomic::{AtomicBool, Ordering};

use nalgebra::DVector;

use super::given::Midpoint;
use super::impact::{Impact, StrikeOutcome, strike};
use super::state::MechanismState;
use super::strike::Strike;
use crate::model::Site;
use crate::motion::ending::MotionEnding;
use crate::motion::watch::Passing;
use carom_core::error::Result;

/// The energies of a mechanism, J.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MechanismEnergy {
    /// Kinetic energy `v' M v / 2`.
    pub kinetic: f64,
    /// Potential energy of gravity and springs.
    pub potential: f64,
}

impl MechanismEnergy {
    /// The sum of both energies.
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential
    }
}

/// A state at the end of a step, or at the start.
#[derive(Clone, Copy, Debug)]
pub struct MechanismMoment<'a> {
    /// Number of steps taken.
    pub step: u64,
    /// The time in s.
    pub time: f64,
    /// The state.
    pub state: &'a MechanismState,
    /// The energies of the state.
    pub energy: MechanismEnergy,
    /// Number of impacts so far.
    pub impacts: u64,
    /// The parameter s, where the integrator has one: time in s and all normal impulses in N s so
    /// far, added up.
    pub arc: Option<f64>,
}

/// Results of the time-augmented inclusion beside the motion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Augmented {
    /// The parameter s at the end.
    pub arc: f64,
    /// The ends of infinitely many impacts.
    pub accumulations: Vec<Accumulation>,
}

/// Infinitely many impacts that end in a finite time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Accumulation {
    /// The time at which the impacts end, s: the limit of the geometric series.
    pub time: f64,
    /// The parameter s at that time.
    #[serde(rename = "s")]
    pub arc: f64,
    /// The time between two impacts over the time before, in the mean of a group; 1 where rounding
    /// hides the remaining impacts.
    pub ratio: f64,
    /// The time of the last impact that was computed, s.
    pub last: f64,
    /// Number of impacts that were computed until then, since the motion began.
    #[serde(rename = "collision_count")]
    pub impacts: u64,
}

/// A change of the sites in sustained contact.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The time of the change, in s.
    pub time: f64,
    /// The sites in sustained contact from then on.
    pub sustained: BTreeSet<Site>,
}

impl Change {
    /// The change at the start of a motion, where sites are in sustained contact at first.
    pub fn first(state: &MechanismState) -> Option<Self> {
        let sustained = state.sustained.clone();
        (!sustained.is_empty()).then_some(Change { time: 0.0, sustained })
    }
}

/// A turn of a body in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// The index of the body.
    pub body: usize,
    /// The angle in rad.
    pub angle: f64,
    /// The time at the end of the step, in s.
    pub time: f64,
}

/// The place of a motion within a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The number of the step, from 0 on.
    pub step: u64,
    /// The time in s.
    pub time: f64,
    /// Number of impacts since the motion began.
    pub impacts: u64,
    /// The sites in sustained contact.
    pub sustained: BTreeSet<Site>,
}

/// The course of a motion.
#[derive(Clone, Debug)]
pub struct MechanismCourse {
    /// Number of completed steps.
    pub steps: u64,
    /// The time of these steps, s.
    pub time: f64,
    /// The impacts, in order.
    pub impacts: Vec<Impact>,
    /// The times at which contacts became sustained or ended.
    pub changes: Vec<Change>,
    /// The energies at the start.
    pub initial: MechanismEnergy,
    /// The energies after the last completed step.
    pub last: MechanismEnergy,
    /// The largest difference of the energy from that at the start, at the ends of steps, J.
    pub energy_error: f64,
    /// The state after the last completed step.
    pub state: MechanismState,
    /// The ending of the motion.
    pub ending: MotionEnding,
    /// The place within a step at which the motion ended, if it did.
    pub standing: Option<Standing>,
    /// Results of the time-augmented inclusion, if it is the integrator.
    pub augmented: Option<Augmented>,
    /// Bodies that may have passed through each other unseen.
    pub passed: Vec<Passing>,
    /// The fastest turn in a step of the midpoint integrator, if it is more than half a turn.
    pub turn: Option<Turn>,
}

impl MechanismCourse {
    /// The state after the last completed step.
    pub fn moment(&self, arc: Option<f64>) -> MechanismMoment<'_> {
        let impacts = self.impacts.len() as u64;
        MechanismMoment {
            step: self.steps,
            time: self.time,
            state: &self.state,
            energy: self.last,
            impacts,
            arc,
        }
    }

    /// The place within a step of a state after the last completed step, at a time in s.
    fn standing(&self, time: f64, state: &MechanismState) -> Standing {
        Standing {
            step: state.step,
            time,
            impacts: self.impacts.len() as u64,
            sustained: state.sustained.clone(),
        }
    }

    /// The course of a motion at its start.
    pub fn new(state: MechanismState, initial: MechanismEnergy) -> Self {
        MechanismCourse {
            steps: 0,
            time: 0.0,
            impacts: Vec::new(),
            changes: Vec::new(),
            initial,
            last: initial,
            energy_error: 0.0,
            state,
            ending: MotionEnding::Done,
            standing: None,
            augmented: None,
            passed: Vec::new(),
            turn: None,
        }
    }
}

impl Midpoint {
    /// The energies of a state.
    ///
    /// # Errors
    /// A mass matrix that became singular.
    pub fn energy(&self, state: &MechanismState) -> Result<MechanismEnergy> {
        Ok(self.energy_at(state, &self.mechanism().velocity(&state.q, &state.p)?))
    }

    /// The energies of a state whose velocity is `v`.
    fn energy_at(&self, state: &MechanismState, v: &DVector<f64>) -> MechanismEnergy {
        MechanismEnergy {
            kinetic: 0.5 * v.dot(&state.p),
            potential: self.mechanism().potential(&state.q),
        }
    }

    /// How far two momenta at a configuration are apart, over the larger one:
    /// `xi = |p - r|_g / max(|p|_g, |r|_g)`, `|p|_g^2 = p M^-1(q) p'`; 0 where both are 0.
    ///
    /// Source: \[SM14\] Sec. VII-A and Fig. 8. Deviation: there one of the motions is the measure,
    /// which may be at rest.
    ///
    /// # Errors
    /// A mass matrix that is singular.
    pub fn indeterminacy(
        &self,
        q: &DVector<f64>,
        p: &DVector<f64>,
        r: &DVector<f64>,
    ) -> Result<f64> {
        let size = |p: &DVector<f64>| Ok(p.dot(&self.mechanism().velocity(q, p)?).max(0.0).sqrt());
        let apart = size(&(p - r))?;
        Ok(if apart > 0.0 { apart / f64::max(size(p)?, size(r)?) } else { 0.0 })
    }

    /// Adds the state after a step; returns `false`, and ends the motion, where a number of the
    /// state is not finite.
    fn complete(
        &self,
        course: &mut MechanismCourse,
        time: f64,
        state: &MechanismState,
    ) -> Result<bool> {
        if !state.is_finite() {
            course.ending = MotionEnding::NotFinite;
            return Ok(false);
        }
        let v = self.mechanism().velocity(&state.q, &state.p)?;
        let energy = self.energy_at(state, &v);
        if !energy.total().is_finite() {
            course.ending = MotionEnding::NotFinite;
            return Ok(false);
        }
        if self.integrator() == Midpoint::NAME {
            let (body, spin) = self.mechanism().fastest_spin(&state.q, &v);
            let angle = spin * self.time_step();
            if angle > course.turn.map_or(PI, |turn| turn.angle) {
                course.turn = Some(Turn { body, angle, time });
            }
        }
        (course.steps, course.time, course.state) = (state.step, time, state.clone());
        course.last = energy;
        course.energy_error =
            course.energy_error.max((energy.total() - course.initial.total()).abs());
        Ok(true)
    }

    /// The time of a state, s.
    pub fn time_of(&self, state: &MechanismState) -> f64 {
        state.step as f64 * self.time_step() + state.within
    }
}

/// The end of an advance.
#[derive(Clone, Debug)]
pub enum Going {
    /// The motion goes on.
    On,
    /// The motion came to an impact.
    Impact(Box<Strike>),
    /// The motion ends.
    Ends(MotionEnding),
}

/// An integrator that moves a mechanism from impact to impact.
pub trait Stepping: Sync {
    /// The state of a motion.
    type State: Clone + Send;

    /// The mechanism, its start and its law.
    fn given(&self) -> &Midpoint;

    /// The state at the start.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    fn begin(&self) -> Result<Self::State>;

    /// Moves on to the next impact, to the end of the step, or less far. Bodies that may have
    /// passed through each other are added to `passed`.
    ///
    /// # Errors
    /// Equations that are not solved; a contact problem that cannot be made.
    fn go_on(&self, state: &mut Self::State, passed: &mut Vec<Passing>) -> Result<Going>;

    /// Applies an outcome of an impact to the state in which the impact was found.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    fn take(
        &self,
        state: &mut Self::State,
        strike: Strike,
        outcome: StrikeOutcome,
    ) -> Result<Impact>;

    /// Configuration, momentum, progress and sustained contacts.
    fn plain(&self, state: &Self::State) -> MechanismState;

    /// The parameter s, where the integrator has one.
    fn arc(&self, _state: &Self::State) -> Option<f64> {
        None
    }

    /// Results of the time-augmented inclusion, if it is the integrator.
    fn augmented(&self, _state: &Self::State) -> Option<Augmented> {
        None
    }

    /// The motion over `steps` steps; `look` is called with the start and the end of each step.
    ///
    /// Impact number k takes sample k of a sampled law.
    ///
    /// # Errors
    /// Those of [`Stepping::go_on`], of the law, and of `look`.
    fn run(
        &self,
        steps: u64,
        stop: Option<&AtomicBool>,
        look: impl FnMut(&MechanismMoment<'_>) -> Result<()>,
    ) -> Result<MechanismCourse> {
        self.run_and_tell(steps, stop, |_| {}, look)
    }

    /// The motion over `steps` steps; `tell` is called where it stands within a step.
    ///
    /// # Errors
    /// Those of [`Stepping::run`].
    fn run_and_tell(
        &self,
        steps: u64,
        stop: Option<&AtomicBool>,
        mut tell: impl FnMut(&Standing),
        mut look: impl FnMut(&MechanismMoment<'_>) -> Result<()>,
    ) -> Result<MechanismCourse> {
        let given = self.given();
        let mut state = self.begin()?;
        let plain = self.plain(&state);
        let mut course = MechanismCourse::new(plain.clone(), given.energy(&plain)?);
        let mut sustained = plain.sustained.clone();
        course.changes.extend(Change::first(&plain));
        look(&course.moment(self.arc(&state)))?;
        while course.steps < steps {
            if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                course.ending = MotionEnding::Interrupted;
                break;
            }
            match self.go_on(&mut state, &mut course.passed)? {
                Going::On => {}
                Going::Impact(strike) => {
                    let number = course.impacts.len() as u64;
                    match given.law().resolve(&strike.problem, given.seed(), number)? {
                        Some(outcome) => {
                            course.impacts.push(self.take(&mut state, *strike, outcome)?);
                        }
                        None => course.ending = MotionEnding::Unresolved,
                    }
                }
                Going::Ends(ending) => course.ending = ending,
            }
            let plain = self.plain(&state);
            let time = given.time_of(&plain);
            if course.ending != MotionEnding::Done {
                course.standing = Some(course.standing(time, &plain));
                break;
            }
            if plain.sustained != sustained {
                sustained = plain.sustained.clone();
                course.changes.push(Change { time, sustained: sustained.clone() });
            }
            if plain.step == course.steps {
                tell(&course.standing(time, &plain));
                continue;
            }
            if !given.complete(&mut course, time, &plain)? {
                break;
            }
            look(&course.moment(self.arc(&state)))?;
        }
        course.augmented = self.augmented(&state);
        Ok(course)
    }
}

impl Stepping for Midpoint {
    type State = MechanismState;

    fn given(&self) -> &Midpoint {
        self
    }

    fn begin(&self) -> Result<MechanismState> {
        Ok(self.start().clone())
    }

    fn go_on(&self, state: &mut MechanismState, passed: &mut Vec<Passing>) -> Result<Going> {
        self.advance(state, passed)
    }

    fn take(
        &self,
        state: &mut MechanismState,
        impact: Strike,
        outcome: StrikeOutcome,
    ) -> Result<Impact> {
        self.leave(state, &impact, &outcome);
        let (mechanism, when) = (self.mechanism(), (state.step, self.time_of(state)));
        let before = state.p.clone();
        strike(mechanism, state, &outcome.velocity);
        let momenta = [&before, &state.p];
        let (contacts, impulse) = (impact.contacts, outcome.impulse);
        Ok(Impact::new(mechanism, when, &state.q, momenta, contacts, impulse))
    }

    fn plain(&self, state: &MechanismState) -> MechanismState {
        state.clone()
    }
}
