// One impulse step of a set-valued impact, dimensionless. Twin: src/lcp/step.rs.
// The kernel provides w_at, mu_at and sigma_at.

fn larger(a: real, b: real) -> real {
    return select(b, a, a > b);
}

fn smaller(a: real, b: real) -> real {
    return select(b, a, a < b);
}

fn clamped(x: real, low: real, high: real) -> real {
    return smaller(larger(x, low), high);
}

// By bits: a compiler may assume that arithmetic never sees infinity or NaN.
fn is_finite(x: real) -> bool {
    return (bitcast<u32>(f32(x)) & 0x7f800000u) != 0x7f800000u;
}

// u+ = u + W L; u are the first K entries of x.
fn advance(x: ptr<function, array<real, X>>, l: ptr<function, array<real, K>>, u_plus: ptr<function, array<real, K>>) {
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
        let bound = mu_at(i) * (*l)[i];
        (*l)[M + i] = clamped((*l)[M + i], -bound, bound);
    }
}

// The largest violation of the original LCP [HP23] (75) by L and u+; HUGE where a number is not finite.
fn residual(x: ptr<function, array<real, X>>, l: ptr<function, array<real, K>>, u_plus: ptr<function, array<real, K>>) -> real {
    var worst = ZERO;
    var finite = true;
    for (var i = 0u; i < M; i++) {
        let sn = sigma_at(i);
        let st = sigma_at(M + i);
        let ln = (*l)[i];
        let lt = (*l)[M + i];
        let un = (*u_plus)[i] * sn;
        let ut = (*u_plus)[M + i] * st;
        let s = larger(-un, ZERO);
        let g = abs(ut);
        let a = abs(smaller(s, ((*x)[K + i] - ln) / sn));
        let b = abs(smaller(ln / sn, s + un));
        let c = abs(smaller(larger(lt, ZERO) / st, ut + g));
        let d = abs(smaller(larger(-lt, ZERO) / st, g - ut));
        let e = abs(smaller(g, (mu_at(i) * ln - abs(lt)) / st));
        finite = finite && is_finite(a) && is_finite(b) && is_finite(c) && is_finite(d) && is_finite(e)
            && is_finite(un) && is_finite(ut);
        worst = larger(larger(larger(worst, a), larger(b, c)), larger(d, e));
    }
    return select(HUGE, worst, finite);
}
