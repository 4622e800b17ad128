// The inclusion: circular friction cones, restitution, uncertain numbers. Twin: src/law/inclusion/block.rs.
// In Rust a sample runs from beginning to end. Here `advance_course` does the same operations stage by stage: a sample
// is a state machine with four states in which friction forces are computed. Each thread is in a state of its own, but
// all compute forces, most of the work, at the same time. What precedes the forces and what follows them are two
// functions, begin_* and end_*. Loop bounds come from the run: unrolled loops take drivers long to compile and lavapipe
// longer to run.

// Draws the numbers of this sample, and sets its velocity before the impact.
// Twin: InclusionState::begin, which calls Numbers::draw.
fn begin_course(stream: Stream, s: ptr<function, Sample>) -> Course {
    var first = vec4<u32>();
    var second = vec4<u32>();
    for (var i = 0u; i < run.contacts; i++) {
        if (i % 4u == 0u) {
            first = stream_block(stream, 0u, PURPOSE_PARAMETER, i / 4u);
            second = stream_block(stream, 1u, PURPOSE_PARAMETER, i / 4u);
        }
        let mu = PROBLEM_FRICTION + 2u * i;
        let e = PROBLEM_RESTITUTION + 2u * i;
        set_number(AT_MU + i, number(mu) + number(mu + 1u) * unit(first[i % 4u]));
        set_number(AT_E + i, number(e) + number(e + 1u) * unit(second[i % 4u]));
        set_number(AT_STORED + i, ZERO);
        set_mark(i, 0u);
    }
    for (var a = 0u; a < NOISE; a++) {
        let words = stream_block(stream, 2u, PURPOSE_PARAMETER, a);
        let sum = (unit(words.x) + unit(words.y)) + (unit(words.z) + unit(words.w));
        let x = sum - 2.0;
        for (var j = 0u; j < run.rows; j++) {
            (*s).x[j] += number(PROBLEM_NOISE + j * NOISE + a) * x;
        }
    }
    for (var j = 0u; j < run.rows; j++) {
        set_number(AT_START + j, (*s).x[j]);
        set_number(AT_RATE + j, ZERO);
    }
    return Course(BLOCK, 0u, 0u, 0u, ZERO, ZERO, ZERO, ZERO, ZERO, ZERO);
}

// Computes the residual of a sample that has ended: the defect of its energy balance.
// Twin: the end of Inclusion::sample.
fn end_course(s: ptr<function, Sample>, c: ptr<function, Course>) {
    var gained = ZERO;
    for (var j = 0u; j < run.rows; j++) {
        gained += (number_of(AT_START + j) + (*s).x[j]) * (*s).total[j];
    }
    let defect = gained * 0.5 - (*c).work;
    (*s).residual = f32(select(HUGE, abs(defect), is_finite(defect)));
}

// One stage: computes forces, a few sweeps at a time; when the forces have converged, continues with the next stage.
// Twin: Inclusion::sample.
fn advance_course(stream: Stream, max_steps: u32, s: ptr<function, Sample>, c: ptr<function, Course>) {
    if ((*c).next <= THIRD) {
        if ((*c).sweeps == 0u) {
            (*c).sweeps = select(MAX_SWEEPS + 1u, 1u, forces());
        }
        for (var n = 0u; n < SWEEPS && (*c).sweeps <= MAX_SWEEPS; n++) {
            (*c).sweeps = select((*c).sweeps + 1u, MAX_SWEEPS + 1u, sweep());
        }
        if ((*c).sweeps <= MAX_SWEEPS) {
            return;
        }
        (*c).sweeps = 0u;
    }
    switch ((*c).next) {
        case TOUCHES: { end_touch(c); }
        case GRASPS: { end_grasp(s, c); }
        case SECOND: { end_second(s, c); }
        case THIRD: { end_third(s, c); }
        default: {}
    }
    // Each function is called in one place only, so that all threads that need it execute it together.
    if ((*c).next == SUBSTEP) {
        begin_substep(s, c);
    }
    if ((*c).next == BLOCK) {
        begin_block(stream, max_steps, s, c);
    }
    if ((*c).next == TOUCH) {
        touch(s, c);
    }
    if ((*c).next == TRIAL) {
        begin_trial(s, c);
    }
    if ((*s).status != RUNNING) {
        end_course(s, c);
    } else if ((*c).next <= GRASPS && grasp(s)) {
        (*c).wanted = ONE;
    }
}

// Ends the sample if the impact is over; otherwise draws rates.
// Twin: the beginning of a round of Inclusion::sample.
fn begin_block(stream: Stream, max_steps: u32, s: ptr<function, Sample>, c: ptr<function, Course>) {
    var finite = true;
    for (var j = 0u; j < run.rows; j++) {
        finite = finite && is_finite((*s).x[j]) && is_finite((*s).total[j]);
    }
    if (!finite) {
        (*s).status = NOT_FINITE;
    } else if (!engage(s)) {
        (*s).status = TERMINATED;
    } else if ((*s).steps == max_steps) {
        (*s).status = STEP_LIMIT;
    } else {
        draw_rates(stream, (*s).steps);
        (*c).next = TOUCH;
    }
}

