//! The rounds in which cones of velocities are split.

use super::fan::Fan;
use super::finder::Landings;
use carom_core::cones::conic::{Stop, stopped};

/// Most rounds in which cones are split, and the rays that a round adds.
const ROUNDS: usize = 30;
const RAYS: usize = 2;
/// Rounds without a better bound after which the search ends: before and after a bound below the
/// conic one is found. An improvement by less than a part of `|c|_{M^-1} |v-|_M` does not count.
const PATIENCE: [usize; 2] = [4, 8];
pub(super) const BETTER: f64 = 1e-5;
/// Cones of all rounds together after which no other round follows, without and with restitution.
pub(super) const MOST_CONES: [usize; 2] = [30_000, 1000];

/// Values that `find` proves on a fan that is split where impulse lands, in search of one below
/// `known` by more than `better`; at most about `most` cones in all rounds together.
pub(super) fn rounds(
    mut fan: Fan,
    known: f64,
    better: f64,
    most: usize,
    stop: &Stop,
    mut find: impl FnMut(&Fan) -> Option<(Option<f64>, Landings)>,
) -> Vec<f64> {
    let (mut found, mut best, mut idle, mut cones) = (Vec::new(), known, 0, 0);
    for _ in 0..ROUNDS {
        if stopped(stop) {
            break;
        }
        let Some((value, landings)) = find(&fan) else { break };
        found.extend(value);
        idle += 1;
        if let Some(value) = value.filter(|value| *value < best - better) {
            (best, idle) = (value, 0);
        }
        cones += fan.cones.len();
        if idle >= PATIENCE[usize::from(best < known)] || cones > most {
            break;
        }
        let mut room = RAYS;
        for (_, parts) in &landings {
            room -= usize::from(room > 0 && fan.insert(parts));
        }
        if room == RAYS {
            break;
        }
    }
    found
}
