use std::collections::BTreeMap;

use nalgebra::{DMatrix, DVector};

use super::forces::{ForceEquations, jumps, least};
use super::given::InclusionMotion;
use super::state::{EventState, Held, Mode, TouchPlace};
use crate::model::spatial::Contact;
use carom_core::error::{Error, Result};

/// The rate of change of a state in time: `v`, `dv/dt` and the normal forces (m).
type Rate = (DVector<f64>, DVector<f64>, DVector<f64>);

/// Maximum rotation of a body, or phase of a spring, in rad in one part of a step; and maximum
/// number of parts.
const PART: f64 = 0.1;
const PARTS: f64 = 1e5;
/// Relative sliding velocity, compared with the fastest, that counts as rounding.
const ROUNDING: f64 = 1e-14;
/// Stopping times by friction, in space, relative to the time step. Below `CREEPING`, the direction
/// of an accelerating contact follows its acceleration. Below `STOPPING`, the direction of a
/// decelerating contact is constant.
const CREEPING: f64 = 0.05;
const STOPPING: f64 = 1e-6;
/// Fraction of the stopping time for which a direction in space is followed.
const TURNING: f64 = 0.1;
/// Maximum number of iterations for a direction, and the change that ends them.
const TURNS: usize = 40;
const STILL: f64 = 1e-12;

/// Quantity that sets the direction of a sliding contact in a part of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Follows {
    /// The sliding velocity.
    Velocity,
    /// The sliding acceleration.
    Acceleration,
    /// Constant direction.
    Nothing,
}

/// An event that ends a motion with fixed modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// A gap closes.
    Gap(TouchPlace),
    /// The normal of a closed contact jumps, or the contact is gone: a corner slides off the end of
    /// an edge, or turns away from it.
    Corner(TouchPlace),
    /// A sliding contact comes to rest.
    Sliding(TouchPlace),
    /// The modes of the closed contacts hold no longer.
    Modes,
}

impl InclusionMotion {
    /// State after `time` with its present modes; fourth-order, with substeps for fast motion.
    ///
    /// Errors of a substep in gaps and velocities of closed contacts are projected out. Source:
    /// \[HP23\] (53) with (52), with the modes of one solution; W. Kutta's classical method of
    /// 1901.
    pub(super) fn flow(&self, state: &EventState, time: f64) -> Result<EventState> {
        let count = self.parts(state, time)?;
        let mut next = self.part(state, time / count as f64)?;
        for _ in 1..count {
            next = self.part(&next, time / count as f64)?;
        }
        Ok(next)
    }

    /// Number of equal parts of a motion over `time`, so that each part is short compared with
    /// spring periods, damper times and rotation times.
    fn parts(&self, state: &EventState, time: f64) -> Result<u64> {
        let mechanism = self.given().mechanism();
        let factor = mechanism.factor(&state.q)?;
        let v = factor.solve(&state.p);
        let mut fastest = v.component_div(&self.sizes).component_mul(&self.turning).amax();
        for drive in &mechanism.drives {
            let unit = DVector::from_fn(v.len(), |i, _| f64::from(i == drive.coordinate));
            let mobility = factor.solve(&unit)[drive.coordinate];
            fastest =
                fastest.max((drive.stiffness * mobility).sqrt()).max(drive.damping * mobility);
        }
        let count = (time * fastest / PART).ceil().max(1.0);
        if count > PARTS {
            let what = format!(
                "springs, dampers or rotations are too fast: a step would take {count:e} parts"
            );
            return Err(Error::input(what)
                .at("time_step")
                .hint("take a smaller time step, or integrator = \"midpoint\""));
        }
        Ok(count as u64)
    }

    /// Maximum time in s for which the directions of sliding friction can be followed from a state.
    pub(super) fn patience(&self, state: &EventState) -> Result<f64> {
        if self.given().mechanism().tangents() == 1 || state.held.is_empty() {
            return Ok(f64::INFINITY);
        }
        let v = self.given().mechanism().velocity(&state.q, &state.p)?;
        let equations = self.equations([&state.q, &v], state)?;
        let modes = state.modes();
        let forces = equations.forces(&modes);
        let follows = self.follows(&equations, &modes);
        let turning = (0..modes.len()).filter(|&i| follows[i] == Follows::Velocity);
        Ok(turning.map(|i| TURNING * equations.stop(i, &forces)).fold(f64::INFINITY, f64::min))
    }

