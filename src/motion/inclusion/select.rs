//! The choice of modes, and impacts without collision where there are none.

use super::flow::Broken;
use super::forces::modes_of;
use super::given::InclusionMotion;
use super::state::{EventState, Held};
use crate::error::{Error, Result};
use crate::law::anitescu_potra::ContactMode;

/// Most combinations of modes that are examined: those of seven contacts at rest.
const MOST: usize = 16_384;
/// Part of a time step for which modes that hold must continue to hold.
const AHEAD: f64 = 1e-5;

impl InclusionMotion {
    /// Sets modes of the closed contacts that hold and continue to hold. Returns `false` where
    /// there are none, and only an impact can follow.
    ///
    /// Among several combinations the one is taken in which the fewest contacts change; among these
    /// the first one, where a contact that is off comes before one that sticks, and that before one
    /// that slides. The inclusion has the other combinations too. A contact that is off is no
    /// longer closed.
    ///
    /// # Errors
    /// Too many closed contacts; a mass matrix that is not positive definite.
    pub fn select(&self, state: &mut EventState) -> Result<bool> {
        state.chosen = true;
        if state.held.is_empty() {
            return Ok(true);
        }
        let choices: Vec<&[ContactMode]> =
            state.held.iter().map(|(place, held)| modes_of(held, self.friction(place))).collect();
        let count = choices.iter().try_fold(1_usize, |count, modes| count.checked_mul(modes.len()));
        let Some(count) = count.filter(|count| *count <= MOST) else {
            let closed = state.held.len();
            return Err(Error::empty(format!(
                "{closed} contacts are closed at once, with more than {MOST} combinations of modes"
            ))
            .hint("take integrator = \"midpoint\""));
        };
        let equations = self.equations(&state.q, &state.p, &state.held)?;
        let present = state.modes();
        let changed = |k: &usize| {
            combination(&choices, *k)
                .iter()
                .zip(&present)
                .filter(|(mode, present)| mode != present)
                .count()
        };
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_cached_key(changed);
        let mut holding = None;
        for k in order {
            let modes = combination(&choices, k);
            if !equations.hold(state.held.values(), &modes) {
                continue;
            }
            let mut chosen = state.clone();
            give(&mut chosen, &modes);
            let ahead = self.flow(&chosen, AHEAD * self.given().time_step())?;
            let before = self.contacts(&chosen.q, &chosen.held);
            // A contact that is released does not approach; so soon only rounding brings it back.
            let let_go = |what: &Broken| matches!(what, Broken::Gap(place) if state.held.contains_key(place));
            if self.broken(&chosen, &before, &ahead)?.iter().all(let_go) {
                *state = chosen;
                return Ok(true);
            }
            holding.get_or_insert(chosen);
        }
        match holding {
            Some(chosen) => *state = chosen,
            None => return Ok(false),
        }
        Ok(true)
    }
}

/// Combination number k of modes.
fn combination(choices: &[&[ContactMode]], mut k: usize) -> Vec<ContactMode> {
    let of = |modes: &&[ContactMode]| {
        let mode = modes[k % modes.len()];
        k /= modes.len();
        mode
    };
    choices.iter().map(of).collect()
}

/// Sets the modes of the closed contacts.
fn give(state: &mut EventState, modes: &[ContactMode]) {
    for (held, mode) in state.held.values_mut().zip(modes) {
        held.mode = *mode;
        if matches!(mode, ContactMode::Slide | ContactMode::SlideBack) {
            held.sliding = Some(*mode);
        }
    }
    state.held.retain(|_, held: &mut Held| held.mode != ContactMode::Off);
}
