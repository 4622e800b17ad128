//! An interval: which contacts get an impulse, which of them roll, and how far the interval goes.

use nalgebra::DVector;

use super::course::{Phase, Tangent};
use super::equations::{Acting, Equations, Friction, Load};
use super::slip::impending;

/// The shortest share of the way to the end of a round that a change of direction may enforce.
const SHORTEST: f64 = 1e-4;
/// Violations this close, relative, are the same: contacts that mirror each other change together.
const TIE: f64 = 1e-9;

/// Velocities and angles that tell the states of contacts apart.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Contacts slide from this tangential speed on, m/s.
    pub transition: f64,
    /// The largest change of direction in an interval, rad.
    pub turn: f64,
    /// Normal velocities below this are 0, m/s.
    pub rest: f64,
}

/// The impulse of an interval that went on to the end of the round ((1+d) m), what each contact does (m), and whether the directions of
/// impending slip were found.
///
/// Every contact that is not observing acts; one whose tangential velocity is at least `transition` slides, others roll.
/// While a rolling contact leaves its friction cone or a compressing one pulls, the worst of them changes: from rolling to
/// impending slip, or else to inactive.
/// Source: \[USD15\] Algorithm 1. Deviation: contacts whose violations are equal change together, so that a symmetric problem
/// keeps its symmetry and the order of the contacts does not matter.
/// Guarantee: at most 2 m changes.
pub fn active_impulse(
    equations: &Equations<'_>,
    u: &DVector<f64>,
    phases: &[Phase],
    left: &[f64],
    limits: &Limits,
) -> (DVector<f64>, Vec<Tangent>, bool) {
    let mu = equations.friction;
    let speed = |x: &DVector<f64>, i: usize| {
        let [x, y] = equations.tangential(x, i);
        x.hypot(y)
    };
    let at_first = |i: usize| match phases[i] {
        Phase::Observing => Tangent::Observing,
        _ if mu[i] == 0.0 => Tangent::Frictionless,
        _ if speed(u, i) >= limits.transition => Tangent::Sliding,
        _ => Tangent::Rolling,
    };
    let mut tangents: Vec<Tangent> = (0..mu.len()).map(at_first).collect();
    loop {
        let idle = |tangent: Tangent| matches!(tangent, Tangent::Observing | Tangent::Inactive);
        let active: Vec<usize> = (0..mu.len()).filter(|&i| !idle(tangents[i])).collect();
        let act = |&i: &usize| Acting {
            contact: i,
            load: if phases[i] == Phase::Compressing { Load::Stops } else { Load::Given(left[i]) },
            friction: match tangents[i] {
                Tangent::Rolling | Tangent::Impending => Friction::Held(0.0),
                Tangent::Sliding => Friction::Along(equations.tangential(u, i).map(|x| x / speed(u, i))),
                _ => Friction::Along([0.0; 2]),
            },
        };
        let mut acting: Vec<Acting> = active.iter().map(act).collect();
        let slipping: Vec<usize> =
            (0..active.len()).filter(|&place| tangents[active[place]] == Tangent::Impending).collect();
        let (impulse, found) = match slipping.is_empty() {
            true => (equations.impulse(u, &acting), true),
            false => impending(equations, u, &mut acting, &slipping),
        };
        // How much the impulse of a contact is wrong, where that changes a velocity.
        let violation = |i: usize| {
            let pull = if phases[i] == Phase::Compressing { -impulse[i] } else { 0.0 };
            let slip =
                if tangents[i] == Tangent::Rolling { speed(&impulse, i) - mu[i] * impulse[i] } else { 0.0 };
            let change = (pull * equations.effect(i)).max(slip * equations.tangential_effect(i));
            if change > limits.rest { pull.max(slip) } else { 0.0 }
        };
        let worst = active.iter().map(|&i| violation(i)).fold(0.0, f64::max);
        if worst == 0.0 {
            return (impulse, tangents, found);
        }
        let changing: Vec<usize> =
            active.iter().copied().filter(|&i| violation(i) >= (1.0 - TIE) * worst).collect();
        for i in changing {
            tangents[i] = match tangents[i] {
                Tangent::Rolling => Tangent::Impending,
                _ => Tangent::Inactive,
            };
        }
    }
}

/// The share of the way on which tangential velocity `v` goes to `end` that a sliding contact allows: to the point of least
/// speed, where that is below `transition`, else up to a change of direction of `turn`.
///
/// Source: \[USD15\] (2.13), (2.14), solved for the positive `alpha` by sines and cosines.
pub fn share(v: [f64; 2], end: [f64; 2], limits: &Limits) -> f64 {
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
