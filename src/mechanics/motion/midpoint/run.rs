use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::sync::atomic::{AtomicBool, Ordering};

use nalgebra::DVector;

use super::given::Midpoint;
use super::impact::{StrikeOutcome, impact, strike};
use super::state::MechanismState;
use super::strike::Strike;
use crate::model::Site;
use crate::motion::course::{Augmented, Change, Course, Impact, Moment, Standing, Turn, list};
use crate::motion::ending::MotionEnding;
use crate::motion::inclusion::InclusionMotion;
use crate::motion::watch::Passing;
use carom_core::error::Result;

impl Midpoint {
    /// Names of the columns of a moment: time, configuration, momentum, energies; for the
    /// time-augmented inclusion also s and the accumulated normal impulse of each site.
    pub fn columns(&self) -> Vec<String> {
        let mechanism = self.mechanism();
        let momenta = mechanism.names().into_iter().map(|name| format!("momentum.{name}"));
        let mut columns = vec!["time".to_string()];
        columns.extend(mechanism.position_names().into_iter().chain(momenta));
        columns.extend(["kinetic", "potential"].map(str::to_string));
        if self.integrator() == InclusionMotion::NAME {
            columns.push("s".to_string());
            columns.extend(self.site_names().into_iter().map(|name| format!("impulse.{name}")));
        }
        columns
    }

    /// The names of the sites that may touch, in order.
    pub fn site_names(&self) -> Vec<String> {
        let places = self.mechanism().places(&self.start().q, |_, _| true, f64::INFINITY);
        let touches: BTreeMap<Site, _> =
            places.into_iter().map(|((site, _), contact)| (site, contact)).collect();
        self.mechanism().contact_names(&touches.into_values().collect::<Vec<_>>())
    }

    /// Moment of a state after `impacts` impacts; `arc` is the parameter s, if the integrator has
    /// one.
    ///
    /// # Errors
    /// A mass matrix that became singular.
    pub fn moment(
        &self,
        state: &MechanismState,
        impacts: usize,
        arc: Option<f64>,
    ) -> Result<Moment> {
        let v = self.mechanism().velocity(&state.q, &state.p)?;
        let energies = [0.5 * v.dot(&state.p), self.mechanism().potential(&state.q)];
        Ok(Moment {
            step: state.step,
            time: self.time_of(state),
            position: list(&state.q),
            momentum: list(&state.p),
            others: energies.into_iter().chain(arc).chain(state.normal.values().copied()).collect(),
            energy: energies[0] + energies[1],
            impacts: impacts as u64,
        })
    }

    /// Indeterminacy: relative distance of two momenta at a configuration, `xi = |p - r|_g /
    /// max(|p|_g, |r|_g)`, `|p|_g^2 = p M^-1(q) p'`; 0 if both are 0.
    ///
    /// Source: \[SM14\] Sec. VII-A and Fig. 8. Deviation: the publication divides by one of the
    /// motions, which may be at rest.
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

    /// Adds the state after a step; returns `false`, and ends the motion, if an entry of the state
    /// is not finite.
    fn complete(
        &self,
        course: &mut Course,
        state: &MechanismState,
        arc: Option<f64>,
    ) -> Result<bool> {
        course.ending = MotionEnding::NotFinite;
        if !state.is_finite() {
            return Ok(false);
        }
        let moment = self.moment(state, course.impacts.len(), arc)?;
        if !moment.energy.is_finite() {
            return Ok(false);
        }
        course.ending = MotionEnding::Done;
        if self.integrator() == Midpoint::NAME {
            let v = self.mechanism().velocity(&state.q, &state.p)?;
            let (body, spin) = self.mechanism().fastest_spin(&state.q, &v);
            let angle = spin * self.time_step();
            if angle > course.turn.map_or(PI, |turn| turn.angle) {
                course.turn = Some(Turn { body, angle, time: moment.time });
            }
        }
        course.energy_error = course.energy_error.max((moment.energy - course.initial).abs());
        course.last = moment;
        Ok(true)
    }

    /// The time of a state, s.
    pub fn time_of(&self, state: &MechanismState) -> f64 {
        state.step as f64 * self.time_step() + state.within
    }
}

/// End of an advance.
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

    /// Advances to the next impact, to the end of the step, or less far. Adds pairs of possible
    /// tunnelling to `passed`.
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

    /// Motion over `steps` steps. Calls `look` with the start and the end of each step.
    ///
    /// Impact number k takes sample k of a sampled law.
    ///
    /// # Errors
    /// Errors of [`Stepping::go_on`], of the law, and of `look`.
    fn run(
        &self,
        steps: u64,
        stop: Option<&AtomicBool>,
        look: impl FnMut(&Moment) -> Result<()>,
    ) -> Result<Course> {
        self.run_and_tell(steps, stop, |_| {}, look)
    }

    /// Motion over `steps` steps. Calls `tell` with the progress within a step.
    ///
    /// # Errors
    /// See [`Stepping::run`].
    fn run_and_tell(
        &self,
        steps: u64,
        stop: Option<&AtomicBool>,
        mut tell: impl FnMut(&Standing),
        mut look: impl FnMut(&Moment) -> Result<()>,
    ) -> Result<Course> {
        let given = self.given();
        let mut state = self.begin()?;
        let plain = self.plain(&state);
        let mut course = Course::new(given.moment(&plain, 0, self.arc(&state))?);
        course.changes.extend(plain.first_change());
        let mut sustained = plain.sustained;
        look(&course.last)?;
        while course.last.step < steps {
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
            let standing = |impacts: usize| Standing {
                step: plain.step,
                time,
                impacts: impacts as u64,
                sustained: plain.sustained.clone(),
            };
            if course.ending != MotionEnding::Done {
                course.standing = Some(standing(course.impacts.len()));
                break;
            }
            if plain.sustained != sustained {
                sustained = plain.sustained.clone();
                course.changes.push(Change { time, sustained: sustained.clone() });
            }
            if plain.step == course.last.step {
                tell(&standing(course.impacts.len()));
                continue;
            }
            if !given.complete(&mut course, &plain, self.arc(&state))? {
                break;
            }
            look(&course.last)?;
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
        hit: Strike,
        outcome: StrikeOutcome,
    ) -> Result<Impact> {
        self.leave(state, &hit, &outcome);
        let (mechanism, when) = (self.mechanism(), (state.step, self.time_of(state)));
        let before = state.p.clone();
        strike(mechanism, state, &outcome.velocity);
        Ok(impact(mechanism, when, &state.q, [&before, &state.p], hit, outcome.impulse))
    }

    fn plain(&self, state: &MechanismState) -> MechanismState {
        state.clone()
    }
}
