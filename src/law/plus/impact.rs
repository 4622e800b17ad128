//! An impact: rounds of compression and expansion.

use nalgebra::DVector;

use super::course::{Course, End, Interval, Phase, Round, Tangent};
use super::equations::Equations;
use super::interval::{Limits, active_impulse, share};
use super::options::Plus;
use crate::law::outcome::MAX_IMPACTS;

/// Most rounds of an impact: contacts may take turns, and stop each other's approach only in the limit.
pub const MAX_ROUNDS: usize = MAX_IMPACTS;
/// Most intervals of an impact.
pub const MAX_INTERVALS: usize = 100_000;
/// Normal velocities above `-REST max|u-|` do not approach, and impulses that change none by more are none.
const REST: f64 = 1e-10;
/// Contacts roll below this part of `max|u-|`, however small the option is: there rounding makes directions.
const LEAST_TRANSITION: f64 = 1e-9;
/// A share this close to 1 is 1.
const WHOLE: f64 = 1e-8;

/// The course of the impact from contact velocity `u` on, with least coefficients of restitution `least` (m), and the contact
/// velocity at its end.
///
/// Source: \[USD15\] Algorithm 2. Deviations: contacts that do not approach observe, as in Sec. 3b and Table 2, which
/// Algorithm 1 contradicts; an impact ends where a round would change nothing.
/// Guarantee: at most [`MAX_ROUNDS`] rounds and [`MAX_INTERVALS`] intervals.
pub fn impact(
    law: &Plus,
    equations: &Equations<'_>,
    mut u: DVector<f64>,
    least: &[f64],
) -> (Course, DVector<f64>) {
    let m = least.len();
    let size = u.amax();
    let limits = Limits {
        transition: law.v_transition.max(LEAST_TRANSITION * size),
        turn: law.theta_max,
        rest: REST * size,
    };
    let matters = |i: usize, impulse: f64| impulse * equations.effect(i) > limits.rest;
    let (mut rounds, mut count, mut astray) = (Vec::new(), 0, 0);
    // What is left to expand.
    let mut left = vec![0.0; m];
    let end = loop {
        let phase = |i: usize| match (matters(i, left[i]), u[i] < -limits.rest) {
            (true, _) => Phase::Expanding,
            (false, true) => Phase::Compressing,
            (false, false) => Phase::Observing,
        };
        let phases: Vec<Phase> = (0..m).map(phase).collect();
        if phases.iter().all(|&phase| phase == Phase::Observing) {
            break End::Over;
        }
        if rounds.len() == MAX_ROUNDS || count == MAX_INTERVALS {
            break End::Limit;
        }
        let coefficient = |i: usize| match phases[i] {
            Phase::Compressing => law.coefficient(least[i], -u[i]),
            _ => 0.0,
        };
        let restitution: Vec<f64> = (0..m).map(coefficient).collect();
        let (mut intervals, mut sum) = (Vec::new(), DVector::zeros(u.len()));
        loop {
            let (impulse, tangents, found) = active_impulse(equations, &u, &phases, &left, &limits);
            astray += usize::from(!found);
            let change = equations.delassus * &impulse;
            let ends = &u + &change;
            let sliding = (0..m).filter(|&i| tangents[i] == Tangent::Sliding);
            let shares =
                sliding.map(|i| share(equations.tangential(&u, i), equations.tangential(&ends, i), &limits));
            let least = shares.fold(1.0, f64::min);
            let alpha = if least > 1.0 - WHOLE { 1.0 } else { least };
            u.axpy(alpha, &change, 1.0);
            sum.axpy(alpha, &impulse, 1.0);
            left.iter_mut().for_each(|left| *left *= 1.0 - alpha);
            intervals.push(Interval { share: alpha, tangents });
            count += 1;
            if alpha == 1.0 || count == MAX_INTERVALS {
                break;
            }
        }
        if sum.iter().all(|&l| l == 0.0) {
            break End::Stuck;
        }
        for i in 0..m {
            left[i] += restitution[i] * sum[i];
        }
        rounds.push(Round { phases, restitution, impulse: sum.as_slice().to_vec(), intervals });
    };
    (Course { rounds, end, astray }, u)
}
