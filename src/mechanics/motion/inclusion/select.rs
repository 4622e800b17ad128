use nalgebra::{DVector, Vector2};

use super::flow::Broken;
use super::forces::ForceEquations;
use super::given::InclusionMotion;
use super::state::{EventState, Held, Mode};
use carom_core::error::{Error, Result};
use carom_core::rng::{Purpose, Stream, stream};

/// Maximum number of mode combinations to examine (seven contacts at rest), and maximum number for
/// an exhaustive search, which allows a random draw (four contacts).
const MOST: usize = 16_384;
const ALL: usize = 256;
/// Fraction of a time step for which chosen modes must continue to hold.
const AHEAD: f64 = 1e-5;

/// Step in the address of a choice among the draws of [`Purpose::Parameter`].
const CHOICE: u32 = 5;

/// Modes, with the forces with which they hold.
type Choice = (Vec<Mode>, DVector<f64>);

impl InclusionMotion {
    /// Sets modes of the closed contacts that hold and continue to hold. Returns `false` if none
    /// exist, so that only an impact can follow.
    ///
    /// In a plane mode combinations are examined in the order of the number of changed contacts; an
    /// open contact precedes a sticking one, and a sticking one precedes a sliding one. Among
    /// combinations with equal accelerations the first one counts. In space the candidates are the
    /// solutions of the circular cones' complementarity problem found by Newton's method. Distinct
    /// accelerations are distinct solutions of the inclusion, and the seed draws one with equal
    /// odds; with more than four contacts at rest in a plane the first one is taken. An open
    /// contact is no longer closed.
    pub(super) fn select(&self, state: &mut EventState) -> Result<bool> {
        state.chosen = true;
        if state.held.is_empty() {
            return Ok(true);
        }
        let v = self.given().mechanism().velocity(&state.q, &state.p)?;
        let equations = self.equations([&state.q, &v], state)?;
        let (choices, all): (Box<dyn Iterator<Item = Choice>>, bool) =
            match self.given().mechanism().tangents() {
                1 => self.combinations(state, &equations)?,
                _ => (Box::new(balanced(&equations, &state.modes()).into_iter()), true),
            };
        let mut lasting: Vec<(EventState, DVector<f64>)> = Vec::new();
        let mut holding = None;
        for (modes, forces) in choices {
            if lasting.iter().any(|(_, other)| equations.coincide(other, &forces)) {
                continue;
            }
            let mut chosen = state.clone();
            give(&mut chosen, &modes);
            if self.lasts(state, &chosen)? {
                lasting.push((chosen, forces));
                if !all {
                    break;
                }
            } else {
                holding.get_or_insert(chosen);
            }
        }
        if lasting.is_empty() {
            let Some(chosen) = holding else { return Ok(false) };
            return self.foresee(state, chosen);
        }
        let mut at = 0;
        if lasting.len() > 1 {
            let draws = Stream::new(self.given().seed(), state.draws);
            let share = f64::from(stream::unit(draws.draw(CHOICE, Purpose::Parameter, 0)));
            at = ((share * lasting.len() as f64) as usize).min(lasting.len() - 1);
        }
        let draws = state.draws + u64::from(lasting.len() > 1);
        *state = EventState { draws, ..lasting.swap_remove(at).0 };
        Ok(true)
    }

    /// Feasible mode combinations in a plane, and whether the search is exhaustive.
    fn combinations<'a>(
        &self,
        state: &EventState,
        equations: &'a ForceEquations,
    ) -> Result<(Box<dyn Iterator<Item = Choice> + 'a>, bool)> {
        let choices: Vec<Vec<Mode>> = (state.held.iter())
            .map(|(place, held)| modes_of(held.mode, self.friction(place)))
            .collect();
        let count = choices.iter().try_fold(1_usize, |count, modes| count.checked_mul(modes.len()));
        let Some(count) = count.filter(|count| *count <= MOST) else {
            let closed = state.held.len();
            return Err(Error::empty(format!(
                "{closed} contacts are closed at once, with more than {MOST} combinations of modes"
            ))
            .hint("take integrator = \"midpoint\""));
        };
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
        let hold = move |k: usize| {
            let modes = combination(&choices, k);
            equations.holding(&present, &modes).map(|forces| (modes, forces))
        };
        Ok((Box::new(order.into_iter().filter_map(hold)), count <= ALL))
    }

    /// Whether modes chosen at `state` continue to hold.
    fn lasts(&self, state: &EventState, chosen: &EventState) -> Result<bool> {
        let ahead = self.flow(chosen, AHEAD * self.given().time_step())?;
        let before = self.contacts(&chosen.q, &chosen.held);
        // A released contact does not approach; so soon only rounding brings it back.
        let let_go =
            |what: &Broken| matches!(what, Broken::Gap(place) if state.held.contains_key(place));
        Ok(self.broken(chosen, &before, &ahead)?.iter().all(let_go))
    }

    /// Accepts modes that hold but do not last; in space the modes that hold a moment later.
    /// Returns `false` if none exist.
    fn foresee(&self, state: &mut EventState, chosen: EventState) -> Result<bool> {
        if self.given().mechanism().tangents() == 1 {
            *state = chosen;
            return Ok(true);
        }
        let ahead = self.flow(&chosen, AHEAD * self.given().time_step())?;
        let v = self.given().mechanism().velocity(&ahead.q, &ahead.p)?;
        let equations = self.equations([&ahead.q, &v], &ahead)?;
        let mut present = ahead.modes();
        for (mode, (place, _)) in present.iter_mut().zip(&ahead.held) {
            // A contact that begins to slide may do so in another direction.
            if state.held.get(place).is_some_and(|held| held.mode == Mode::Stick) {
                *mode = Mode::Stick;
            }
        }
        let Some((modes, _)) = balanced(&equations, &present).into_iter().next() else {
            return Ok(false);
        };
        *state = chosen;
        give(state, &modes);
        Ok(true)
    }
}

/// The solutions with round friction cones.
fn balanced(equations: &ForceEquations, present: &[Mode]) -> Vec<Choice> {
    let choice = |forces: DVector<f64>| (equations.modes(present, &forces), forces);
    equations.balanced(present).into_iter().map(choice).collect()
}

/// The modes that a closed contact in a plane may have.
fn modes_of(present: Mode, mu: f64) -> Vec<Mode> {
    let slide = Mode::Slide(Vector2::x());
    match present {
        _ if mu == 0.0 => vec![Mode::Off, slide],
        Mode::Slide(_) => vec![Mode::Off, present],
        _ => vec![Mode::Off, Mode::Stick, slide, Mode::Slide(-Vector2::x())],
    }
}

/// Combination number k of modes.
fn combination(choices: &[Vec<Mode>], mut k: usize) -> Vec<Mode> {
    let of = |modes: &Vec<Mode>| {
        let mode = modes[k % modes.len()];
        k /= modes.len();
        mode
    };
    choices.iter().map(of).collect()
}

/// Sets the modes of the closed contacts.
fn give(state: &mut EventState, modes: &[Mode]) {
    for (held, mode) in state.held.values_mut().zip(modes) {
        held.mode = *mode;
    }
    state.held.retain(|_, held: &mut Held| held.mode != Mode::Off);
}
