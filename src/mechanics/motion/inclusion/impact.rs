use nalgebra::{DVector, Vector2};

use super::given::InclusionMotion;
use super::state::{EventState, Held, Mode, TouchPlace};
use crate::model::spatial::Contact;
use crate::motion::course::Impact;
use crate::motion::midpoint::{Strike, StrikeOutcome, impact};
use carom_core::error::Result;

impl InclusionMotion {
    /// Applies the outcome of an impact to a state, and reports the impact.
    ///
    /// Contacts that neither approach nor separate after the impact are closed; s grows by the
    /// normal impulses.
    pub(super) fn strike(
        &self,
        state: &mut EventState,
        hit: Strike,
        outcome: StrikeOutcome,
    ) -> Result<Impact> {
        let rebound = hit.rebound(&outcome.velocity);
        let (m, collision) = (hit.contacts.len(), hit.collision);
        let before = state.p.clone();
        let mechanism = self.given().mechanism();
        let after = DVector::from_column_slice(&outcome.velocity);
        state.p = mechanism.momentum(&state.q, &after);
        state.push(hit.places.iter(), outcome.impulse[..m].iter());
        for (i, (place, contact)) in hit.places.iter().zip(&hit.contacts).enumerate() {
            if rebound.closes(i) {
                let across = self.across(&rebound.u, i, m);
                self.close(state, place, contact, across, rebound.rest);
            } else {
                state.held.remove(place);
            }
        }
        let projected = self.project(state)?;
        state.push_closed(&projected);
        state.chosen = false;
        let when = (state.step, self.time_of(state));
        let momenta = [&before, &state.p];
        let record = impact(mechanism, when, &state.q, momenta, hit, outcome.impulse);
        Ok(Impact { collision, arc: Some(state.arc), ..record })
    }

    /// The tangential part of `u` at contact `i` of m; 0 where `u` has normal parts only.
    pub(super) fn across(&self, u: &DVector<f64>, i: usize, m: usize) -> Vector2<f64> {
        let d = self.given().mechanism().tangents();
        match u.len() > m {
            true => Vector2::from_fn(|a, _| if a < d { u[m + d * i + a] } else { 0.0 }),
            false => Vector2::zeros(),
        }
    }

    /// Closes a contact whose sliding velocity is `across`; a velocity below `rest` counts as 0.
    pub(super) fn close(
        &self,
        state: &mut EventState,
        place: &TouchPlace,
        contact: &Contact,
        across: Vector2<f64>,
        rest: f64,
    ) {
        let gap = state.held.get(place).map_or(contact.touch.gap, |held| held.gap);
        let slides = across.norm() > rest;
        let mode = if slides { Mode::Slide(across.normalize()) } else { Mode::Stick };
        let at = self.given().mechanism().local(&state.q, contact.second, contact.touch.point);
        state.held.insert(*place, Held { gap, at, mode });
    }

    /// The time of a state, s.
    pub fn time_of(&self, state: &EventState) -> f64 {
        state.step as f64 * self.given().time_step() + state.within
    }
}
