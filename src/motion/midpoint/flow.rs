//! Motion between impacts: a step of the midpoint variational integrator.

use nalgebra::{DMatrix, DVector};

use crate::motion::mechanism::Mechanism;

/// Most Newton steps.
const NEWTON: usize = 60;
/// Number of Newton steps that share derivatives.
const REFRESHED: usize = 8;
/// Difference for derivatives, a part of the size of the step.
const DIFFERENCE: f64 = 1e-7;
/// Size of the residual, in roundings of its terms, below which no better one is sought; then the
/// size beyond which the step is not solved.
const ENOUGH: f64 = 16.0;
const MOST: f64 = 1e3;

/// Configuration and discrete momentum after time `h` from `q` and `p`; `None` where the equations
/// have no solution that Newton's method finds.
///
/// ```text
/// Ld(q0, q1) = h L((q0 + q1)/2, (q1 - q0)/h)
/// p0 = -D1 Ld - h f/2 = M(qm) v - h/2 (dL/dq + f)
/// p1 =  D2 Ld + h f/2 = M(qm) v + h/2 (dL/dq + f)
/// ```
///
/// with `qm = (q0 + q1)/2`, `v = (q1 - q0)/h` and forces `f(qm, v)`. Second order, time-reversible;
/// without forces it keeps the symplectic form and the momenta of symmetries. Source: \[SM14\] Sec.
/// VI, (28), (29); forces by the discrete Lagrange-d'Alembert principle with the same midpoint.
/// Guarantee: the residual of the first equation is at most 1e3 roundings of its largest terms, or
/// there is no answer.
pub fn flow(
    mechanism: &Mechanism,
    q: &DVector<f64>,
    p: &DVector<f64>,
    h: f64,
) -> Option<(DVector<f64>, DVector<f64>)> {
    let halves = |step: &DVector<f64>| {
        let middle = q + step * 0.5;
        let v = step / h;
        let push = (mechanism.slope(&middle, &v) + mechanism.forces(&middle, &v)) * (0.5 * h);
        (mechanism.mass(&middle) * v, push)
    };
    // The residual, and the rounding of the terms that cancel in it.
    let residual = |(momentum, push): &(DVector<f64>, DVector<f64>)| {
        let size = momentum.amax() + push.amax() + p.amax();
        (momentum - push - p, f64::EPSILON * size)
    };
    let n = q.len();
    let mut step = mechanism.mass(q).cholesky()?.solve(p) * h;
    let mut parts = halves(&step);
    let (mut off, mut rounding) = residual(&parts);
    let mut slopes = None;
    for number in 0..NEWTON {
        if !off.amax().is_finite() {
            return None;
        }
        if off.amax() == 0.0 {
            break;
        }
        if number % REFRESHED == 0 {
            let scale = step.amax().max(h * 1e-3);
            let column = |k: usize| {
                let mut moved = step.clone();
                moved[k] += DIFFERENCE * scale;
                let change = moved[k] - step[k];
                (residual(&halves(&moved)).0 - &off) / change
            };
            slopes = Some(DMatrix::from_columns(&(0..n).map(column).collect::<Vec<_>>()).lu());
        }
        let next = &step - slopes.as_ref()?.solve(&off)?;
        let there = halves(&next);
        let (left, size) = residual(&there);
        if left.amax() >= off.amax() && off.amax() <= ENOUGH * rounding {
            break;
        }
        (step, parts, off, rounding) = (next, there, left, size);
    }
    if off.amax() > MOST * rounding {
        return None;
    }
    let (momentum, push) = parts;
    Some((q + step, momentum + push))
}
