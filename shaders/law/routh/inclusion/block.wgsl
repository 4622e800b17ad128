// An interval of constant rates: impulse bounds, and changes by substeps. Twin:
// src/law/routh/inclusion/block.rs.

// Draws the impulse bounds of a block, and the initial forces of the search at contacts at rest.
fn draw(stream: Stream, s: ptr<function, Sample>) {
    for (var j = 0u; j < rows(); j++) {
        (*s).x[j] = state_u[j];
    }
    draw_caps(stream, course.block, s);
    let blocks = max(course.block + LENGTHEN_EVERY, LENGTHEN_FIRST);
    let doublings = (blocks - LENGTHEN_FIRST) / LENGTHEN_EVERY;
    let length = course.length * real(f32(1u << min(doublings, DOUBLINGS)));
    // With Poisson's hypothesis a contact at rest gives nothing back while others approach.
    let approach = poisson() && approaches(&state_u);
    for (var i = 0u; i < contacts(); i++) {
        let cap = (*s).x[K + i] * length;
        state_caps[i] = cap;
        let rests = cap > ZERO && abs(state_u[i]) <= landing(i);
        state_before[i] = select(ZERO, state_stored[i], rests && !approach);
        if (rests) {
            // Friction starts from 0, so that the frame of the tangents does not matter.
            let word = stream_block(stream, course.block, PURPOSE_SOLUTION, i).x;
            state_l[i] = 0.5 * real(f32(index_below(word, 3u))) * cap;
            set_sideways(&state_l, i, vec2<real>(ZERO, ZERO));
        }
    }
}

// Continues with the next substep, or ends the sample. Twin: the beginning of a round of
// Integrator::decide.
fn begin_round(max_steps: u32, s: ptr<function, Sample>) {
    var finite = true;
    for (var j = 0u; j < rows(); j++) {
        finite = finite && is_finite(state_u[j]) && is_finite(state_total[j]);
    }
    if (!finite) {
        (*s).status = NOT_FINITE;
    } else if (over() && stays_over()) {
        (*s).status = TERMINATED;
    } else if ((*s).steps == max_steps) {
        (*s).status = STEP_LIMIT;
    } else {
        (*s).steps += 1u;
        course.next = GRASPS;
        course.waits = false;
        if (course.known) {
            begin_plain();
        }
    }
}

// Recomputes the velocity from the total impulse, which replaces the sum over substeps; returns
// whether the impact is over at it.
fn stays_over() -> bool {
    if (course.checks == CHECKS) {
        return true;
    }
    course.checks += 1u;
    weigh(&state_total, &state_u);
    for (var j = 0u; j < rows(); j++) {
        state_u[j] += state_start[j];
    }
    return over();
}

// Clears the stored impulse of contacts that have rested throughout the block: friction or other
// contacts hold them.
fn forfeit() {
    for (var i = 0u; i < contacts(); i++) {
        let stored = state_stored[i];
        let before = state_before[i];
        let rests = abs(state_u[i]) <= landing(i);
        if (before > ZERO && stored > ZERO && rests && stored >= before * HELD_PART) {
            state_stored[i] = ZERO;
            judge_forfeit(i);
        }
    }
}

// Adds the result of a substep to impulse, stored impulse and velocity.
fn settle(h: real) {
    for (var j = 0u; j < rows(); j++) {
        state_total[j] += h * state_mean[j];
    }
    let parts = select(1u, 2u, course.halves);
    for (var part = 0u; part < parts; part++) {
        for (var j = 0u; j < rows(); j++) {
            let half = select(state_second[j], state_l[j], part == 1u);
            state_force[j] = select(state_mean[j], half, course.halves);
        }
        judge_substep(select(h, 0.5 * h, course.halves), &state_force);
    }
    let approach = waits();
    for (var i = 0u; i < contacts(); i++) {
        let u = state_u[i];
        let e = state_e[i];
        let near = landing(i);
        // A contact at rest up to rounding errors stores no work, but with Poisson's hypothesis it
        // stores its impulse.
        let still = select(ZERO, near, poisson());
        let driven = u <= near && state_next[i] < ZERO - still;
        let compressed = normal_mode_of(i) == FULL && !(poisson() && u >= ZERO - still);
        let before = state_stored[i];
        if (restituting(i, approach) && !(poisson() && driven)) {
            let rest = left(i, h);
            var stored = rest;
            if (rest > before) {
                stored = before + e * e * (rest - before);
            }
            state_stored[i] = select(stored, ZERO, rest <= empty(i, state_next[i]));
        } else if (compressed || driven) {
            var gained = ZERO - e * e * h * state_mean[i] * state_travel[i];
            if (poisson()) {
                gained = e * h * state_mean[i];
            }
            state_stored[i] = larger(before + gained, ZERO);
        }
        // A velocity that has come to zero from one side stays there.
        let next = state_next[i];
        if (abs(u) > near && abs(next) <= near && (next - u) * u < ZERO) {
            state_next[i] = ZERO;
        }
    }
    copy_numbers(&state_u, &state_next);
}