    /// Quantity that sets each sliding contact's direction. In a plane the direction is constant.
    ///
    /// In space it is the direction of the sliding velocity `u_t`, which friction turns in the time
    /// `|u_t| / |du_t/dt|`. Deviation: while this time is short, the equations of an accelerating
    /// contact are stiff; its direction is then taken from its acceleration, to which the velocity
    /// tends. The direction of a contact about to stop is constant.
    fn follows(&self, equations: &ForceEquations, modes: &[Mode]) -> Vec<Follows> {
        if self.given().mechanism().tangents() == 1 {
            return vec![Follows::Nothing; modes.len()];
        }
        let forces = equations.forces(modes);
        let after = equations.accelerations(&forces);
        let of = |(i, mode): (usize, &Mode)| {
            let Mode::Slide(way) = mode else { return Follows::Nothing };
            let stop = equations.stop(i, &forces) / self.given().time_step();
            match way.dot(&equations.across(&after, i)) > 0.0 {
                true if stop < CREEPING => Follows::Acceleration,
                false if stop < STOPPING => Follows::Nothing,
                _ => Follows::Velocity,
            }
        };
        modes.iter().enumerate().map(of).collect()
    }

    /// The modes with the directions of sliding at a state.
    fn directed(equations: &ForceEquations, modes: &[Mode], follows: &[Follows]) -> Vec<Mode> {
        let mut modes = modes.to_vec();
        for (i, follows) in follows.iter().enumerate() {
            if *follows == Follows::Velocity
                && let Some(way) = equations.across(&equations.u, i).try_normalize(0.0)
            {
                modes[i] = Mode::Slide(way);
            }
        }
        for _ in 0..TURNS {
            let mut moved: f64 = 0.0;
            for i in (0..modes.len()).filter(|&i| follows[i] == Follows::Acceleration) {
                let turned = equations.turned(i, &modes);
                if let (Mode::Slide(a), Mode::Slide(b)) = (modes[i], turned) {
                    moved = moved.max((a - b).norm());
                }
                modes[i] = turned;
            }
            if moved <= STILL {
                break;
            }
        }
        modes
    }

    /// The state after `time`, in one part.
    fn part(&self, state: &EventState, time: f64) -> Result<EventState> {
        let mechanism = self.given().mechanism();
        let q = &state.q;
        let v = mechanism.velocity(q, &state.p)?;
        let mut modes = state.modes();
        let mut follows = None;
        // `x` is the motion since the start of the part, as a velocity over a unit of time.
        let mut rate = |x: &DVector<f64>, v: &DVector<f64>| -> Result<Rate> {
            let equations = self.equations([&mechanism.moved(q, x, 1.0), v], state)?;
            let follows = follows.get_or_insert_with(|| self.follows(&equations, &modes));
            modes = Self::directed(&equations, &modes, follows);
            let forces = equations.forces(&modes);
            let normal = forces.rows(0, modes.len()).into_owned();
            Ok((mechanism.unturned(x, v.clone()), equations.acceleration(&forces), normal))
        };
        let half = 0.5 * time;
        let first = rate(&DVector::zeros(v.len()), &v)?;
        let second = rate(&(&first.0 * half), &(&v + &first.1 * half))?;
        let third = rate(&(&second.0 * half), &(&v + &second.1 * half))?;
        let fourth = rate(&(&third.0 * time), &(&v + &third.1 * time))?;
        let sixth = time / 6.0;
        let mut next = state.clone();
        let x = (first.0 + (second.0 + third.0) * 2.0 + fourth.0) * sixth;
        next.q = mechanism.moved(q, &x, 1.0);
        let v = v + (first.1 + (second.1 + third.1) * 2.0 + fourth.1) * sixth;
        next.p = mechanism.momentum(&next.q, &v);
        next.arc += time;
        next.push_closed(&((first.2 + (second.2 + third.2) * 2.0 + fourth.2) * sixth));
        next.within += time;
        next.held.values_mut().zip(modes).for_each(|(held, mode)| held.mode = mode);
        let projected = self.project(&mut next)?;
        next.push_closed(&projected);
        Ok(next)
    }

