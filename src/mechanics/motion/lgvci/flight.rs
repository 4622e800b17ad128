//! Free flight: the discrete rigid body between impacts.

use super::algebra::{
    Mat3, Vec3, add, apply, cross, determinant, dot, norm, product, scaled, solve, sub,
};

/// Most iterations of Newton's method.
const ITERATIONS: usize = 60;
/// Minimum part of the homotopy path to a large rotation; the path ends if smaller parts are
/// needed.
const SMALLEST: f64 = 1e-7;

/// Cayley vector `f` of the rotation `F` of a body within a step; `None` if it does not exist.
///
/// `F = I + 2 / (1 + f.f) (S(f) + S(f)^2)` solves `S(a) = F Jd - Jd F'`, `a = tau P`, `Jd = tr(J)/2
/// I - J`, which in `f` reads `a + a x f + (a.f) f - 2 J f = 0`. The result is the solution branch
/// that starts at `F = I` for tau = 0. Source: \[TL24\] Sec. 5.1.2, \[LLM07\] Sec. 3.4. Deviation:
/// no tolerance; Newton's method continues until rounding stops it. Units: `a` in N m s^2 (kg m^2),
/// `J` and `inverse = J^-1` in kg m^2 and its inverse; `f` has none. Guarantee: a solution exists
/// up to about a quarter turn per step (about a principal axis while `|a| <= J`); beyond, the
/// result is `None`. Near this limit the solution is continued from 0 in parts.
pub fn rotation(inertia: &Mat3, inverse: &Mat3, a: Vec3) -> Option<Vec3> {
    // The solution for a small a.
    let guess = scaled(apply(inverse, a), 0.5);
    if let Some((f, _)) = newton(inertia, a, guess)
        && is_principal(inertia, f)
    {
        return Some(f);
    }
    follow(inertia, a)
}

/// Newton's method from `f`, and the sign of the final Jacobian; `None` if it does not converge.
fn newton(inertia: &Mat3, a: Vec3, mut f: Vec3) -> Option<(Vec3, bool)> {
    // Relative changes of f below which rounding will soon dominate, and dominates.
    let (close, rounding) = (f64::EPSILON.sqrt(), f64::EPSILON);
    let mut last = f64::MAX;
    for _ in 0..ITERATIONS {
        let (change, d) = correction(inertia, a, f);
        let size = norm(change);
        if !size.is_finite() {
            return None;
        }
        f = add(f, change);
        let scale = norm(f);
        // Rounding ends the iteration: the change no longer shrinks by much.
        if size <= rounding * scale || (last <= close * scale && last <= size + size) {
            return Some((f, d < 0.0));
        }
        last = size;
    }
    None
}

/// Newton's correction of `f`, and the determinant of the Jacobian `S(a) + (a.f) I + f a' - 2 J` of
/// `a + a x f + (a.f) f - 2 J f`.
fn correction(inertia: &Mat3, a: Vec3, f: Vec3) -> (Vec3, f64) {
    let two = 2.0;
    let along = dot(a, f);
    let carried = add(add(a, cross(a, f)), scaled(f, along));
    let residual = sub(scaled(apply(inertia, f), two), carried);
    let x = sub(scaled(a, f[0]), scaled(inertia[0], two));
    let y = sub(scaled(a, f[1]), scaled(inertia[1], two));
    let z = sub(scaled(a, f[2]), scaled(inertia[2], two));
    let jacobian = [
        [x[0] + along, x[1] - a[2], x[2] + a[1]],
        [y[0] + a[2], y[1] + along, y[2] - a[0]],
        [z[0] - a[1], z[1] + a[0], z[2] + along],
    ];
    solve(&jacobian, residual)
}

/// Whether the solution is the one near `F = I`: `tr(X) I - X` is positive definite, as its leading
/// minors are; `X` is the symmetric part of `F Jd`.
///
/// In that case the derivative of `F Jd - Jd F'` by a rotation of `F` is not singular, so no other
/// solution is met on the way.
fn is_principal(inertia: &Mat3, f: Vec3) -> bool {
    let half = 0.5;
    let trace = (inertia[0][0] + inertia[1][1] + inertia[2][2]) * half;
    let reduced = [
        [trace - inertia[0][0], -inertia[0][1], -inertia[0][2]],
        [-inertia[1][0], trace - inertia[1][1], -inertia[1][2]],
        [-inertia[2][0], -inertia[2][1], trace - inertia[2][2]],
    ];
    let turned = product(&matrix(f), &reduced);
    let x = -(turned[1][2] + turned[2][1]) * half;
    let y = -(turned[0][2] + turned[2][0]) * half;
    let z = -(turned[0][1] + turned[1][0]) * half;
    let rows = [
        [turned[1][1] + turned[2][2], z, y],
        [z, turned[0][0] + turned[2][2], x],
        [y, x, turned[0][0] + turned[1][1]],
    ];
    let minors = [rows[0][0], rows[0][0] * rows[1][1] - z * z, determinant(&rows)];
    minors.iter().all(|minor| *minor > 0.0)
}

/// The solution followed from `a = 0`, in parts over which it changes little and the Jacobian keeps
/// its sign.
fn follow(inertia: &Mat3, a: Vec3) -> Option<Vec3> {
    let (mut done, mut part) = (0.0, 0.125);
    let mut f = [0.0; 3];
    while done < 1.0 {
        let next = f64::min(done + part, 1.0);
        let bound = 0.2 * (1.0 + norm(f));
        match newton(inertia, scaled(a, next), f) {
            Some((found, true)) if norm(sub(found, f)) <= bound => {
                (f, done, part) = (found, next, 1.5 * part);
            }
            _ => part *= 0.5,
        }
        if part < SMALLEST {
            return None;
        }
    }
    Some(f)
}

/// The rotation of a Cayley vector: `I + 2 / (1 + f.f) (S(f) + S(f)^2)`.
pub fn matrix(f: Vec3) -> Mat3 {
    let one = 1.0;
    let square = dot(f, f);
    let factor = 2.0 / (one + square);
    let [x, y, z] = f;
    [
        [one + factor * (x * x - square), factor * (x * y - z), factor * (x * z + y)],
        [factor * (x * y + z), one + factor * (y * y - square), factor * (y * z - x)],
        [factor * (x * z - y), factor * (y * z + x), one + factor * (z * z - square)],
    ]
}
