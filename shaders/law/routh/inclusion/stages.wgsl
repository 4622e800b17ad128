// An explicit step of third order, stage by stage. Twin: src/law/routh/inclusion/stages.rs.

// Twin: the beginning of Integrator::stages.
fn begin_stages(h: real) {
    copy_numbers(&state_l, &state_first);
    course.frozen = 0u;
    for (var j = 0u; j < rows(); j++) {
        state_stage[j] = state_u[j] + h * 0.5 * state_onset[j];
    }
    course.next = SECOND;
}

// Continues with the forces of the second stage. Twin: the middle of Integrator::stages.
fn second_stages(h: real) {
    copy_numbers(&state_second, &state_l);
    for (var i = 0u; i < contacts(); i++) {
        state_travel[i] = 2.0 * state_u[i] + 3.0 * state_stage[i];
    }
    for (var j = 0u; j < rows(); j++) {
        state_stage[j] = state_u[j] + h * 0.75 * state_slope[j];
    }
    course.next = THIRD;
}

// Continues with the forces of the third stage. Twin: the end of Integrator::stages.
fn third_stages(h: real) {
    for (var i = 0u; i < contacts(); i++) {
        state_travel[i] = (state_travel[i] + 4.0 * state_stage[i]) * NINTH;
    }
    for (var j = 0u; j < rows(); j++) {
        let a = state_first[j];
        let b = state_second[j];
        let c = state_l[j];
        state_mean[j] = (2.0 * a + 3.0 * b + 4.0 * c) * NINTH;
        state_stage[j] = h * 2.0 * NINTH * ((a - b) + 2.0 * (c - b));
    }
    weigh(&state_mean, &state_next);
    for (var j = 0u; j < rows(); j++) {
        state_next[j] = state_u[j] + h * state_next[j];
    }
    course.error = stages_error();
    course.order = 2u;
    course.next = TRIED;
}

// Prepares the forces at the velocity of the stage, or computes them if the modes determine them;
// returns whether they do. Twin: Integrator::at_stage.
fn at_stage() -> bool {
    if (course.decided) {
        slide_contacts();
        weigh(&state_l, &state_slope);
        course.spent += rows() * rows();
        return true;
    }
    clear_numbers(&state_bias);
    for (var i = 0u; i < contacts(); i++) {
        if (friction_mode_of(i) == SLIDES) {
            let slip = sideways(&state_stage, i);
            let speed = magnitude(slip);
            if (speed > ZERO) {
                let way = vec2<real>(ZERO - slip.x / speed, ZERO - slip.y / speed);
                set_sideways(&state_way, i, way);
            }
        }
    }
    return false;
}

// Sets the friction of contacts that slide at the velocity of the stage. Twin: Integrator::slide.
fn slide_contacts() {
    for (var i = 0u; i < contacts(); i++) {
        var friction = vec2<real>(ZERO, ZERO);
        if (friction_mode_of(i) == SLIDES) {
            if (is_frozen(i)) {
                friction = sideways(&state_first, i);
            } else {
                let slip = sideways(&state_stage, i);
                let speed = magnitude(slip);
                if (speed > ZERO) {
                    friction = slip * (ZERO - state_mu[i] * state_first[i] / speed);
                }
            }
        }
        set_sideways(&state_l, i, friction);
    }
}

// The largest error in the stage, relative to the tolerance. Twin: Integrator::error.
fn stages_error() -> real {
    var worst = ZERO;
    for (var i = 0u; i < contacts(); i++) {
        var allowed = tolerated();
        if (friction_mode_of(i) == SLIDES) {
            allowed = smaller(allowed, 0.1 * magnitude(sideways(&state_u, i)));
        }
        worst = larger(worst, abs(state_stage[i]) / tolerated());
        worst = larger(worst, magnitude(sideways(&state_stage, i)) / allowed);
    }
    return worst;
}