    /// Restores the gaps of closed contacts, and removes their normal velocities and the sliding
    /// velocities of sticking ones, by the smallest change in the norm of the mass matrix. Returns
    /// the normal impulses of this change.
    pub(super) fn project(&self, state: &mut EventState) -> Result<DVector<f64>> {
        let m = state.held.len();
        if m == 0 {
            return Ok(DVector::zeros(0));
        }
        let mechanism = self.given().mechanism();
        let contacts = self.closed(&state.q, &state.held);
        let off =
            state.held.values().zip(&contacts).map(|(held, contact)| held.gap - contact.touch.gap);
        let off = DVector::from_vec(off.collect());
        let normals: Vec<usize> = (0..m).collect();
        let (rows, response) = self.responses(state, &normals)?;
        state.q = mechanism.moved(&state.q, &(&response * least(&rows * &response, &off)), 1.0);
        let d = mechanism.tangents();
        let sticks = |(i, (place, held)): (usize, (&TouchPlace, &Held))| {
            (held.mode == Mode::Stick && self.friction(place) > 0.0).then_some(m + d * i)
        };
        let sticking = state.held.iter().enumerate().filter_map(sticks);
        let kept: Vec<usize> =
            normals.into_iter().chain(sticking.flat_map(|first| first..first + d)).collect();
        let (rows, response) = self.responses(state, &kept)?;
        let v = mechanism.velocity(&state.q, &state.p)?;
        let impulse = least(&rows * &response, &-(&rows * v));
        state.p += rows.transpose() * &impulse;
        let contacts = self.closed(&state.q, &state.held);
        for (held, contact) in state.held.values_mut().zip(contacts) {
            held.at = mechanism.local(&state.q, contact.second, contact.touch.point);
        }
        Ok(impulse.rows(0, m).into_owned())
    }

    /// Some rows of J, and `M^-1` times their transpose.
    fn responses(
        &self,
        state: &EventState,
        kept: &[usize],
    ) -> Result<(DMatrix<f64>, DMatrix<f64>)> {
        let rows = self.rows(&state.q, &self.closed(&state.q, &state.held)).select_rows(kept);
        let response = self.given().mechanism().factor(&state.q)?.solve(&rows.transpose());
        Ok((rows, response))
    }

    /// The violations at the end of a motion from `from`, whose contacts are `before`, to `to` with
    /// the modes of `from`.
    pub(super) fn broken(
        &self,
        from: &EventState,
        before: &BTreeMap<TouchPlace, Contact>,
        to: &EventState,
    ) -> Result<Vec<Broken>> {
        let mut broken = Vec::new();
        let blur = self.blur(&to.q);
        let after = self.contacts(&to.q, &to.held);
        for (place, contact) in &after {
            let at_first = before.get(place);
            let gap = at_first.map_or(0.0, |at_first| at_first.touch.gap);
            if !from.held.contains_key(place) {
                broken.extend(
                    (contact.touch.gap < gap.min(0.0) - blur).then_some(Broken::Gap(*place)),
                );
            } else if at_first.is_some_and(|at_first| jumps(at_first, contact)) {
                broken.push(Broken::Corner(*place));
            }
        }
        let gone = from.held.keys().filter(|place| !after.contains_key(place));
        broken.extend(gone.map(|place| Broken::Corner(*place)));
        if from.held.is_empty() {
            return Ok(broken);
        }
        let v = self.given().mechanism().velocity(&to.q, &to.p)?;
        let equations = self.equations([&to.q, &v], to)?;
        for (i, (place, held)) in from.held.iter().enumerate() {
            let Mode::Slide(way) = held.mode else { continue };
            let along = way.dot(&equations.across(&equations.u, i));
            if self.friction(place) > 0.0 && along < -ROUNDING * equations.u.amax() {
                broken.push(Broken::Sliding(*place));
            }
        }
        let modes = to.modes();
        if equations.holding(&modes, &modes).is_none() {
            broken.push(Broken::Modes);
        }
        Ok(broken)
    }
}
