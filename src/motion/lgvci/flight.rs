//! Free flight: the discrete rigid body between impacts.

use super::algebra::{Mat3, Vec3, add, apply, cross, determinant, dot, norm, scaled, solve};
use crate::real::Real;

/// Most iterations of Newton's method.
const ITERATIONS: usize = 60;
/// The path to a large rotation is followed in parts; where parts become smaller than this, it has ended.
const SMALLEST: f64 = 1e-7;

/// The Cayley vector `f` of the rotation `F` by which a body turns within a step; `None` where there is none.
///
/// `F = I + 2 / (1 + f.f) (S(f) + S(f)^2)` solves `S(a) = F Jd - Jd F'`, `a = tau P`, `Jd = tr(J)/2 I - J`, which in `f` reads
/// `a + a x f + (a.f) f - 2 J f = 0`. Of its solutions this is the one that grows out of `F = I` as tau grows from 0.
/// Source: \[TL24\] Sec. 5.1.2, \[LLM07\] Sec. 3.4. Deviation: no tolerance; Newton's method goes on until rounding stops it.
/// Units: `a` in N m s^2 (kg m^2), `J` and `inverse = J^-1` in kg m^2 and its inverse; `f` has none.
/// Guarantee: a solution exists up to about a quarter turn per step (about a principal axis while `|a| <= J`); beyond, the answer
/// is `None`. Near that limit the solution is followed from 0 in parts.
pub fn rotation<T: Real>(inertia: &Mat3<T>, inverse: &Mat3<T>, a: Vec3<T>) -> Option<Vec3<T>> {
    let guess = scaled(apply(inverse, a), T::from_f64(0.5));
    if let Some((f, _)) = newton(inertia, a, guess)
        && is_principal(inertia, f)
    {
        return Some(f);
    }
    follow(inertia, a)
}

/// Newton's method from `f`, and the sign of the Jacobian where it ends; `None` where it does not converge.
fn newton<T: Real>(inertia: &Mat3<T>, a: Vec3<T>, mut f: Vec3<T>) -> Option<(Vec3<T>, bool)> {
    let close = T::from_f64(T::EPSILON.sqrt());
    let rounding = T::from_f64(T::EPSILON);
    let mut last = T::HUGE;
    for _ in 0..ITERATIONS {
        let along = dot(a, f);
        let two = T::from_f64(2.0);
        let carried = add(add(a, cross(a, f)), scaled(f, along));
        let residual = [0, 1, 2].map(|i| two * dot(inertia[i], f) - carried[i]);
        let (change, d) = solve(&jacobian(inertia, a, f, along), residual);
        let size = norm(change);
        if !size.is_finite() {
            return None;
        }
        f = add(f, change);
        let scale = norm(f);
        // Rounding stops it: the change no longer shrinks by much.
        if size <= rounding * scale || (last <= close * scale && size + size >= last) {
            return Some((f, d < T::ZERO));
        }
        last = size;
    }
    None
}

/// The derivative of `a + a x f + (a.f) f - 2 J f` by `f`: `S(a) + (a.f) I + f a' - 2 J`.
fn jacobian<T: Real>(inertia: &Mat3<T>, a: Vec3<T>, f: Vec3<T>, along: T) -> Mat3<T> {
    let skew = [[T::ZERO, -a[2], a[1]], [a[2], T::ZERO, -a[0]], [-a[1], a[0], T::ZERO]];
    let mut m = skew;
    for i in 0..3 {
        for j in 0..3 {
            m[i][j] += f[i] * a[j] - (inertia[i][j] + inertia[i][j]);
        }
        m[i][i] += along;
    }
    m
}

/// Whether the solution is the one near `F = I`: `tr(X) I - X` is positive definite, `X` the symmetric part of `F Jd`.
///
/// With it the derivative of `F Jd - Jd F'` by a rotation of `F` is not singular, so no other solution is met on the way.
fn is_principal<T: Real>(inertia: &Mat3<T>, f: Vec3<T>) -> bool {
    let half = T::from_f64(0.5);
    let trace = (inertia[0][0] + inertia[1][1] + inertia[2][2]) * half;
    let turned = matrix(f);
    let reduced = |i: usize, j: usize| if i == j { trace - inertia[i][j] } else { -inertia[i][j] };
    let entry = |i: usize, j: usize| {
        (0..3).fold(T::ZERO, |sum, k| sum + turned[i][k] * reduced(k, j) + turned[j][k] * reduced(k, i))
            * half
    };
    let all = entry(0, 0) + entry(1, 1) + entry(2, 2);
    let m = |i: usize, j: usize| if i == j { all - entry(i, j) } else { -entry(i, j) };
    let rows = [0, 1, 2].map(|i| [0, 1, 2].map(|j| m(i, j)));
    let minor = rows[0][0] * rows[1][1] - rows[0][1] * rows[0][1];
    rows[0][0] > T::ZERO && minor > T::ZERO && determinant(&rows) > T::ZERO
}

/// The solution followed from `a = 0`, in parts over which it changes little and the Jacobian keeps its sign.
fn follow<T: Real>(inertia: &Mat3<T>, a: Vec3<T>) -> Option<Vec3<T>> {
    let (mut done, mut part) = (0.0, 0.125);
    let mut f = [T::ZERO; 3];
    while done < 1.0 {
        let next = f64::min(done + part, 1.0);
        let bound = T::from_f64(0.2) * (T::ONE + norm(f));
        match newton(inertia, scaled(a, T::from_f64(next)), f) {
            Some((found, true)) if norm([0, 1, 2].map(|i| found[i] - f[i])) <= bound => {
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
pub fn matrix<T: Real>(f: Vec3<T>) -> Mat3<T> {
    let square = dot(f, f);
    let factor = T::from_f64(2.0) / (T::ONE + square);
    let [x, y, z] = f;
    let skew = [[T::ZERO, -z, y], [z, T::ZERO, -x], [-y, x, T::ZERO]];
    [0, 1, 2].map(|i| {
        [0, 1, 2].map(|j| {
            let unit = if i == j { T::ONE } else { T::ZERO };
            unit + factor * (skew[i][j] + f[i] * f[j] - unit * square)
        })
    })
}
