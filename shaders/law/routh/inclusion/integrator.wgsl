// The classification of contacts. Twin: src/law/routh/inclusion/integrator.rs.

// Twin: the field poisson of Integrator.
fn poisson() -> bool { return run.poisson == 1u; }

// Size of the normal velocity of contact i below which it counts as zero.
fn landing(i: u32) -> real { return ZERO - rest_at(i) * landing_part(); }

// The content, times W_nn, below which a reservoir counts as empty. Twin: negligible in
// src/law/restitution.rs.
fn negligible(u: real, landing: real, poisson: bool) -> real {
    if (poisson) {
        return larger(EMPTY_PART * abs(u), 0.25 * landing);
    }
    return larger(EMPTY_PART * u * u, 0.25 * landing * landing);
}

// The content below which reservoir i counts as empty at normal velocity u.
fn empty(i: u32, u: real) -> real { return negligible(u, landing(i), poisson()) / w_at(i * K + i); }

// Whether a contact approaches at the contact velocity at `u`.
fn approaches(u: u32) -> bool {
    var approach = false;
    for (var i = 0u; i < contacts(); i++) {
        approach = approach || state[u + i] < rest_at(i);
    }
    return approach;
}

// Whether the impact is over: no contact approaches, and every reservoir is empty.
fn over() -> bool {
    var stored = false;
    for (var i = 0u; i < contacts(); i++) {
        stored = stored || state[AT_STORED + i] != ZERO;
    }
    return !approaches(AT_U) && !stored;
}

// Whether contact i is restituting, unless other contacts hold it.
fn restituting(i: u32, approach: bool) -> bool {
    return state[AT_STORED + i] > ZERO && state[AT_U + i] >= ZERO - landing(i)
        && !(poisson() && approach);
}

// Determines the modes at velocity u. Twin: the beginning of Integrator::grasp.
fn grasp() {
    let approach = approaches(AT_U);
    for (var i = 0u; i < contacts(); i++) {
        let u = state[AT_U + i];
        let near = landing(i);
        var normal = FREE;
        if (state[AT_CAPS + i] <= ZERO) {
            normal = OFF;
        } else if (u < ZERO - near || restituting(i, approach)) {
            normal = FULL;
        } else if (u > near) {
            normal = OFF;
        }
        let slip = sideways(AT_U, i);
        let speed = magnitude(slip);
        var friction_mode = HELD;
        if (normal == OFF || state[AT_MU + i] <= ZERO || state[AT_TOPS + i] <= ZERO) {
            friction_mode = SMOOTH;
        } else if (speed > halt()) {
            friction_mode = SLIDES;
            set_sideways(AT_WAY, i, vec2<real>(ZERO - slip.x / speed, ZERO - slip.y / speed));
        }
        set_normal_mode(i, normal);
        set_friction_mode(i, friction_mode);
    }
    clear_numbers(AT_BIAS);
}

// The impulse that changes a velocity by u. The twin is a closure.
fn stops(w: real, sigma: real, u: real) -> real {
    if (w > ZERO) {
        return u / (w * sigma);
    }
    return ZERO;
}

// The length of a block, over the unit of impulse.
fn block_length() -> real {
    var longest = ZERO;
    for (var i = 0u; i < contacts(); i++) {
        longest = larger(longest, stops(w_at(i * K + i), sigma_at(i), ZERO - state[AT_U + i]));
        if (state[AT_MU + i] > ZERO) {
            let speed = magnitude(sideways(AT_U, i));
            let sliding = stops(state[AT_TOPS + i], sigma_at(tangent(i)), speed);
            longest = larger(longest, sliding * SLIDING);
        }
    }
    return longest;
}
