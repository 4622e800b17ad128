//! The forces of all combinations of modes, for devices that do not solve linear systems.

pub use super::maps::MODES;
use super::maps::{Maps, Mode};
use carom_core::{Real, StepProblem};

/// Largest number of contacts whose combinations of modes are all tabulated: 16 807 combinations of
/// 100 numbers each.
pub const MOST_TABULATED: usize = 5;

/// The maps of all `7^m` combinations of modes, one after the other: the map of number
/// `sum_i 7^i mode_i` is as in [`Maps`], column by column (4m for each of the m caps). Where a
/// combination has no forces its first number is [`Real::HUGE`].
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
