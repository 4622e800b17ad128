// The inclusion: circular friction cones, restitution, uncertain parameters. Twin:
// src/law/routh/inclusion/process.rs. In Rust a sample runs from beginning to end. Here it is a
// state machine: threads are at different states, but all compute forces, most of the work, at the
// same time. Functions that begin_, end_ or continue something are parts of one function of Rust.

// Entry a of the random numbers of the noise. Twin: disturbance in src/core/draws/numbers.rs.
fn disturbance(stream: Stream, a: u32) -> real {
    let words = stream_block(stream, 2u, PURPOSE_PARAMETER, a);
    return ((unit(words.x) + unit(words.y)) + (unit(words.z) + unit(words.w))) - 2.0;
}

// Draws the parameters of this sample, and sets its velocity before the impact. Twin:
// InclusionState::begin, which calls Numbers::draw.
fn begin_course(stream: Stream, s: ptr<function, Sample>) {
    for (var j = 0u; j < rows(); j++) {
        state_u[j] = (*s).x[j];
        state_total[j] = ZERO;
        state_l[j] = ZERO;
    }
    var first = vec4<u32>();
    var second = vec4<u32>();
    for (var i = 0u; i < contacts(); i++) {
        if (i % 4u == 0u) {
            first = stream_block(stream, 0u, PURPOSE_PARAMETER, i / 4u);
            second = stream_block(stream, 1u, PURPOSE_PARAMETER, i / 4u);
        }
        let mu = PROBLEM_FRICTION + 2u * i;
        let e = PROBLEM_RESTITUTION + 2u * i;
        state_mu[i] = number(mu) + number(mu + 1u) * unit(first[i % 4u]);
        state_e[i] = number(e) + number(e + 1u) * unit(second[i % 4u]);
        state_tops[i] = top(i);
        state_stored[i] = ZERO;
    }
    for (var a = 0u; a < NOISE; a++) {
        let x = disturbance(stream, a);
        for (var j = 0u; j < rows(); j++) {
            state_u[j] += number(PROBLEM_NOISE + j * NOISE + a) * x;
        }
    }
    copy_numbers(&state_start, &state_u);
    judge_begin();
    course.ratio = FIRST_RATIO;
    course.length = ONE;
    if (reach() > ZERO) {
        course.length = block_length() * reach();
    }
    course.next = BLOCK;
}

// Prepares forces; returns whether they are known already. There is no twin: Rust calls the
// functions one after the other.
fn prepare() -> bool {
    if (course.next == GRASPS) {
        grasp();
        return false;
    }
    if (course.next <= THIRD) {
        return at_stage();
    }
    begin_euler(select(0.5 * course.h, course.h, course.next == WHOLE));
    return false;
}

// Continues with known forces. There is no twin: Rust calls the functions one after the other.
fn continue_course() {
    switch (course.next) {
        case GRASPS: { begin_substep(); }
        case SECOND: { second_stages(course.h); }
        case THIRD: { third_stages(course.h); }
        case WHOLE: { whole_implicit(course.h); }
        case EARLY: { early_implicit(course.h); }
        default: { late_implicit(course.h); }
    }
}

// Takes a Newton step, and the computations before and after known forces. Twin: a part of a round
// of Inclusion::compute.
fn advance_course(stream: Stream, max_steps: u32, s: ptr<function, Sample>) {
    if (course.next <= LATE) {
        var found = FOUND;
        if (course.number > 0u || !prepare()) {
            found = solve();
        }
        if (found == PENDING) {
            return;
        }
        course.number = 0u;
        if (found == FOUND) {
            continue_course();
        } else {
            (*s).status = UNSOLVED;
        }
    }
    // Each function has one call, so that all threads that need it execute it together.
    if (course.next == TRIAL) {
        begin_trial(s);
    }
    if (course.next == TRIED) {
        end_trial();
    }
    if (course.next == PLAIN) {
        plain_trial(s);
    }
    if (course.next == SUBSTEP && course.left <= ZERO) {
        forfeit();
        course.block += 1u;
        course.next = BLOCK;
    }
    if (course.next == BLOCK) {
        draw(stream, s);
        course.left = ONE;
        course.wanted = ONE;
        course.known = false;
        course.next = SUBSTEP;
    }
    if (course.next == SUBSTEP) {
        begin_round(max_steps, s);
    }
    if ((*s).status != RUNNING) {
        (*s).residual = f32(judge_end((*s).status == TERMINATED));
    }
}
