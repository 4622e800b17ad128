//! The forces of all combinations of modes, for devices that solve no linear systems.

pub use super::maps::MODES;
use super::maps::{Maps, Mode};
use carom_core::{Real, StepProblem};

/// Largest number of contacts with a table of all combinations of modes: 16 807 combinations of 100
/// numbers each.
pub const MOST_TABULATED: usize = 5;

/// The linear maps of all `7^m` combinations of modes, in order: map number `sum_i 7^i mode_i` is
/// as in [`Maps`], column by column (4m for each of the m impulse bounds). The first number of a
/// combination without forces is [`Real::HUGE`].
pub fn tabulate<R: Real>(step: &StepProblem<R>) -> Vec<R> {
    let m = step.contacts;
    let size = 4 * m * m;
    let mut maps = Maps::new(m);
    let mut modes = vec![Mode::Off; m];
    let combinations = MODES.pow(m as u32);
    let mut numbers = Vec::with_capacity(combinations * size);
    for number in 0..combinations {
        let mut rest = number;
        for mode in &mut modes {
            *mode = Mode::ALL[rest % MODES];
            rest /= MODES;
        }
        match maps.of::<0>(step, &modes) {
            Some((map, _)) => numbers.extend_from_slice(map),
            None => {
                numbers.push(R::HUGE);
                numbers.resize((number + 1) * size, R::ZERO);
            }
        }
    }
    numbers
}
