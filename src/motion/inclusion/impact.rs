//! What the outcome of an impact makes of a state.

use nalgebra::DVector;

use super::given::Inclusion;
use super::state::{Held, Place, State};
use super::step::{Impact as Unresolved, direction};
use crate::error::Result;
use crate::law::anitescu_potra::ContactMode;
use crate::model::Contact;
use crate::motion::midpoint::{Impact, Outcome};

/// Contact velocities after an impact count as 0 up to this part of the fastest approach ...
const REST: f64 = 1e-6;
/// ... and up to this part of the fastest contact velocity, which is rounding; approaches also up
/// to so many times what laws take for rest.
const ROUNDING: f64 = 1e-12;
const LEFT: f64 = 2.0;

impl Inclusion {
    /// Gives a state the outcome of an impact, and says what happened.
    ///
    /// Contacts that neither approach nor separate after it are closed; s grows by the normal
    /// impulses.
    ///
    /// # Errors
    /// A mass matrix that is not positive definite.
    pub fn strike(
        &self,
        state: &mut State,
        impact: Unresolved,
        outcome: Outcome,
    ) -> Result<Impact> {
        let Unresolved { problem, contacts, collision } = impact;
        let m = contacts.len();
        let before_it = problem.contact_velocity();
        let fastest = (-before_it.rows(0, m).min()).max(0.0);
        let rest = REST * fastest + ROUNDING * before_it.amax();
        let left = rest.max(LEFT * problem.rest_velocity::<f64>());
        let before = state.p.clone();
        let mechanism = self.given().mechanism();
        state.p = mechanism.momentum(&state.q, &outcome.velocity);
        state.arc += outcome.impulse[..m].iter().sum::<f64>();
        let u = problem.jacobian() * DVector::from_column_slice(&outcome.velocity);
        for (i, (place, contact)) in contacts.iter().enumerate() {
            if !(-left..=rest).contains(&u[i]) {
                state.held.remove(place);
            } else {
                let across = if u.len() > m { u[m + i] } else { 0.0 };
                self.close(state, place, contact, across, rest);
            }
        }
        state.arc += self.project(state)?.sum();
        state.chosen = false;
        let (_, contacts): (Vec<Place>, Vec<Contact>) = contacts.into_iter().unzip();
        let when = (state.step, self.time_of(state));
        let momenta = [&before, &state.p];
        let record = Impact::new(mechanism, when, &state.q, momenta, contacts, outcome.impulse);
        Ok(Impact { collision, arc: Some(state.arc), ..record })
    }

    /// Closes a contact whose sliding velocity is `across`; below `rest` that counts as 0.
    pub fn close(
        &self,
        state: &mut State,
        place: &Place,
        contact: &Contact,
        across: f64,
        rest: f64,
    ) {
        let gap = state.held.get(place).map_or(contact.touch.gap, |held| held.gap);
        let sliding = (across.abs() > rest).then_some(direction(across));
        let mode = sliding.unwrap_or(ContactMode::Stick);
        let poses = self.given().mechanism().model.poses(state.q.as_slice());
        let at = poses[contact.second].local(contact.touch.point);
        state.held.insert(*place, Held { gap, at, mode, sliding });
    }

    /// The time of a state, s.
    pub fn time_of(&self, state: &State) -> f64 {
        state.step as f64 * self.given().time_step() + state.within
    }
}
