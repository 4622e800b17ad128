// Implicit Euler steps, where sliding is stiff. Twin: src/law/routh/inclusion/implicit.rs.

// Prepares the forces of an implicit step of length h. Twin: the beginning of Integrator::euler.
fn begin_euler(h: real) {
    for (var i = 0u; i < contacts(); i++) {
        let speed = state[AT_STAGE + i];
        state[AT_BIAS + i] = select(ZERO, speed / h, abs(speed) > landing(i));
        let slip = sideways(AT_STAGE, i);
        var bias = vec2<real>(ZERO, ZERO);
        if (magnitude(slip) > halt()) {
            bias = vec2<real>(slip.x / h, slip.y / h);
        }
        set_sideways(AT_BIAS, i, bias);
    }
}

// Twin: the end of Integrator::euler.
fn end_euler(h: real) {
    for (var j = 0u; j < rows(); j++) {
        state[AT_STAGE + j] += h * state[AT_SLOPE + j];
    }
}

// Twin: the beginning of Integrator::implicit.
fn begin_implicit() {
    for (var i = 0u; i < contacts(); i++) {
        if (friction_mode_of(i) == SLIDES) {
            set_friction_mode(i, HELD);
        }
    }
    copy_numbers(AT_L, AT_FIRST);
    copy_numbers(AT_STAGE, AT_U);
    course.next = WHOLE;
}

// Goes on from the step of the whole length. Twin: a part of Integrator::implicit.
fn whole_implicit(h: real) {
    end_euler(h);
    copy_numbers(AT_NEXT, AT_STAGE);
    copy_numbers(AT_STAGE, AT_U);
    course.next = EARLY;
}

// Goes on from the first half. Twin: a part of Integrator::implicit.
fn early_implicit(h: real) {
    end_euler(0.5 * h);
    copy_numbers(AT_SECOND, AT_L);
    for (var i = 0u; i < contacts(); i++) {
        state[AT_TURNED + i] = turned(sideways(AT_U, i), sideways(AT_STAGE, i));
        state[AT_TRAVEL + i] = 0.25 * (state[AT_U + i] + 2.0 * state[AT_STAGE + i]);
    }
    course.next = LATE;
}

// Goes on from the second half. Twin: the end of Integrator::implicit.
fn late_implicit(h: real) {
    end_euler(0.5 * h);
    var error = ZERO;
    for (var j = 0u; j < rows(); j++) {
        error = larger(error, abs(state[AT_NEXT + j] - state[AT_STAGE + j]));
    }
    for (var i = 0u; i < contacts(); i++) {
        // Where the contact stops, all steps agree, whether it should stop or not.
        if (magnitude(sideways(AT_STAGE, i)) <= halt() && friction_mode_of(i) == HELD) {
            error = larger(error, 0.5 * state[AT_TURNED + i]);
        }
    }
    copy_numbers(AT_NEXT, AT_STAGE);
    for (var j = 0u; j < rows(); j++) {
        state[AT_MEAN + j] = 0.5 * (state[AT_SECOND + j] + state[AT_L + j]);
    }
    for (var i = 0u; i < contacts(); i++) {
        state[AT_TRAVEL + i] += 0.25 * state[AT_NEXT + i];
    }
    mark_sliding();
    course.error = error / tolerated();
    course.order = 1u;
    course.next = TRIED;
}

// By how much sliding turns from u to v, times its speed; the whole speed where sliding stops.
fn turned(u: vec2<real>, v: vec2<real>) -> real {
    let before = magnitude(u);
    let after = magnitude(v);
    if (before <= halt()) {
        return ZERO;
    }
    if (after <= halt()) {
        return before;
    }
    let part = before / after;
    return magnitude(vec2<real>(u.x - part * v.x, u.y - part * v.y));
}

// Records which contacts slide at velocity u.
fn mark_sliding() {
    for (var i = 0u; i < contacts(); i++) {
        if (friction_mode_of(i) == HELD && magnitude(sideways(AT_U, i)) > halt()) {
            set_friction_mode(i, SLIDES);
        }
    }
}
