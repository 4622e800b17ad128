//! Motion between events: fixed modes of the closed contacts.

use std::collections::BTreeMap;

use nalgebra::{DMatrix, DVector};

use super::forces::{jumps, least};
use super::given::InclusionMotion;
use super::state::{EventState, Held, TouchPlace};
use crate::error::{Error, Result};
use crate::law::anitescu_potra::ContactMode;
use crate::model::Contact;

/// The rate of change of a state in time: `dq/dt`, `dp/dt` and the normal forces (m).
type Rate = (DVector<f64>, DVector<f64>, DVector<f64>);

/// Largest angle in rad by which a body turns, or a spring's phase, in one part of a step; then the
/// largest number of parts.
const PART: f64 = 0.1;
const PARTS: f64 = 1e5;
/// Sliding velocity, relative to the fastest one, below which it is rounding.
const ROUNDING: f64 = 1e-14;

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
    /// The state after `time` with its present modes; of fourth order, in parts where the motion is
    /// fast.
    ///
    /// Errors that a part leaves in gaps and velocities of closed contacts are removed. Source:
    /// \[HP23\] (53) with (52), where the modes are those of one solution; W. Kutta's classical
    /// method of 1901.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite; more than 1e5 parts.
    pub fn flow(&self, state: &EventState, time: f64) -> Result<EventState> {
        let count = self.parts(state, time)?;
        let mut next = self.part(state, time / count as f64)?;
        for _ in 1..count {
            next = self.part(&next, time / count as f64)?;
        }
        Ok(next)
    }

    /// The number of equal parts in which a motion over `time` is computed, so that none is long
    /// compared with the periods of springs, the times of dampers and those in which bodies turn.
    fn parts(&self, state: &EventState, time: f64) -> Result<u64> {
        let mechanism = self.given().mechanism();
        let factor = mechanism.factor(&state.q)?;
        let v = factor.solve(&state.p);
        let mut fastest = v.component_div(self.sizes()).component_mul(self.turning()).amax();
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

    /// The state after `time`, in one part.
    fn part(&self, state: &EventState, time: f64) -> Result<EventState> {
        let modes = state.modes();
        let rate = |q: &DVector<f64>, p: &DVector<f64>| -> Result<Rate> {
            let equations = self.equations(q, p, &state.held)?;
            let forces = equations.forces(&modes);
            let normal = forces.rows(0, modes.len()).into_owned();
            Ok((equations.v, equations.h + equations.rows.transpose() * forces, normal))
        };
        let (q, p) = (&state.q, &state.p);
        let half = 0.5 * time;
        let first = rate(q, p)?;
        let second = rate(&(q + &first.0 * half), &(p + &first.1 * half))?;
        let third = rate(&(q + &second.0 * half), &(p + &second.1 * half))?;
        let fourth = rate(&(q + &third.0 * time), &(p + &third.1 * time))?;
        let sixth = time / 6.0;
        let mut next = state.clone();
        next.q += (first.0 + (second.0 + third.0) * 2.0 + fourth.0) * sixth;
        next.p += (first.1 + (second.1 + third.1) * 2.0 + fourth.1) * sixth;
        next.arc += time;
        next.push_closed(&((first.2 + (second.2 + third.2) * 2.0 + fourth.2) * sixth));
        next.within += time;
        let projected = self.project(&mut next)?;
        next.push_closed(&projected);
        Ok(next)
    }

    /// Restores the gaps of closed contacts and removes their normal velocities, and the sliding
    /// velocities of those that do not slide; by the smallest change in the norm of the mass
    /// matrix. Returns the normal impulses of this change.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub fn project(&self, state: &mut EventState) -> Result<DVector<f64>> {
        let m = state.held.len();
        if m == 0 {
            return Ok(DVector::zeros(0));
        }
        let contacts = self.closed(&state.q, &state.held);
        let off =
            state.held.values().zip(&contacts).map(|(held, contact)| held.gap - contact.touch.gap);
        let off = DVector::from_vec(off.collect());
        let normals: Vec<usize> = (0..m).collect();
        let (rows, response) = self.responses(state, &normals)?;
        state.q += &response * least(&rows * &response, &off);
        let slips = |(i, (place, held)): (usize, (&TouchPlace, &Held))| {
            (held.sliding.is_none() && self.friction(place) > 0.0).then_some(m + i)
        };
        let kept: Vec<usize> =
            normals.into_iter().chain(state.held.iter().enumerate().filter_map(slips)).collect();
        let (rows, response) = self.responses(state, &kept)?;
        let v = self.given().mechanism().velocity(&state.q, &state.p)?;
        let impulse = least(&rows * &response, &-(&rows * v));
        state.p += rows.transpose() * &impulse;
        let poses = self.model().poses(state.q.as_slice());
        let contacts = self.closed(&state.q, &state.held);
        for (held, contact) in state.held.values_mut().zip(contacts) {
            held.at = poses[contact.second].local(contact.touch.point);
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
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub fn broken(
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
        let m = from.held.len();
        let equations = self.equations(&to.q, &to.p, &to.held)?;
        let u = &equations.rows * &equations.v;
        for (i, (place, held)) in from.held.iter().enumerate() {
            let sign = match held.sliding {
                Some(ContactMode::SlideBack) => -1.0,
                Some(_) => 1.0,
                None => continue,
            };
            if self.friction(place) > 0.0 && sign * u[m + i] < -ROUNDING * u.amax() {
                broken.push(Broken::Sliding(*place));
            }
        }
        if !equations.hold(from.held.values(), &from.modes()) {
            broken.push(Broken::Modes);
        }
        Ok(broken)
    }
}
