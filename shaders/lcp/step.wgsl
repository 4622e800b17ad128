// An impulse step of a set-valued impact, dimensionless. Twin: src/core/lcp/step.rs. The kernel
// provides w_at, mu_at and sigma_at.

// Twin: Real::max.
fn larger(a: real, b: real) -> real {
    return select(b, a, a > b);
}

// Twin: Real::min.
fn smaller(a: real, b: real) -> real {
    return select(b, a, a < b);
}

// Twin: Real::clamp.
fn clamped(x: real, low: real, high: real) -> real {
    return smaller(larger(x, low), high);
}

// Whether x is finite, by its bits, because a compiler may assume that arithmetic never produces
// infinity or NaN.
fn is_finite(x: real) -> bool {
    return (bitcast<u32>(f32(x)) & 0x7f800000u) != 0x7f800000u;
}

// Whether x is a number, by its bits, for the same reason; infinity is one.
fn is_number(x: real) -> bool { return (bitcast<u32>(f32(x)) & 0x7fffffffu) <= 0x7f800000u; }

// u+ = u + W L; u are the first K entries of x.
fn advance(
    x: ptr<function, array<real, X>>, l: ptr<function, array<real, K>>,
    u_plus: ptr<function, array<real, K>>,
) {
    for (var i = 0u; i < K; i++) {
        var sum = (*x)[i];
        for (var j = 0u; j < K; j++) {
            sum += w_at(i * K + j) * (*l)[j];
        }
        (*u_plus)[i] = sum;
    }
}

fn clamp_impulse(x: ptr<function, array<real, X>>, l: ptr<function, array<real, K>>) {
    for (var i = 0u; i < M; i++) {
        (*l)[i] = clamped((*l)[i], ZERO, (*x)[K + i]);
        var bound = mu_at(i) * (*l)[i];
        for (var t = M + i * AXES; t < M + (i + 1u) * AXES; t++) {
            (*l)[t] = clamped((*l)[t], -bound, bound);
            bound -= abs((*l)[t]);
        }
    }
}

// The largest violation of the original LCP [HP23] (75) by L and u+; HUGE where a number is not
// finite.
fn residual(
    x: ptr<function, array<real, X>>, l: ptr<function, array<real, K>>,
    u_plus: ptr<function, array<real, K>>,
) -> real {
    var worst = ZERO;
    for (var i = 0u; i < M; i++) {
        if (AXES == 1u) {
            let impulse = vec2<real>((*l)[i], (*l)[M + i]);
            let velocity = vec2<real>((*u_plus)[i], (*u_plus)[M + i]);
            worst = larger(worst, contact_residual(i, (*x)[K + i], impulse, velocity));
        } else {
            worst = larger(worst, faceted_residual(i, (*x)[K + i], l, u_plus));
        }
    }
    return worst;
}

// The largest violation at a planar contact i alone, from its bound, its impulse (ln, lt) and its
// velocity (u+_n, u+_t).
fn contact_residual(i: u32, c: real, l: vec2<real>, u: vec2<real>) -> real {
    let sn = sigma_at(i);
    let st = sigma_at(M + i);
    let un = u.x * sn;
    let ut = u.y * st;
    let s = larger(-un, ZERO);
    let g = abs(ut);
    let a = abs(smaller(s, (c - l.x) / sn));
    let b = abs(smaller(l.x / sn, s + un));
    let p = abs(smaller(larger(l.y, ZERO) / st, ut + g));
    let q = abs(smaller(larger(-l.y, ZERO) / st, g - ut));
    let e = abs(smaller(g, (mu_at(i) * l.x - abs(l.y)) / st));
    // On some devices the smaller of a number and NaN is the number.
    let finite = is_number(c) && is_finite(l.x) && is_finite(l.y) && is_finite(un) && is_finite(ut)
        && is_finite(a) && is_finite(b) && is_finite(p) && is_finite(q) && is_finite(e);
    return select(HUGE, larger(larger(larger(a, b), larger(p, q)), e), finite);
}

// The largest violation at a contact i with facets; L and u+ have the rows of all contacts.
// Twin: StepProblem::contact_residual.
fn faceted_residual(
    i: u32, c: real, l: ptr<function, array<real, K>>, u_plus: ptr<function, array<real, K>>,
) -> real {
    let first = M + i * AXES;
    let sn = sigma_at(i);
    let st = sigma_at(first);
    let ln = (*l)[i];
    let un = (*u_plus)[i] * sn;
    let s = larger(-un, ZERO);
    var g = ZERO;
    var friction = ZERO;
    for (var t = first; t < first + AXES; t++) {
        g = larger(g, abs((*u_plus)[t] * st));
        friction += abs((*l)[t]);
    }
    let a = abs(smaller(s, (c - ln) / sn));
    let b = abs(smaller(ln / sn, s + un));
    let e = abs(smaller(g, (mu_at(i) * ln - friction) / st));
    var finite = is_number(c) && is_finite(ln) && is_finite(friction) && is_finite(un)
        && is_finite(a) && is_finite(b) && is_finite(e);
    var worst = larger(larger(a, b), e);
    for (var t = first; t < first + AXES; t++) {
        let lt = (*l)[t];
        let ut = (*u_plus)[t] * st;
        let p = abs(smaller(larger(lt, ZERO) / st, ut + g));
        let q = abs(smaller(larger(-lt, ZERO) / st, g - ut));
        finite = finite && is_finite(p) && is_finite(q) && is_finite(ut);
        worst = larger(worst, larger(p, q));
    }
    return select(HUGE, worst, finite);
}
