//! An interval: the impulse for given contact modes, the published active set, and the length of an
//! interval.

use nalgebra::DVector;

use super::{Conditions, ContactPhase, IntervalLimits, IntervalStart, TangentMode};

/// Smallest fraction of the remaining round that a change of direction may enforce.
const SHORTEST: f64 = 1e-4;
/// Relative tolerance of equal violations: mirror-symmetric contacts change together.
const TIE: f64 = 1e-9;
/// Relative violation, over the largest velocity change, up to which an impulse satisfies the
/// conditions.
pub const MET: f64 = 1e-8;

/// The impulse and tangential modes of an interval that lasts to the end of the round.
#[derive(Clone, Debug)]
pub struct Found {
    /// The impulse ((1+d) m).
    pub impulse: DVector<f64>,
    /// The tangential mode of each contact (m).
    pub tangents: Vec<TangentMode>,
    /// The largest violation of the conditions of the interval, over `max|u-|`.
    pub violation: f64,
    /// Whether the impulse satisfies the conditions. If a contact compresses or expands, zero
    /// impulse does not.
    pub fits: bool,
}

impl Found {
    /// The interval with this impulse and the contact modes `tangents`. An infinite or NaN impulse
    /// becomes 0, and does not fit.
    pub fn new(
        start: &IntervalStart<'_>,
        impulse: DVector<f64>,
        tangents: Vec<TangentMode>,
    ) -> Self {
        if !impulse.iter().all(|l| l.is_finite()) {
            let impulse = DVector::zeros(impulse.len());
            return Found { violation: f64::INFINITY, fits: false, impulse, tangents };
        }
        let conditions = Conditions::new(start, &impulse, &tangents);
        let (violation, some) = (conditions.largest(), impulse.iter().any(|&l| l != 0.0));
        let fits = some && violation <= MET * conditions.change() + start.limits.rest;
        Found { violation: violation / start.limits.size, fits, impulse, tangents }
    }
}

/// The interval with the contact modes `tangents`.
pub fn found(start: &IntervalStart<'_>, tangents: Vec<TangentMode>) -> Found {
    Found::new(start, start.impulse(&tangents), tangents)
}

/// The interval with the published active set.
///
/// Every contact acts unless it observes. Contacts with a tangential velocity of at least
/// `transition` slide, others roll. While a rolling contact leaves its friction cone or a
/// compressing one pulls, the contact with the largest violation changes: from rolling to impending
/// slip, otherwise to inactive. Source: \[USD15\] Algorithm 1. Deviation: contacts with equal
/// violations change together, so that a symmetric problem keeps its symmetry and the order of the
/// contacts does not matter. Guarantee: at most 2 m changes.
pub fn published(start: &IntervalStart<'_>) -> Found {
    let (equations, mu) = (start.equations, start.equations.friction);
    let mut tangents: Vec<TangentMode> = (0..mu.len()).map(|i| start.at_first(i)).collect();
    loop {
        let impulse = start.impulse(&tangents);
        // The violation by a contact's impulse, if it changes a velocity.
        let violation = |i: usize| {
            if matches!(tangents[i], TangentMode::Observing | TangentMode::Inactive) {
                return 0.0;
            }
            let pull = if start.phases[i] == ContactPhase::Compressing { -impulse[i] } else { 0.0 };
            let rolls = tangents[i] == TangentMode::Rolling;
            let slip = if rolls { start.speed(&impulse, i) - mu[i] * impulse[i] } else { 0.0 };
            let change = (pull * equations.effect(i)).max(slip * equations.tangential_effect(i));
            if change > start.limits.rest { pull.max(slip) } else { 0.0 }
        };
        let worst = (0..mu.len()).map(violation).fold(0.0, f64::max);
        if worst == 0.0 || equations.limits.is_over() {
            return found(start, tangents);
        }
        let changing: Vec<usize> =
            (0..mu.len()).filter(|&i| violation(i) >= (1.0 - TIE) * worst).collect();
        for i in changing {
            tangents[i] = match tangents[i] {
                TangentMode::Rolling => TangentMode::Impending,
                _ => TangentMode::Inactive,
            };
        }
    }
}

/// The largest fraction of the change of the tangential velocity of a sliding contact from `v` to
/// `end`: up to the smallest speed, if this is below `transition`, else up to a change of direction
/// of `turn`.
///
/// Source: \[USD15\] (2.13), (2.14), solved for the positive `alpha` by sines and cosines.
pub fn share(v: [f64; 2], end: [f64; 2], limits: &IntervalLimits) -> f64 {
    let [x, y] = v;
    let [dx, dy] = [end[0] - x, end[1] - y];
    if end[0].hypot(end[1]) < limits.transition {
        return 1.0;
    }
    let (square, along) = (x * x + y * y, x * dx + y * dy);
    let across = (x * dy - y * dx).abs();
    let nearest = (-along / (dx * dx + dy * dy)).clamp(0.0, 1.0);
    if (x + nearest * dx).hypot(y + nearest * dy) < limits.transition {
        return nearest;
    }
    if across.atan2(square + along) <= limits.turn {
        return 1.0;
    }
    let (sin, cos) = limits.turn.sin_cos();
    (sin * square / (cos * across - sin * along)).clamp(SHORTEST, 1.0)
}
