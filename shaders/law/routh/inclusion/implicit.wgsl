// Implicit Euler steps, for stiff sliding. Twin: src/law/routh/inclusion/implicit.rs.

// Prepares the forces of an implicit step of length h. Twin: the beginning of Integrator::euler.
fn begin_euler(h: real) {
    for (var i = 0u; i < contacts(); i++) {
        let speed = state_stage[i];
        state_bias[i] = select(ZERO, speed / h, abs(speed) > landing(i));
        let slip = sideways(&state_stage, i);
        var bias = vec2<real>(ZERO, ZERO);
        if (magnitude(slip) > halt()) {
            bias = vec2<real>(slip.x / h, slip.y / h);
        }
        set_sideways(&state_bias, i, bias);
    }
}

// Twin: the end of Integrator::euler.
fn end_euler(h: real) {
    for (var j = 0u; j < rows(); j++) {
        state_stage[j] += h * state_slope[j];
    }
}

// Twin: the beginning of Integrator::implicit.
fn begin_implicit() {
    for (var i = 0u; i < contacts(); i++) {
        if (friction_mode_of(i) == SLIDES) {
            set_friction_mode(i, HELD);
        }
    }
    copy_numbers(&state_l, &state_first);
    copy_numbers(&state_stage, &state_u);
    course.next = WHOLE;
}

// Continues after the step of the whole length. Twin: a part of Integrator::implicit.
fn whole_implicit(h: real) {
    end_euler(h);
    copy_numbers(&state_next, &state_stage);
    copy_numbers(&state_stage, &state_u);
    course.next = EARLY;
}

// Continues after the first half. Twin: a part of Integrator::implicit.
fn early_implicit(h: real) {
    end_euler(0.5 * h);
    copy_numbers(&state_second, &state_l);
    for (var i = 0u; i < contacts(); i++) {
        state_turned[i] = turned(sideways(&state_u, i), sideways(&state_stage, i));
        state_travel[i] = 0.25 * (state_u[i] + 2.0 * state_stage[i]);
    }
    course.next = LATE;
}

// Continues after the second half. Twin: the end of Integrator::implicit.
fn late_implicit(h: real) {
    end_euler(0.5 * h);
    var error = ZERO;
    for (var j = 0u; j < rows(); j++) {
        error = larger(error, abs(state_next[j] - state_stage[j]));
    }
    for (var i = 0u; i < contacts(); i++) {
        // If the contact stops, all steps agree, even if it should not stop.
        if (magnitude(sideways(&state_stage, i)) <= halt() && friction_mode_of(i) == HELD) {
            error = larger(error, 0.5 * state_turned[i]);
        }
    }
    copy_numbers(&state_next, &state_stage);
    for (var j = 0u; j < rows(); j++) {
        state_mean[j] = 0.5 * (state_second[j] + state_l[j]);
    }
    for (var i = 0u; i < contacts(); i++) {
        state_travel[i] += 0.25 * state_next[i];
    }
    mark_sliding();
    course.error = error / tolerated();
    course.order = 1u;
    course.next = TRIED;
}

// Change of direction from sliding velocity u to v, times the speed; the whole speed if sliding
// stops.
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

// Records the contacts that slide at velocity u.
fn mark_sliding() {
    for (var i = 0u; i < contacts(); i++) {
        if (friction_mode_of(i) == HELD && magnitude(sideways(&state_u, i)) > halt()) {
            set_friction_mode(i, SLIDES);
        }
    }
}
