//! How far an outcome violates the law, found from the impulses of its rounds alone.

use super::course::{Course, Phase};
use super::equations::Equations;
use crate::problem::ContactProblem;

/// The largest violation of
///
/// ```text
/// M (v+ - v-) = J' L,   pi_n >= 0 and |pi_t| <= mu pi_n in each round,   pi_n = e pi_n of the compression before (expanding)
/// ```
///
/// each over what rounding is measured by: momenta over the sum of the sizes of their parts, impulses over the largest
/// normal impulse of the impact.
pub fn residual(problem: &ContactProblem, course: &Course, velocity: &[f64]) -> f64 {
    let rows = problem.jacobian().nrows();
    let total = |k: usize| course.rounds.iter().map(|round| round.impulse[k]).sum::<f64>();
    let total: Vec<f64> = (0..rows).map(total).collect();
    let mut worst = of_rounds(&Equations::new(problem), course);
    let (mass, jacobian, before) = (problem.mass(), problem.jacobian(), problem.velocity());
    for a in 0..before.len() {
        let (mut off, mut size) = (0.0, 0.0_f64);
        for b in 0..before.len() {
            off += mass[(a, b)] * (velocity[b] - before[b]);
            size += mass[(a, b)].abs() * (velocity[b].abs() + before[b].abs());
        }
        for k in 0..rows {
            off -= jacobian[(k, a)] * total[k];
            size += (jacobian[(k, a)] * total[k]).abs();
        }
        worst = worst.max(if size > 0.0 { off.abs() / size } else { 0.0 });
    }
    worst
}

/// The part of [`residual`] that needs no masses: the largest violation in the impulses of the rounds.
pub fn of_rounds(equations: &Equations<'_>, course: &Course) -> f64 {
    let m = equations.friction.len();
    let mut worst = 0.0_f64;
    let load =
        course.rounds.iter().flat_map(|round| &round.impulse[..m]).fold(0.0_f64, |most, l| most.max(l.abs()));
    let unit = if load > 0.0 { load } else { 1.0 };
    let mut owed = vec![0.0; m];
    for round in &course.rounds {
        for i in 0..m {
            let normal = round.impulse[i];
            let tangent = &round.impulse[equations.tangents(i)];
            let size = tangent.iter().map(|t| t * t).sum::<f64>().sqrt();
            let limit = equations.friction[i] * normal;
            // Friction is as large as the load, or as the limit that it has.
            worst = worst.max((size - limit) / unit.max(size)).max(-normal / unit);
            if round.phases[i] == Phase::Expanding {
                worst = worst.max((normal - owed[i]).abs() / unit);
            }
            owed[i] = round.restitution[i] * normal;
        }
    }
    worst
}
