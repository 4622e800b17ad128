// Inelastic impacts with friction at one contact. Twin: single_impact and impact in
// src/law/finite/sequential/single.rs.

// The impulse (ln, lt) of an impact at one contact; w = (W_nn, W_nt, W_tt).
fn single_impact(w: vec3<real>, mu: real, u: vec2<real>) -> vec2<real> {
    if (!(u.x < ZERO && w.x > ZERO)) {
        return vec2<real>(ZERO, ZERO);
    }
    let slope = w.z - w.y * (w.y / w.x);
    var stick = -(u.y - w.y * (u.x / w.x)) / slope;
    if (slope <= FLAT * w.z) {
        stick = ZERO;
    }
    for (var side = ONE; side > -ONE - ONE; side -= ONE + ONE) {
        let denominator = w.x + side * mu * w.y;
        if (denominator > ZERO && side * stick * denominator >= -mu * u.x) {
            let ln = -u.x / denominator;
            return vec2<real>(ln, side * mu * ln);
        }
    }
    return vec2<real>(-(u.x + w.y * stick) / w.x, stick);
}

// Applies the impact at contact i; returns its residual. The kernel calls both twins strike. Twin:
// RandomOrder::impact.
fn strike(i: u32, s: ptr<function, Sample>) -> real {
    let t = M + i;
    let before = vec2<real>((*s).x[i], (*s).x[t]);
    let w = vec3<real>(w_at(i * K + i), w_at(i * K + t), w_at(t * K + t));
    let l = single_impact(w, mu_at(i), before);
    if (l.x > ZERO) {
        for (var j = 0u; j < K; j++) {
            (*s).x[j] += w_at(j * K + i) * l.x;
            (*s).x[j] += w_at(j * K + t) * l.y;
        }
        (*s).x[i] = ZERO;
        (*s).total[i] += l.x;
        (*s).total[t] += l.y;
    }
    let after = before.x + w.x * l.x + w.y * l.y;
    return contact_residual(i, HUGE, l, vec2<real>(after, (*s).x[t]));
}