// Whether reservoirs hold impulse: a field of the twin.
fn poisson() -> bool { return run.poisson == 1u; }

// Determines which contacts may take part in the next block; whether the impact is not yet over.
fn engage(s: ptr<function, Sample>) -> bool {
    var approach = false;
    for (var i = 0u; i < run.contacts; i++) {
        approach = approach || (*s).x[i] < rest_at(i);
    }
    var engaged = false;
    for (var i = 0u; i < run.contacts; i++) {
        var phase = WAITING;
        if (cap_at(i) == ZERO) {
            phase = WAITING;
        } else if ((*s).x[i] < rest_at(i)) {
            phase = COMPRESSING;
        } else if (number_of(AT_STORED + i) > ZERO && !(poisson() && approach)) {
            phase = RESTITUTING;
        } else if ((*s).x[i] <= landing(i)) {
            phase = TOUCHING;
        }
        set_phase(i, phase);
        engaged = engaged || phase >= COMPRESSING;
    }
    return engaged;
}

// Draws the normal rates of a block.
fn draw_rates(stream: Stream, step: u32) {
    var waiting = 0u;
    for (var i = 0u; i < run.contacts; i++) {
        waiting += select(0u, 1u, phase_of(i) >= COMPRESSING);
    }
    var scale = ONE;
    var wanted = waiting;
    if (coverage()) {
        let words = stream_block(stream, step, PURPOSE_ORDER, 0u);
        wanted = 1u + index_below(words.x, waiting);
        scale = stretch(words.y, words.z);
    }
    var words = vec4<u32>();
    var picks = vec4<u32>();
    var largest = ZERO;
    for (var i = 0u; i < run.contacts; i++) {
        if (i % 4u == 0u) {
            words = stream_block(stream, step, PURPOSE_RATE, i / 4u);
            picks = stream_block(stream, step, PURPOSE_ORDER, 1u + i / 4u);
        }
        var rate = ZERO;
        if (phase_of(i) >= COMPRESSING) {
            if (index_below(picks[i % 4u], waiting) < wanted) {
                rate = unit(words[i % 4u]);
                largest = larger(largest, rate);
                wanted -= 1u;
            }
            waiting -= 1u;
        }
        set_number(AT_RATE + i, rate);
    }
    for (var i = 0u; i < run.contacts; i++) {
        let cap = cap_at(i) * scale;
        if (phase_of(i) >= COMPRESSING) {
            set_number(AT_RATE + i, select(cap, cap * (number_of(AT_RATE + i) / largest), largest > ZERO));
        } else if (phase_of(i) == TOUCHING) {
            let draw = stream_block(stream, step, PURPOSE_SOLUTION, i);
            if (draw.x < 0x80000000u) {
                set_phase(i, WAITING);
                continue;
            }
            var rate = cap * unit(draw.y);
            let octaves = index_below(draw.z, 24u);
            for (var octave = 0u; octave < octaves; octave++) {
                rate = rate * 0.5;
            }
            set_number(AT_RATE + i, rate);
        }
    }
}

// Starts the decision which of the contacts that touch take part; if there are none, starts the block.
fn touch(s: ptr<function, Sample>, c: ptr<function, Course>) {
    for (var j = M; j < run.rows; j++) {
        set_number(AT_RATE + j, ZERO);
    }
    for (var i = 0u; i < run.contacts; i++) {
        if (phase_of(i) == TOUCHING) {
            (*c).next = TOUCHES;
            return;
        }
    }
    for (var i = 0u; i < run.contacts; i++) {
        let still = abs((*s).x[i]) <= landing(i) && number_of(AT_RATE + i) > ZERO;
        set_jammed(i, still && phase_of(i) == RESTITUTING);
    }
    (*c).left = ONE;
    (*c).wanted = ONE;
    (*c).next = SUBSTEP;
}

// Excludes contacts that separate; where none separates, the remaining contacts that touch take part.
// Twin: the end of Integrator::touch.
fn end_touch(c: ptr<function, Course>) {
    var parted = false;
    for (var i = 0u; i < run.contacts; i++) {
        if (phase_of(i) == TOUCHING && number_of(AT_SLOPE + i) >= ZERO) {
            set_phase(i, WAITING);
            set_number(AT_RATE + i, ZERO);
            parted = true;
        }
    }
    for (var i = 0u; i < run.contacts; i++) {
        if (!parted && phase_of(i) == TOUCHING) {
            set_phase(i, COMPRESSING);
        }
    }
    (*c).next = TOUCH;
}

