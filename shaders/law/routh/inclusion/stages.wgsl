// An explicit step of third order, stage by stage. Twin: src/law/routh/inclusion/stages.rs.

// Twin: the beginning of Integrator::stages.
fn begin_stages(h: real) {
    copy_numbers(AT_L, AT_FIRST);
    course.frozen = 0u;
    for (var j = 0u; j < rows(); j++) {
        state[AT_STAGE + j] = state[AT_U + j] + h * 0.5 * state[AT_ONSET + j];
    }
    course.next = SECOND;
}

// Goes on from the forces of the second stage. Twin: the middle of Integrator::stages.
fn second_stages(h: real) {
    copy_numbers(AT_SECOND, AT_L);
    for (var i = 0u; i < contacts(); i++) {
        state[AT_TRAVEL + i] = 2.0 * state[AT_U + i] + 3.0 * state[AT_STAGE + i];
    }
    for (var j = 0u; j < rows(); j++) {
        state[AT_STAGE + j] = state[AT_U + j] + h * 0.75 * state[AT_SLOPE + j];
    }
    course.next = THIRD;
}

// Goes on from the forces of the third stage. Twin: the end of Integrator::stages.
fn third_stages(h: real) {
    for (var i = 0u; i < contacts(); i++) {
        state[AT_TRAVEL + i] = (state[AT_TRAVEL + i] + 4.0 * state[AT_STAGE + i]) * NINTH;
    }
    for (var j = 0u; j < rows(); j++) {
        let a = state[AT_FIRST + j];
        let b = state[AT_SECOND + j];
        let c = state[AT_L + j];
        state[AT_MEAN + j] = (2.0 * a + 3.0 * b + 4.0 * c) * NINTH;
        state[AT_STAGE + j] = h * 2.0 * NINTH * ((a - b) + 2.0 * (c - b));
    }
    weigh(AT_MEAN, AT_NEXT);
    for (var j = 0u; j < rows(); j++) {
        state[AT_NEXT + j] = state[AT_U + j] + h * state[AT_NEXT + j];
    }
    course.error = stages_error();
    course.order = 2u;
    course.next = TRIED;
}

// Prepares the forces at the velocity of the stage, or computes them where the modes determine
// them; returns whether they do. Twin: Integrator::at_stage.
fn at_stage() -> bool {
    if (course.decided) {
        slide_contacts();
        weigh(AT_L, AT_SLOPE);
        course.spent += rows() * rows();
        return true;
    }
    clear_numbers(AT_BIAS);
    for (var i = 0u; i < contacts(); i++) {
        if (friction_mode_of(i) == SLIDES) {
            let slip = sideways(AT_STAGE, i);
            let speed = magnitude(slip);
            if (speed > ZERO) {
                set_sideways(AT_WAY, i, vec2<real>(ZERO - slip.x / speed, ZERO - slip.y / speed));
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
                friction = sideways(AT_FIRST, i);
            } else {
                let slip = sideways(AT_STAGE, i);
                let speed = magnitude(slip);
                if (speed > ZERO) {
                    friction = slip * (ZERO - state[AT_MU + i] * state[AT_FIRST + i] / speed);
                }
            }
        }
        set_sideways(AT_L, i, friction);
    }
}

// The largest error in the stage, relative to the tolerance. Twin: Integrator::error.
fn stages_error() -> real {
    var worst = ZERO;
    for (var i = 0u; i < contacts(); i++) {
        var allowed = tolerated();
        if (friction_mode_of(i) == SLIDES) {
            allowed = smaller(allowed, 0.1 * magnitude(sideways(AT_U, i)));
        }
        worst = larger(worst, abs(state[AT_STAGE + i]) / tolerated());
        worst = larger(worst, magnitude(sideways(AT_STAGE, i)) / allowed);
    }
    return worst;
}
