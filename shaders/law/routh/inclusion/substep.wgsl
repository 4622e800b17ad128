// A substep of the integration, and its length. Twin: src/law/routh/inclusion/substep.rs.

// The time until the first event: a normal velocity reaches 0, a contact has returned its stored
// impulse or work, or a contact stops sliding.
fn horizon() -> real {
    var soonest = HUGE;
    let approach = waits();
    for (var i = 0u; i < contacts(); i++) {
        let u = state_u[i];
        let a = state_onset[i];
        let c = state_first[i];
        if (abs(u) > landing(i) && ((u > ZERO && a < ZERO) || (u < ZERO && a > ZERO))) {
            soonest = smaller(soonest, ZERO - u / a);
        }
        if (c > ZERO && restituting(i, approach)) {
            let stored = state_stored[i] / c;
            if (poisson()) {
                soonest = smaller(soonest, stored);
            } else {
                soonest = smaller(soonest, first_root(a, u, stored));
            }
        }
        if (friction_mode_of(i) == SLIDES && c > ZERO) {
            let x = sideways(&state_u, i);
            let p = sideways(&state_onset, i);
            let closing = ZERO - (x.x * p.x + x.y * p.y);
            if (closing > ZERO) {
                soonest = smaller(soonest, (x.x * x.x + x.y * x.y) / closing);
            }
        }
    }
    return soonest;
}

// Continues from the forces at the beginning of a substep to its first trial. Twin: the ends of
// Integrator::grasp_once and Integrator::grasp, then the beginning of Integrator::substep.
fn begin_substep() {
    copy_numbers(&state_first, &state_l);
    copy_numbers(&state_onset, &state_slope);
    if (poisson() && !course.waits && presses()) {
        // Nothing is given back until rates are others.
        for (var i = 0u; i < contacts(); i++) {
            state_before[i] = ZERO;
        }
        course.waits = true;
        course.next = GRASPS;
        return;
    }
    if (is_plain()) {
        begin_plain();
        return;
    }
    let soonest = horizon();
    course.h = smaller(smaller(course.left, course.wanted), soonest);
    course.straight = straight();
    course.settles = settling();
    course.stops = soonest <= STOPS * course.settles;
    course.trials = 0u;
    course.next = TRIAL;
}

// Counts a trial; returns whether it is allowed. After too many trials Rust cuts the block; here
// the host solves the sample. Twin: the loop heads of Integrator::substep and of
// Inclusion::compute.
fn tries(s: ptr<function, Sample>) -> bool {
    if (real(course.spent) > budget()) {
        (*s).status = OVER_BUDGET;
        return false;
    }
    if (course.trials == MAX_TRIALS) {
        (*s).status = UNSOLVED;
        return false;
    }
    course.trials += 1u;
    return true;
}

// Starts a trial. Twin: the beginning of a round of Integrator::substep.
fn begin_trial(s: ptr<function, Sample>) {
    if (!tries(s)) {
        return;
    }
    let h = course.h;
    course.halves = !course.straight && h > course.settles
        && (course.stops || h > PART * course.settles);
    if (course.straight) {
        go_straight(h);
    } else if (course.halves) {
        begin_implicit();
    } else {
        course.h = smaller(h, course.settles);
        begin_stages(course.h);
    }
}

// Accepts a trial, or starts a shorter one. Twin: the end of a round of Integrator::substep.
fn end_trial() {
    let h = course.h;
    let error = course.error;
    let size = sqrt(larger(error, 1e-4));
    var growth = 0.9 / size;
    if (course.order > 1u) {
        growth = 0.9 / sqrt(size);
    }
    course.next = TRIAL;
    if (error > ONE || !is_finite(error)) {
        course.h = h * clamped(growth, 0.1, 0.5);
        course.wanted = course.h;
        return;
    }
    let shorter = overshoot(h);
    if (shorter < h) {
        course.h = shorter;
        return;
    }
    var most = HUGE;
    if (course.order > 0u) {
        most = h * larger(growth, ONE);
    }
    course.wanted = larger(course.wanted, most);
    if (course.order == 1u && h <= PART * course.settles) {
        course.ratio = ONE;
    }
    if (course.order > 1u) {
        course.ratio = smaller(course.ratio, ONE);
    }
    course.known = false;
    course.left -= h;
    settle(h);
    course.next = SUBSTEP;
}

// Whether forces are constant: no contact slides, or the problem is planar.
fn straight() -> bool {
    var slides = false;
    for (var i = 0u; i < contacts(); i++) {
        slides = slides || friction_mode_of(i) == SLIDES;
    }
    return AXES == 1u || !slides;
}

// The shortest time in which its own friction would stop a contact.
fn settling() -> real {
    var soonest = HUGE;
    for (var i = 0u; i < contacts(); i++) {
        let slows = state_mu[i] * state_first[i] * state_tops[i];
        if (friction_mode_of(i) == SLIDES && slows > ZERO) {
            soonest = smaller(soonest, magnitude(sideways(&state_u, i)) / slows);
        }
    }
    return soonest;
}

// A step with the forces of the first stage.
fn go_straight(h: real) {
    copy_numbers(&state_mean, &state_first);
    for (var j = 0u; j < rows(); j++) {
        state_next[j] = state_u[j] + h * state_onset[j];
    }
    for (var i = 0u; i < contacts(); i++) {
        state_travel[i] = 0.5 * (state_u[i] + state_next[i]);
    }
    course.error = ZERO;
    course.order = 0u;
    course.next = TRIED;
}

// A smaller step if the velocity after the step is past the end of a phase, else h.
fn overshoot(h: real) -> real {
    var shorter = h;
    let approach = waits();
    for (var i = 0u; i < contacts(); i++) {
        let before = state_u[i];
        let after = state_next[i];
        let near = landing(i);
        let down = before > near && after < ZERO - near;
        let up = before < ZERO - near && after > near;
        if (down || up) {
            shorter = smaller(shorter, h * (before / (before - after)));
        }
        if (restituting(i, approach)) {
            let stored = state_stored[i];
            let rest = left(i, h);
            if (rest < ZERO - empty(i, after)) {
                shorter = smaller(shorter, h * (stored / (stored - rest)));
            }
        }
    }
    return shorter;
}

// Stored impulse or work of contact i after a restitution substep.
fn left(i: u32, h: real) -> real {
    let given = select(state_travel[i], ONE, poisson());
    return state_stored[i] - h * state_mean[i] * given;
}
