use carom_core::{Real, StepProblem};

/// The impulse `(ln, lt)` of an inelastic impact at one contact with friction: the solution of
///
/// ```text
/// u+ = u + W L,  u+_n = 0,  |lt| <= mu ln,  lt = -mu ln where u+_t > 0,  lt = mu ln where u+_t < 0
/// ```
///
/// for `u_n < 0`, and 0 for `u_n >= 0`. `w` is `[W_nn, W_nt, W_tt]`. In the plane of impulses,
/// `u+_t` grows with `lt` along the line `u+_n = 0`, and the friction cone cuts an interval out of
/// this line (unbounded if `mu |W_nt| >= W_nn`). The unique solution is the point of the interval
/// nearest to the zero of `u+_t`. Guarantee: finite for every `mu >= 0`. If `W` is singular, `u+_t`
/// is 0 on the whole line, and the smallest `|lt|` is taken. Source: \[HP23\] (31) with m = 1.
pub fn single_impact<R: Real>(w: [R; 3], mu: R, u: [R; 2]) -> [R; 2] {
    let [nn, nt, tt] = w;
    if !(u[0] < R::ZERO && nn > R::ZERO) {
        return [R::ZERO; 2];
    }
    let slope = tt - nt * (nt / nn);
    let flat = slope <= R::from_f64(FLAT * R::EPSILON) * tt;
    let stick = if flat { R::ZERO } else { -(u[1] - nt * (u[0] / nn)) / slope };
    // The ends of the interval, lt = mu ln and lt = -mu ln.
    for side in [R::ONE, -R::ONE] {
        let denominator = nn + side * mu * nt;
        if denominator > R::ZERO && side * stick * denominator >= -mu * u[0] {
            let ln = -u[0] / denominator;
            return [ln, side * mu * ln];
        }
    }
    [-(u[0] + nt * stick) / nn, stick]
}

/// Size of the Schur complement `W_tt - W_nt^2 / W_nn`, in roundings of `W_tt`, up to which `W`
/// counts as singular.
pub const FLAT: f64 = 16.0;

/// Applies [`single_impact`] at contact `i` to the contact velocity `u` (2m) and adds its impulse
/// to `total` (2m). Returns the impulse. Sets `u_n` to exactly 0. Does not allocate.
pub fn impact<R: Real>(problem: &StepProblem<R>, i: usize, u: &mut [R], total: &mut [R]) -> [R; 2] {
    let m = problem.contacts;
    let k = 2 * m;
    let (n, t) = (i, m + i);
    let w = [problem.w[n * k + n], problem.w[n * k + t], problem.w[t * k + t]];
    let [ln, lt] = single_impact(w, problem.mu[i], [u[n], u[t]]);
    if ln > R::ZERO {
        for j in 0..k {
            u[j] += problem.w[j * k + n] * ln;
            u[j] += problem.w[j * k + t] * lt;
        }
        u[n] = R::ZERO;
        total[n] += ln;
        total[t] += lt;
    }
    [ln, lt]
}
