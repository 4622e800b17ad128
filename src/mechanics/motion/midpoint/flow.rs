use nalgebra::{DMatrix, DVector, Matrix3, Rotation3, Vector3};

use crate::motion::mechanism::{Mechanism, three};

/// Most Newton steps.
const NEWTON: usize = 60;
/// Residual ratio of a Newton step that counts as too slow. The iteration then replaces derivatives
/// of the mass matrix, springs and dampers alone by finite differences of all terms.
const SLOW: f64 = 0.1;
/// Number of Newton steps that share derivatives by differences.
const SHARED: usize = 8;
/// Difference for derivatives, a part of the size of the step.
const DIFFERENCE: f64 = 1e-7;
/// Maximum residual of a solved step, in roundings of its terms. Below it the iteration ends when
/// the residual no longer decreases.
const MOST: f64 = 1e3;

/// Configuration and discrete momentum after time `h` from `q` and `p`; `None` if Newton's method
/// finds no solution.
///
/// ```text
/// Ld(q0, q1) = h L((q0 + q1)/2, (q1 - q0)/h)
/// p0 = -D1 Ld - h f/2 = M(qm) v - h/2 (dL/dq + f)
/// p1 =  D2 Ld + h f/2 = M(qm) v + h/2 (dL/dq + f)
/// ```
///
/// with `qm = (q0 + q1)/2`, `v = (q1 - q0)/h` and forces `f(qm, v)`. Where a joint turns freely,
/// `q0` and `q1` are `qm` turned by `-x` and `x`, `x = h w/2`, with the angular velocity `w`; then,
/// with the rotation `E = exp(x)` and
/// `D = 1 + (1 - cos |x|)/|x|^2 [x] + (|x| - sin |x|)/|x|^3 [x]^2`,
///
/// ```text
/// M(qm) v = D (p0 + E p0 + h (dL/dq + f)) / 2
/// p1 = E (E p0 + h (dL/dq + f))
/// ```
///
/// follow from the variations of `q0` and `q1`, which are turned themselves. Second order,
/// time-reversible; without forces it keeps the symplectic form and the momenta of symmetries.
/// Source: \[SM14\] Sec. VI, (28), (29); forces by the discrete Lagrange-d'Alembert principle with
/// the same midpoint; rotations as in A. I. Bobenko, Y. B. Suris: Discrete Lagrangian reduction,
/// discrete Euler-Poincare equations, and semidirect products. Lett. Math. Phys. 49 (1999) 79-93,
/// with the midpoint in between. Guarantee: the residual of the first equation is at most 1e3
/// roundings of its largest terms, or there is no answer.
pub fn flow(
    mechanism: &Mechanism,
    q: &DVector<f64>,
    p: &DVector<f64>,
    h: f64,
) -> Option<(DVector<f64>, DVector<f64>)> {
    let turning = mechanism.turning();
    let halves = |step: &DVector<f64>| {
        let middle = mechanism.moved(q, step, 0.5);
        let v = step / h;
        let [momentum, slope] = mechanism.derivatives(&middle, &v);
        let push = (slope + mechanism.forces(&middle, &v)) * (0.5 * h);
        let (mut gained, mut from) = (push.clone(), p.clone());
        for &at in &turning {
            let Turn { rotation, mean } = Turn::new(three(step, at) * 0.5);
            set(&mut gained, at, mean * three(&push, at));
            set(&mut from, at, mean * (three(p, at) + rotation * three(p, at)) * 0.5);
        }
        Halves { momentum, push, gained, from }
    };
    // Residual, and rounding error of the terms that cancel in it.
    let residual = |of: &Halves| {
        let size = of.momentum.amax() + of.gained.amax() + of.from.amax();
        (&of.momentum - &of.gained - &of.from, f64::EPSILON * size)
    };
    let mass = mechanism.mass(q);
    let mut slopes = (&mass / h + mechanism.stiffening(h)).lu();
    let guess = mass.cholesky()?.solve(p) * h;
    let mut step = guess.clone();
    let mut parts = halves(&step);
    let (mut off, mut rounding) = residual(&parts);
    let (mut slow, mut shared) = (false, 0);
    for _ in 0..NEWTON {
        if !off.amax().is_finite() {
            return None;
        }
        if off.amax() == 0.0 {
            break;
        }
        if slow && shared == 0 {
            let scale = step.amax().max(h * 1e-3);
            let column = |k: usize| {
                let mut moved = step.clone();
                moved[k] += DIFFERENCE * scale;
                let change = moved[k] - step[k];
                (residual(&halves(&moved)).0 - &off) / change
            };
            let columns: Vec<_> = (0..p.len()).map(column).collect();
            (slopes, shared) = (DMatrix::from_columns(&columns).lu(), SHARED);
        }
        shared = shared.saturating_sub(1);
        let next = &step - slopes.solve(&off)?;
        let there = halves(&next);
        let (left, size) = residual(&there);
        if left.amax() >= off.amax() && off.amax() <= MOST * rounding {
            break;
        }
        if !slow && left.amax() > (SLOW * off.amax()).max(MOST * size) {
            // Restart with all derivatives.
            slow = true;
            step.clone_from(&guess);
            parts = halves(&step);
            (off, rounding) = residual(&parts);
            continue;
        }
        (step, parts, off, rounding) = (next, there, left, size);
    }
    if off.amax() > MOST * rounding {
        return None;
    }
    let mut after = parts.momentum + &parts.push;
    for at in turning {
        let Turn { rotation, .. } = Turn::new(three(&step, at) * 0.5);
        let turned = rotation * three(p, at) + three(&parts.push, at) * 2.0;
        set(&mut after, at, rotation * turned);
    }
    Some((mechanism.moved(q, &step, 1.0), after))
}

/// Terms of the equation of a step.
struct Halves {
    /// `M(qm) v`.
    momentum: DVector<f64>,
    /// `h/2 (dL/dq + f)`, and its product with D.
    push: DVector<f64>,
    gained: DVector<f64>,
    /// `p0`, or `D (p0 + E p0)/2`.
    from: DVector<f64>,
}

/// The rotation E by a vector x, and the mean D of the rotations by parts of x.
struct Turn {
    rotation: Rotation3<f64>,
    mean: Matrix3<f64>,
}

impl Turn {
    fn new(x: Vector3<f64>) -> Self {
        let size = x.norm();
        let half = if size > 0.0 { (0.5 * size).sin() / size } else { 0.5 };
        let a = 2.0 * half * half;
        // Taylor's series where the quotient cancels.
        let b = match size < 1e-2 {
            true => 1.0 / 6.0 - size.powi(2) / 120.0 + size.powi(4) / 5040.0,
            false => (size - size.sin()) / size.powi(3),
        };
        let cross = x.cross_matrix();
        let mean = Matrix3::identity() + cross * a + cross * cross * b;
        Turn { rotation: Rotation3::from_scaled_axis(x), mean }
    }
}

fn set(x: &mut DVector<f64>, at: usize, to: Vector3<f64>) {
    x.fixed_rows_mut::<3>(at).copy_from(&to);
}
