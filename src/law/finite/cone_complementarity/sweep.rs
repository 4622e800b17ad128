//! Nonsmooth Gauss-Seidel: each contact in turn is solved alone, with the impulses of the others
//! fixed.

use std::f64::consts::TAU;

use nalgebra::{DVector, Matrix3, Vector2, Vector3};

use carom_core::cones::space::ConeSpace;

/// Number of directions of friction that bracket the solution.
const DIRECTIONS: usize = 24;

/// Improves an impulse by `sweeps` sweeps over the contacts. After each visit of a contact, the law
/// holds at that contact.
///
/// Source: \[J99\]. Deviation: a contact is solved exactly, by [`single`]. Convergence is not
/// proved.
pub fn sweep(space: &ConeSpace, l: &mut DVector<f64>, sweeps: usize) {
    let mut u = space.after(l);
    let blocks: Vec<Matrix3<f64>> = (0..space.contacts()).map(|i| block(space, i)).collect();
    for _ in 0..sweeps {
        let mut moved: f64 = 0.0;
        for (i, block) in blocks.iter().enumerate() {
            let before = space.part(l, i);
            let after = single(block, space.mu[i], space.part(&u, i) - block * before);
            for (a, row) in space.rows(i).enumerate() {
                let change = after[a] - before[a];
                u.axpy(change, &space.w.column(row), 1.0);
                moved = moved.max(change.abs());
            }
            space.set_part(l, i, after);
        }
        if moved <= 1e-14 * l.amax() {
            break;
        }
    }
}

/// The diagonal block of `W` of contact `i`.
fn block(space: &ConeSpace, i: usize) -> Matrix3<f64> {
    let mut block = Matrix3::zeros();
    for (a, row) in space.rows(i).enumerate() {
        space.rows(i).enumerate().for_each(|(b, column)| block[(a, b)] = space.w[(row, column)]);
    }
    block
}

/// The impulse at one contact alone, with velocity `q` before it:
///
/// ```text
/// u = q + W l,  0 <= ln _|_ u_n >= 0,  |lt| <= mu ln,  lt = -mu ln e where u_t = |u_t| e.
/// ```
///
/// No impulse if `q_n >= 0`. Otherwise the sticking impulse, if it lies in the cone; otherwise a
/// sliding impulse, with `u_n = 0` and `u_t` along `e`:
///
/// ```text
/// ln(e) = -q_n / (W_nn - mu W_nt.e),    (q_t + ln(e) (W_tn - mu W_tt e)) x e = 0,
/// ```
///
/// with `e` by bisection between neighbours of [`DIRECTIONS`] directions. If no such `e` is found,
/// the frictionless impulse.
pub fn single(w: &Matrix3<f64>, mu: f64, q: Vector3<f64>) -> Vector3<f64> {
    if q[0] >= 0.0 || w[(0, 0)] <= 0.0 {
        return Vector3::zeros();
    }
    let smooth = Vector3::new(-q[0] / w[(0, 0)], 0.0, 0.0);
    if mu == 0.0 {
        return smooth;
    }
    if let Ok(inverse) = w.pseudo_inverse(1e-12 * w.amax()) {
        let stick = -(inverse * q);
        if stick[1].hypot(stick[2]) <= mu * stick[0] && (q + w * stick).amax() <= 1e-12 * q.amax() {
            return stick;
        }
    }
    // The impulse that slides along e, with the components of u_t across e and along e.
    let slide = |angle: f64| {
        let e = Vector2::new(angle.cos(), angle.sin());
        let gain = w[(0, 0)] - mu * (w[(0, 1)] * e[0] + w[(0, 2)] * e[1]);
        let ln = -q[0] / gain;
        let l = Vector3::new(ln, -mu * ln * e[0], -mu * ln * e[1]);
        let u = q + w * l;
        (gain > 0.0).then_some((l, u[1] * e[1] - u[2] * e[0], u[1] * e[0] + u[2] * e[1]))
    };
    // A planar contact slides in one of two directions.
    if w[(2, 2)] == 0.0 && q[2] == 0.0 {
        let ways = [0.0, TAU / 2.0].into_iter().filter_map(slide);
        return ways.max_by(|a, b| a.2.total_cmp(&b.2)).map_or(smooth, |(l, ..)| l);
    }
    let mut low = (0.0, slide(0.0));
    let mut found: Option<(Vector3<f64>, f64)> = None;
    for k in 1..=DIRECTIONS {
        let angle = k as f64 * TAU / DIRECTIONS as f64;
        let high = (angle, slide(angle));
        if let ((from, Some((_, a, _))), (to, Some((_, b, _)))) = (low, high)
            && (a <= 0.0) != (b <= 0.0)
        {
            let (mut from, mut to) = (from, to);
            for _ in 0..52 {
                let middle = 0.5 * (from + to);
                match slide(middle) {
                    Some((_, x, _)) if (x <= 0.0) == (a <= 0.0) => from = middle,
                    _ => to = middle,
                }
            }
            let along =
                slide(from).filter(|(_, _, along)| found.is_none_or(|(_, best)| *along > best));
            found = along.map(|(l, _, along)| (l, along)).or(found);
        }
        low = high;
    }
    found.map_or(smooth, |(l, _)| l)
}
