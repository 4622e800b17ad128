// Computes samples one Newton step after the other; a thread that has finished one takes the next.
// Between dispatches the state of a sample is in storage, number by number across the threads, so
// that neighbouring threads read neighbouring words.

@group(0) @binding(2) var<storage, read_write> numbers: array<real>;
@group(0) @binding(3) var<storage, read_write> marks: array<u32>;

// Loop bounds come from the run: unrolled loops take drivers long to compile.
fn contacts() -> u32 { return run.contacts; }
fn rows() -> u32 { return run.rows; }

// The tolerances of the problem, and whether the length of blocks follows from the velocity that a
// sample has drawn.
fn tolerated() -> real { return number(PROBLEM_TOLERANCES); }
fn halt() -> real { return number(PROBLEM_TOLERANCES + 1u); }
fn landing_part() -> real { return number(PROBLEM_TOLERANCES + 2u); }
fn budget() -> real { return number(PROBLEM_TOLERANCES + 3u); }
fn adapts() -> bool { return number(PROBLEM_TOLERANCES + 4u) > ZERO; }

// Velocity and impulse are kept with the sample.
fn load_course(thread: u32, s: ptr<function, Sample>) {
    for (var j = 0u; j < run.rows; j++) {
        state[AT_U + j] = (*s).x[j];
        state[AT_TOTAL + j] = (*s).total[j];
    }
    for (var j = AT_L; j < KEPT; j++) {
        state[j] = numbers[(j - AT_L) * run.stride + thread];
    }
    var x: array<real, COURSE_NUMBERS>;
    for (var j = 0u; j < COURSE_NUMBERS; j++) {
        x[j] = numbers[(KEPT - AT_L + j) * run.stride + thread];
    }
    var word: array<u32, COURSE_MARKS>;
    for (var j = 0u; j < COURSE_MARKS; j++) {
        word[j] = marks[j * run.stride + thread];
    }
    let bits = word[10];
    course = Course(
        word[0], word[1], word[2], word[3], word[4], word[5], word[6], word[7], word[8], word[9], 0u,
        (bits & 1u) != 0u, (bits & 2u) != 0u, (bits & 4u) != 0u, (bits & 8u) != 0u,
        (bits & 16u) != 0u, x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7],
    );
}

// Writes velocity and impulse to the sample.
fn keep(s: ptr<function, Sample>) {
    for (var j = 0u; j < run.rows; j++) {
        (*s).x[j] = state[AT_U + j];
        (*s).total[j] = state[AT_TOTAL + j];
    }
}

fn store_course(thread: u32) {
    for (var j = AT_L; j < KEPT; j++) {
        numbers[(j - AT_L) * run.stride + thread] = state[j];
    }
    var x = array<real, COURSE_NUMBERS>(
        course.left, course.wanted, course.h, course.settles, course.error, course.length,
        course.worst, course.ratio,
    );
    for (var j = 0u; j < COURSE_NUMBERS; j++) {
        numbers[(KEPT - AT_L + j) * run.stride + thread] = x[j];
    }
    let bits = select(0u, 1u, course.decided) | select(0u, 2u, course.straight)
        | select(0u, 4u, course.stops) | select(0u, 8u, course.halves)
        | select(0u, 16u, course.known);
    var word = array<u32, COURSE_MARKS>(
        course.next, course.number, course.trials, course.block, course.spent, course.checks,
        course.normal_modes, course.friction_modes, course.order, course.turns, bits,
    );
    for (var j = 0u; j < COURSE_MARKS; j++) {
        marks[j * run.stride + thread] = word[j];
    }
}

@compute @workgroup_size(WORKGROUP)
fn sample_inclusion(@builtin(global_invocation_id) id: vec3<u32>) {
    let thread = thread_of(id);
    var i = first_left(thread);
    if (thread >= run.threads || i >= run.count) {
        return;
    }
    var s: Sample;
    var enters = true;
    for (var round = 0u; round < run.budget;) {
        if (enters) {
            s = load(i);
            enter_course(thread, i, &s);
            enters = false;
        }
        while (s.status == RUNNING && round < run.budget) {
            advance_course(stream_of(i), max_steps(), &s);
            round += 1u;
            if (REFILLS) {
                break;
            }
        }
        if (s.status < WAITING) {
            keep(&s);
            store(i, &s);
            i += run.threads;
            if (i >= run.count) {
                return;
            }
            enters = true;
        }
    }
    if (!enters) {
        keep(&s);
        store_course(thread);
        store(i, &s);
        i += run.threads;
    }
    postpone(i);
}

// Enters the course of a sample that is waiting, which then begins, or in progress.
fn enter_course(thread: u32, i: u32, s: ptr<function, Sample>) {
    if ((*s).status == WAITING) {
        (*s).status = RUNNING;
        course = Course();
        for (var j = 0u; j < KEPT; j++) {
            state[j] = ZERO;
        }
        begin_course(stream_of(i), s);
    } else {
        load_course(thread, s);
    }
}
