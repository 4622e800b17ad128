//! An upper bound from a certificate, by weak duality, in arithmetic that rounds up.

use nalgebra::{DMatrix, DVector};

use super::cone::rise;
use super::rounding::{Sum, up};
use super::whitened::Whitened;
use carom_core::problem::ContactProblem;

/// Upper bound on `c.v+` for every `v+ = v- + M^-1 J' L` with `L` in the friction cones, `|v+|_M <=
/// |v-|_M` and `Jn v+ >= 0`.
///
/// For any velocity `x` that falls along every impulse, `Jn_i x + mu_i |Jt_i x| <= 0` for all
/// contacts, and any `p >= 0` (m)
///
/// ```text
/// c.v+ <= x.M v- + x.J' L + (c - M x + Jn' p).v+  <=  x.M v- + |c - M x + Jn' p|_{M^-1} |v-|_M.
/// ```
///
/// If `x` rises by a little, `x - t r` replaces it, with the smallest `t` that makes it fall; `r`
/// rises along every impulse (see [`pointing`](super::cone::pointing)). All sums are rounded up, so
/// the bound holds however `x`, `p` and `r` were found. Returns the bound, and whether it is
/// proved: false if `x` rises and `r` is missing.
pub fn upper(
    problem: &ContactProblem,
    space: &Whitened,
    c: &[f64],
    x: &DVector<f64>,
    p: &[f64],
    r: Option<&DVector<f64>>,
) -> (f64, bool) {
    let (m, n) = (problem.contact_count(), problem.coordinate_count());
    let (mass, jacobian, v) = (problem.mass(), problem.jacobian(), problem.velocity());
    let (t, falls) = shift(problem, x, r);
    let zero = DVector::zeros(n);
    let r = r.unwrap_or(&zero);

    let mut start = Sum::default();
    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
        start.add(x[i] * mass[(i, j)] * v[j]);
        start.add(-up(t) * r[i] * mass[(i, j)] * v[j]);
    }
    let row = |k: usize| {
        let sum = Sum::of(mass.row(k).iter().zip(x.iter())).and(-c[k]);
        (0..m).fold(sum, |sum, i| sum.and(-jacobian[(i, k)] * p[i].max(0.0)))
    };
    let rows: Vec<Sum> = (0..n).map(row).collect();
    let residual = DVector::from_iterator(n, rows.iter().map(Sum::value));
    let error = DVector::from_iterator(n, rows.iter().map(Sum::error));
    let length = up(dual_length(mass, space, &residual, &error) + up(t * length(mass, r)));
    let bound = up(start.most() + up(length * self::length(mass, v)));
    (bound, falls && bound.is_finite())
}

/// Smallest `t`, rounded up, for which `x - t r` falls along every impulse: `x.J' L <= t r.J' L`;
/// and whether it exists.
pub fn shift(problem: &ContactProblem, x: &DVector<f64>, r: Option<&DVector<f64>>) -> (f64, bool) {
    let mut t: f64 = 0.0;
    if x.amax() == 0.0 {
        return (t, true);
    }
    for i in 0..problem.contact_count() {
        let rises = rise(problem, i, x);
        if rises <= 0.0 {
            continue;
        }
        let falls = r.map_or(0.0, |r| -rise(problem, i, &-r));
        if falls <= 0.0 {
            return (0.0, false);
        }
        t = t.max(up(rises / falls));
    }
    (t, t.is_finite())
}

/// Upper bound on `|v|_M`.
pub fn length(mass: &DMatrix<f64>, v: &DVector<f64>) -> f64 {
    let mut square = Sum::default();
    for (j, column) in mass.column_iter().enumerate() {
        column.iter().zip(v.iter()).for_each(|(mij, vi)| square.add(vi * mij * v[j]));
    }
    up(square.most().max(0.0).sqrt())
}

/// Upper bound on `|w + e|_{M^-1}` for every `e` with `|e_k| <= error_k`.
///
/// `q` near `M^-1 w` gives `|w|_{M^-1} <= |q|_M + |w - M q|_{M^-1}`. The smallest eigenvalue of
/// `M`, with its diagonal scaled to 1, bounds the small residual term.
pub fn dual_length(
    mass: &DMatrix<f64>,
    space: &Whitened,
    w: &DVector<f64>,
    error: &DVector<f64>,
) -> f64 {
    dual_length_within(mass, space, smallest(mass), w, error)
}

/// [`dual_length`] with a precomputed [`smallest`], for many vectors.
pub fn dual_length_within(
    mass: &DMatrix<f64>,
    space: &Whitened,
    smallest: f64,
    w: &DVector<f64>,
    error: &DVector<f64>,
) -> f64 {
    let n = w.len();
    let q = space.solve(w);
    let left = (0..n).map(|k| {
        let sum = Sum::of(mass.row(k).iter().zip(q.iter())).and(-w[k]);
        up(sum.most_absolute() + error[k]) / mass[(k, k)].sqrt()
    });
    let square: f64 = left.map(|x| x * x).sum();
    if smallest <= 0.0 {
        return f64::INFINITY;
    }
    up(length(mass, &q) + up(up((1.0 + n as f64 * f64::EPSILON) * square / smallest).sqrt()))
}

/// Lower bound on the smallest eigenvalue of `M` with its diagonal scaled to 1.
pub fn smallest(mass: &DMatrix<f64>) -> f64 {
    let n = mass.nrows();
    let scaled = DMatrix::from_fn(n, n, |i, j| mass[(i, j)] / (mass[(i, i)] * mass[(j, j)]).sqrt());
    scaled.symmetric_eigenvalues().min() - 1e-14 * (n * n) as f64
}
