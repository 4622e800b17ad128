//! Motion between impacts: a step of the midpoint variational integrator.

use nalgebra::{DMatrix, DVector};

use crate::motion::mechanism::Mechanism;

/// Most Newton steps.
const NEWTON: usize = 60;
/// Difference for derivatives, a part of the size of the coordinates.
const DIFFERENCE: f64 = 1e-7;

/// Configuration and discrete momentum after time `h` from `q` and `p`; `None` where the equations have no solution that Newton's method
/// finds.
///
/// ```text
/// Ld(q0, q1) = h L((q0 + q1)/2, (q1 - q0)/h)
/// p0 = -D1 Ld - h f/2 = M(qm) v - h/2 (dL/dq + f),    p1 = D2 Ld + h f/2 = M(qm) v + h/2 (dL/dq + f)
/// ```
///
/// with `qm = (q0 + q1)/2`, `v = (q1 - q0)/h` and forces `f(qm, v)`. Second order, time-reversible; without forces it keeps the
/// symplectic form and the momenta of symmetries.
/// Source: \[SM14\] Sec. VI, (28), (29); forces by the discrete Lagrange-d'Alembert principle with the same midpoint.
/// Guarantee: the residual of the first equation is at rounding, or there is no answer.
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
    let residual = |step: &DVector<f64>| {
        let (momentum, push) = halves(step);
        momentum - push - p
    };
    // What rounding leaves of the terms that cancel.
    let size = |step: &DVector<f64>| {
        let (momentum, push) = halves(step);
        momentum.amax() + push.amax() + p.amax()
    };
    let n = q.len();
    let start = mechanism.mass(q).cholesky()?.solve(p);
    let mut step = start * h;
    let mut off = residual(&step);
    let mut slopes: Option<DMatrix<f64>> = None;
    for number in 0..NEWTON {
        if !off.amax().is_finite() {
            return None;
        }
        let small = 16.0 * f64::EPSILON * size(&step);
        if off.amax() == 0.0 {
            break;
        }
        // The derivatives of the first step serve the next ones, as long as these make progress.
        if number % 8 == 0 {
            let scale = step.amax().max(h * 1e-3);
            let column = |k: usize| {
                let mut moved = step.clone();
                moved[k] += DIFFERENCE * scale;
                let back = moved[k] - step[k];
                (residual(&moved) - &off) / back
            };
            slopes = Some(DMatrix::from_columns(&(0..n).map(column).collect::<Vec<_>>()));
        }
        let change = slopes.clone()?.lu().solve(&off)?;
        let next = &step - change;
        let left = residual(&next);
        let better = left.amax() < off.amax();
        if !better && off.amax() <= small {
            break;
        }
        (step, off) = (next, left);
    }
    if off.amax() > 1e3 * f64::EPSILON * size(&step) {
        return None;
    }
    let (momentum, push) = halves(&step);
    Some((q + step, momentum + push))
}
