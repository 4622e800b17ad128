// The classification of contacts. Twin: src/law/routh/inclusion/integrator.rs.

// Twin: the field poisson of Integrator.
fn poisson() -> bool { return run.poisson == 1u; }

// Normal speed of contact i below which it counts as zero.
fn landing(i: u32) -> real { return ZERO - rest_at(i) * landing_part(); }

// Stored impulse or work, times W_nn, that counts as zero. Twin: negligible in
// src/law/sampling/restitution.rs.
fn negligible(u: real, landing: real, poisson: bool) -> real {
    if (poisson) {
        return larger(EMPTY_PART * abs(u), 0.25 * landing);
    }
    return larger(EMPTY_PART * u * u, 0.25 * landing * landing);
}

// Stored impulse or work of contact i that counts as zero at normal velocity u.
fn empty(i: u32, u: real) -> real { return negligible(u, landing(i), poisson()) / w_at(i * K + i); }

// Whether a contact approaches at contact velocity u.
fn approaches(u: ptr<private, array<real, K>>) -> bool {
    var approach = false;
    for (var i = 0u; i < contacts(); i++) {
        approach = approach || (*u)[i] < rest_at(i);
    }
    return approach;
}

// Whether the impact is over: no contact approaches, and nothing is stored.
fn over() -> bool {
    var stored = false;
    for (var i = 0u; i < contacts(); i++) {
        stored = stored || state_stored[i] != ZERO;
    }
    return !approaches(&state_u) && !stored;
}

// Whether contact i is restituting, unless other contacts hold it.
fn restituting(i: u32, approach: bool) -> bool {
    return state_stored[i] > ZERO && state_u[i] >= ZERO - landing(i)
        && !(poisson() && approach);
}

// Whether, with Poisson's hypothesis, restitution must wait: a contact approaches, or would.
fn waits() -> bool { return course.waits || approaches(&state_u); }

// Whether, with Poisson's hypothesis, restitution would make another contact approach within the
// block. A contact held below its impulse bound stays, up to rounding errors.
fn presses() -> bool {
    let approach = approaches(&state_u);
    var gives = false;
    var yields = false;
    for (var i = 0u; i < contacts(); i++) {
        let u = state_u[i];
        let near = landing(i);
        gives = gives || (state_first[i] > ZERO && restituting(i, approach));
        yields = yields || (abs(u) <= near && state_first[i] >= state_caps[i]
            && u + course.left * state_onset[i] < ZERO - near);
    }
    return gives && yields;
}

// Determines the modes at velocity u. Twin: the beginning of Integrator::grasp_once.
fn grasp() {
    let approach = waits();
    for (var i = 0u; i < contacts(); i++) {
        let u = state_u[i];
        let near = landing(i);
        var normal = FREE;
        if (state_caps[i] <= ZERO) {
            normal = OFF;
        } else if (u < ZERO - near || restituting(i, approach)) {
            normal = FULL;
        } else if (u > near) {
            normal = OFF;
        }
        let slip = sideways(&state_u, i);
        let speed = magnitude(slip);
        var friction_mode = HELD;
        if (normal == OFF || state_mu[i] <= ZERO || state_tops[i] <= ZERO) {
            friction_mode = SMOOTH;
        } else if (speed > halt()) {
            friction_mode = SLIDES;
            set_sideways(&state_way, i, vec2<real>(ZERO - slip.x / speed, ZERO - slip.y / speed));
        }
        set_normal_mode(i, normal);
        set_friction_mode(i, friction_mode);
    }
    clear_numbers(&state_bias);
}

// The impulse that changes a velocity by u. The twin is a closure.
fn stops(w: real, sigma: real, u: real) -> real {
    if (w > ZERO) {
        return u / (w * sigma);
    }
    return ZERO;
}

// The length of a block, in units of impulse.
fn block_length() -> real {
    var longest = ZERO;
    for (var i = 0u; i < contacts(); i++) {
        longest = larger(longest, stops(w_at(i * K + i), sigma_at(i), ZERO - state_u[i]));
        if (state_mu[i] > ZERO) {
            let speed = magnitude(sideways(&state_u, i));
            let sliding = stops(state_tops[i], sigma_at(tangent(i)), speed);
            longest = larger(longest, sliding * SLIDING);
        }
    }
    return longest;
}
