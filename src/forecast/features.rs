//! Features of an impact before it happens, for regressions.

use nalgebra::DVector;

use super::frame::{Frame, order, tangents};
use carom_core::event::Event;

/// Number of contacts with individual features.
const CONTACTS: usize = 4;

/// Features of an event; their number depends only on the number n of coordinates:
///
/// - the components (n) of `v-` in the frame, and the logarithm of `|v-|_M`;
/// - for each of the four contacts that approach fastest: the kinetic share
///   `u_n / sqrt(W_nn) / |v-|_M`, and the gap (m) minus the mean gap; for the first two also the
///   kinetic share of the slip, and the direction of `M^-1 Jt' u_t`, its first four components; the
///   last contact fills missing ones;
/// - the mean of the gaps, their range, and their tilt: the first three components of
///   `sum_i (gap_i - mean) M^-1 Jn_i'`. Unknown gaps count as 0.
pub fn features(event: &Event, frame: &Frame) -> Vec<f64> {
    let (problem, v) = (&event.problem, event.problem.velocity());
    let (u, w, order) = (problem.contact_velocity(), problem.delassus(), order(problem));
    let size = (2.0 * problem.kinetic_energy(v.as_slice())).sqrt();
    let contact = |place: usize| order[place.min(order.len() - 1)];
    let gap = event.gap.clone().unwrap_or_else(|| vec![0.0; order.len()]);
    let mean = gap.iter().sum::<f64>() / gap.len() as f64;
    let mut numbers = frame.components(&frame.point(v.as_slice())).as_slice().to_vec();
    numbers.push(size.ln());
    for i in (0..CONTACTS).map(contact) {
        numbers.extend([u[i] / w[(i, i)].sqrt() / size, gap[i] - mean]);
    }
    for i in (0..CONTACTS / 2).map(contact) {
        let share = |row: usize| u[row] * u[row] / w[(row, row)].max(f64::MIN_POSITIVE);
        numbers.push(tangents(problem, i).map(share).sum::<f64>().sqrt() / size);
        let mut slip = DVector::zeros(v.len());
        tangents(problem, i)
            .for_each(|row| slip.axpy(u[row], &problem.response().column(row), 1.0));
        let slip = frame.components(&frame.point(slip.as_slice()));
        let slip = slip.try_normalize(0.0).unwrap_or(slip);
        numbers.extend(padded(&slip, 4));
    }
    let [low, high] = [f64::min, f64::max].map(|of| gap.iter().copied().fold(mean, of));
    numbers.extend([mean, high - low]);
    let mut tilt = DVector::zeros(v.len());
    for (i, gap) in gap.iter().enumerate() {
        tilt.axpy((gap - mean) * size, &problem.response().column(i), 1.0);
    }
    let tilt = frame.components(&frame.point(tilt.as_slice()));
    numbers.extend(padded(&tilt, 3));
    numbers
}

/// First `count` components, padded with 0.
fn padded(components: &DVector<f64>, count: usize) -> impl Iterator<Item = f64> {
    (0..count).map(|k| components.get(k).copied().unwrap_or(0.0))
}