// Starts a substep, or ends the block if it is complete; ends the sample after too many substeps.
// Twin: the beginning of a round of Integrator::block.
fn begin_substep(s: ptr<function, Sample>, c: ptr<function, Course>) {
    if ((*c).substeps == MAX_SUBSTEPS) {
        (*s).status = UNSOLVED;
        return;
    }
    (*c).substeps += 1u;
    var pushes = false;
    for (var i = 0u; i < run.contacts; i++) {
        if (phase_of(i) == WAITING) {
            set_number(AT_RATE + i, ZERO);
        }
        pushes = pushes || number_of(AT_RATE + i) > ZERO;
    }
    if ((*c).left > ZERO && pushes) {
        (*c).next = GRASPS;
        return;
    }
    for (var i = 0u; i < run.contacts; i++) {
        if (jammed_of(i) && abs((*s).x[i]) <= landing(i)) {
            set_number(AT_STORED + i, ZERO);
        }
    }
    (*s).steps += 1u;
    (*c).next = BLOCK;
}

// Continues from the forces at the beginning of a substep to its first trial.
// Twin: the rest of a round of Integrator::block.
fn end_grasp(s: ptr<function, Sample>, c: ptr<function, Course>) {
    for (var j = 0u; j < run.rows; j++) {
        set_number(AT_FIRST + j, number_of(AT_RATE + j));
        set_number(AT_ONSET + j, number_of(AT_SLOPE + j));
    }
    if (release(s)) {
        (*c).next = SUBSTEP;
        return;
    }
    (*c).h = smaller(smaller((*c).left, (*c).wanted), horizon(s));
    (*c).trials = 0u;
    (*c).next = TRIAL;
}

// Ends the compression of contacts that have hardly begun to approach and turn back; whether there are any.
fn release(s: ptr<function, Sample>) -> bool {
    var any = false;
    for (var i = 0u; i < run.contacts; i++) {
        let touches = phase_of(i) == COMPRESSING && (*s).x[i] >= -landing(i);
        if (touches && number_of(AT_ONSET + i) >= ZERO) {
            set_phase(i, after_compression(i));
            any = true;
        }
        let turns = phase_of(i) == RESTITUTING && (*s).x[i] <= landing(i);
        if (turns && number_of(AT_ONSET + i) < ZERO) {
            set_phase(i, COMPRESSING);
            any = true;
        }
    }
    return any;
}

// What a contact does where its compression ends. There is no twin: release and settle of Rust say it each.
fn after_compression(i: u32) -> u32 {
    return select(WAITING, RESTITUTING, number_of(AT_STORED + i) > ZERO && !poisson());
}

// The content of reservoir i after a substep of restitution.
fn left_of(i: u32, h: real) -> real {
    let given = select(number_of(AT_TRAVEL + i), ONE, poisson());
    return number_of(AT_STORED + i) - h * number_of(AT_RATE + i) * given;
}

// The content below which reservoir i counts as empty at normal velocity u.
fn empty_of(i: u32, u: real) -> real {
    let least = landing(i);
    let stronge = larger(EMPTY * u * u, 0.25 * least * least);
    return select(stronge, larger(EMPTY * abs(u), 0.25 * least), poisson()) / w_at(i * K + i);
}

// Applies the result of a substep to impulse, work, reservoirs, phases and velocity.
fn settle(s: ptr<function, Sample>, c: ptr<function, Course>, next: ptr<function, array<real, K>>) {
    let h = (*c).h;
    for (var j = 0u; j < run.rows; j++) {
        (*s).total[j] += h * number_of(AT_MEAN + j);
    }
    (*c).work += h * (*c).power;
    for (var i = 0u; i < run.contacts; i++) {
        let impulse = h * number_of(AT_RATE + i);
        let e = number_of(AT_E + i);
        let phase = phase_of(i);
        if (phase == COMPRESSING) {
            let gained = select(-(e * e * impulse * number_of(AT_TRAVEL + i)), e * impulse, poisson());
            set_number(AT_STORED + i, larger(number_of(AT_STORED + i) + gained, ZERO));
            if ((*next)[i] >= -landing(i) && (*next)[i] >= (*s).x[i]) {
                (*next)[i] = ZERO;
                set_phase(i, after_compression(i));
            }
        } else if (phase == RESTITUTING) {
            let left = left_of(i, h);
            if (left <= empty_of(i, (*next)[i])) {
                set_number(AT_STORED + i, ZERO);
                set_phase(i, WAITING);
            } else {
                set_number(AT_STORED + i, left);
                if ((*next)[i] <= landing(i) && (*next)[i] < (*s).x[i]) {
                    (*next)[i] = ZERO;
                    set_phase(i, COMPRESSING);
                }
            }
        }
    }
    for (var j = 0u; j < run.rows; j++) {
        (*s).x[j] = (*next)[j];
    }
}
