// A block of impulse: its caps, and what substeps change. Twin: src/law/routh/inclusion/block.rs.

// Draws the caps of a block, and the forces from which the search at contacts that rest starts.
fn draw(stream: Stream, s: ptr<function, Sample>) {
    for (var j = 0u; j < rows(); j++) {
        (*s).x[j] = state[AT_U + j];
    }
    draw_caps(stream, course.block, s);
    let blocks = max(course.block + LENGTHEN_EVERY, LENGTHEN_FIRST);
    let doublings = (blocks - LENGTHEN_FIRST) / LENGTHEN_EVERY;
    let length = course.length * real(f32(1u << min(doublings, DOUBLINGS)));
    for (var i = 0u; i < contacts(); i++) {
        let cap = (*s).x[K + i] * length;
        state[AT_CAPS + i] = cap;
        let rests = cap > ZERO && abs(state[AT_U + i]) <= landing(i);
        state[AT_BEFORE + i] = select(ZERO, state[AT_STORED + i], rests);
        if (rests) {
            // Friction starts from 0, so that the frame of the tangents does not matter.
            let word = stream_block(stream, course.block, PURPOSE_SOLUTION, i).x;
            state[AT_L + i] = 0.5 * real(f32(index_below(word, 3u))) * cap;
            set_sideways(AT_L, i, vec2<real>(ZERO, ZERO));
        }
    }
}

// Goes on to the next substep, or ends the sample. Twin: the beginning of a round of
// Integrator::decide.
fn begin_round(max_steps: u32, s: ptr<function, Sample>) {
    var finite = true;
    for (var j = 0u; j < rows(); j++) {
        finite = finite && is_finite(state[AT_U + j]) && is_finite(state[AT_TOTAL + j]);
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
        if (course.known) {
            begin_plain();
        }
    }
}

// Whether the impact is over at the velocity that its impulse leads to, which replaces the one that
// substeps have added up.
fn stays_over() -> bool {
    if (course.checks == CHECKS) {
        return true;
    }
    course.checks += 1u;
    weigh(AT_TOTAL, AT_U);
    for (var j = 0u; j < rows(); j++) {
        state[AT_U + j] += state[AT_START + j];
    }
    return over();
}

// Empties the reservoirs of contacts that have rested through the block: friction or other contacts
// hold them.
fn forfeit() {
    for (var i = 0u; i < contacts(); i++) {
        let stored = state[AT_STORED + i];
        let before = state[AT_BEFORE + i];
        let rests = abs(state[AT_U + i]) <= landing(i);
        if (before > ZERO && stored > ZERO && rests && stored >= before * HELD_PART) {
            state[AT_STORED + i] = ZERO;
            judge_forfeit(i);
        }
    }
}

// Applies the result of a substep to impulse, reservoirs and velocity.
fn settle(h: real) {
    for (var j = 0u; j < rows(); j++) {
        state[AT_TOTAL + j] += h * state[AT_MEAN + j];
    }
    let parts = select(1u, 2u, course.halves);
    for (var part = 0u; part < parts; part++) {
        let place = select(AT_MEAN, select(AT_SECOND, AT_L, part == 1u), course.halves);
        judge_substep(select(h, 0.5 * h, course.halves), place);
    }
    let approach = approaches(AT_U);
    for (var i = 0u; i < contacts(); i++) {
        let u = state[AT_U + i];
        let e = state[AT_E + i];
        let near = landing(i);
        // A contact that rests up to rounding stores nothing: its work is 0, but its impulse, which
        // counts with Poisson's hypothesis, is not.
        let still = select(ZERO, near, poisson());
        let driven = u <= near && state[AT_NEXT + i] < ZERO - still;
        let compressed = normal_mode_of(i) == FULL && !(poisson() && u >= ZERO - still);
        let before = state[AT_STORED + i];
        if (restituting(i, approach) && !(poisson() && driven)) {
            let rest = left(i, h);
            var stored = rest;
            if (rest > before) {
                stored = before + e * e * (rest - before);
            }
            state[AT_STORED + i] = select(stored, ZERO, rest <= empty(i, state[AT_NEXT + i]));
        } else if (compressed || driven) {
            var gained = ZERO - e * e * h * state[AT_MEAN + i] * state[AT_TRAVEL + i];
            if (poisson()) {
                gained = e * h * state[AT_MEAN + i];
            }
            state[AT_STORED + i] = larger(before + gained, ZERO);
        }
        // A velocity that has come to zero from one side stays there.
        let next = state[AT_NEXT + i];
        if (abs(u) > near && abs(next) <= near && (next - u) * u < ZERO) {
            state[AT_NEXT + i] = ZERO;
        }
    }
    copy_numbers(AT_U, AT_NEXT);
}
