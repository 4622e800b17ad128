use nalgebra::DVector;

use super::active_set::active_set;
use super::interval::share;
use super::{
    ContactPhase, Found, IntervalEquations, IntervalLimits, IntervalStart, Phases, Plus,
    PlusCourse, PlusEnd, Round, RoundInterval, TangentMode,
};
use carom_core::outcome::listed::MAX_IMPACTS;

/// Limit of rounds per impact: alternating contacts may stop each other's approach only in the
/// limit.
pub const MAX_ROUNDS: usize = MAX_IMPACTS;
/// Limit of intervals per impact.
pub const MAX_INTERVALS: usize = 100_000;
/// Speed over `max|u-|` below which a normal velocity counts as 0, and an impulse as without
/// effect.
const REST: f64 = 1e-10;
/// Smallest value of the tangential speed of sliding, over `max|u-|`, for any option: below it
/// rounding decides directions.
const LEAST_TRANSITION: f64 = 1e-9;
/// Limit of intervals whose conditions no active set satisfies; each costs all its sweeps.
pub const MAX_ASTRAY: usize = 100;
/// Change of velocity over `max|u-|` with which an interval is unsatisfied and ends the impact.
pub const GROWN: f64 = 1e12;
/// Violation of an interval, over `max|u-|`, above which it counts as unsatisfied.
const ASTRAY: f64 = 1e-8;
/// Distance of a fraction from 1 within which it counts as 1.
const WHOLE: f64 = 1e-8;

/// The course of the impact from contact velocity `u`, with least coefficients of restitution
/// `least` (m), and the contact velocity at its end.
///
/// Source: \[USD15\] Algorithm 2. Deviations: contacts that do not approach observe, as in Sec. 3b
/// and Table 2, which Algorithm 1 contradicts; an impact ends if a round would change nothing.
/// Guarantee: at most [`MAX_ROUNDS`] rounds and [`MAX_INTERVALS`] intervals; ends after
/// [`MAX_ASTRAY`] intervals that violate their conditions, or before an interval that changes a
/// velocity by more than [`GROWN`].
pub fn impact(
    law: &Plus,
    equations: &IntervalEquations<'_>,
    mut u: DVector<f64>,
    least: &[f64],
) -> (PlusCourse, DVector<f64>) {
    let m = least.len();
    let size = u.amax();
    let limits = IntervalLimits {
        transition: law.v_transition.max(LEAST_TRANSITION * size),
        turn: law.theta_max,
        rest: REST * size,
        size: if size > 0.0 { size } else { 1.0 },
    };
    let over = |count: usize, astray: usize| count == MAX_INTERVALS || astray >= MAX_ASTRAY;
    let matters = |i: usize, impulse: f64| impulse * equations.effect(i) > limits.rest;
    let (mut rounds, mut count, mut astray, mut violation) = (Vec::<Round>::new(), 0, 0, 0.0_f64);
    // The remaining normal impulse of expansion.
    let mut left = vec![0.0; m];
    let end = loop {
        let approaches = |i: usize| u[i] < -limits.rest;
        let compresses = |i: usize| match law.phases {
            Phases::Rounds => approaches(i),
            Phases::Once => rounds.is_empty() && (0..m).any(approaches),
        };
        let phase = |i: usize| match (matters(i, left[i]), compresses(i)) {
            (true, _) => ContactPhase::Expanding,
            (false, true) => ContactPhase::Compressing,
            (false, false) => ContactPhase::Observing,
        };
        let phases: Vec<ContactPhase> = (0..m).map(phase).collect();
        if phases.iter().all(|&phase| phase == ContactPhase::Observing) {
            // Contacts may approach at the end only with one compression and one expansion.
            break if (0..m).any(approaches) { PlusEnd::Limit } else { PlusEnd::Over };
        }
        if equations.limits.is_over() {
            break PlusEnd::Budget;
        }
        if rounds.len() == MAX_ROUNDS || over(count, astray) {
            break PlusEnd::Limit;
        }
        let coefficient = |i: usize| match (phases[i], law.phases) {
            (ContactPhase::Compressing, Phases::Rounds) => law.coefficient(least[i], -u[i]),
            (ContactPhase::Compressing, Phases::Once) => {
                law.coefficient(least[i], -u.rows(0, m).min())
            }
            _ => 0.0,
        };
        let restitution: Vec<f64> = (0..m).map(coefficient).collect();
        let (mut intervals, mut sum) = (Vec::new(), DVector::zeros(u.len()));
        let mut grown;
        loop {
            let start =
                IntervalStart { equations, u: &u, phases: &phases, left: &left, limits: &limits };
            let found = active_set(&start);
            let change = equations.delassus * &found.impulse;
            grown = !change.iter().all(|x| x.abs() <= GROWN * limits.size);
            if equations.limits.is_over() || grown {
                break;
            }
            astray += usize::from(!found.fits && found.violation > ASTRAY);
            violation = violation.max(found.violation);
            let Found { impulse, tangents, .. } = found;
            let ends = &u + &change;
            let jams = tangents.contains(&TangentMode::Jammed);
            let sliding = (0..m)
                .filter(|&i| matches!(tangents[i], TangentMode::Sliding | TangentMode::Jammed));
            let shares = sliding.map(|i| {
                share(equations.tangential(&u, i), equations.tangential(&ends, i), &limits)
            });
            let least = shares.fold(1.0, f64::min);
            let alpha = if least > 1.0 - WHOLE { 1.0 } else { least };
            u.axpy(alpha, &change, 1.0);
            sum.axpy(alpha, &impulse, 1.0);
            left.iter_mut().for_each(|left| *left *= 1.0 - alpha);
            let impulse = (impulse * alpha).as_slice().to_vec();
            let velocity = u.as_slice().to_vec();
            intervals.push(RoundInterval { share: alpha, tangents, impulse, velocity });
            count += 1;
            // After jamming the round continues: contacts that have stopped sliding roll.
            if alpha == 1.0 && !jams || over(count, astray) {
                break;
            }
        }
        if equations.limits.is_over() && intervals.is_empty() {
            break PlusEnd::Budget;
        }
        if grown && intervals.is_empty() {
            break PlusEnd::Limit;
        }
        if sum.iter().all(|&l| l == 0.0) {
            break PlusEnd::Stuck;
        }
        for i in 0..m {
            left[i] += restitution[i] * sum[i];
        }
        rounds.push(Round { phases, restitution, impulse: sum.as_slice().to_vec(), intervals });
        if grown {
            break PlusEnd::Limit;
        }
    };
    (PlusCourse { rounds, end, astray, violation }, u)
}
