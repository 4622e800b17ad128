// One thread per sample, which computes one Newton step at a time. Between dispatches its state is in storage, number by number
// across the threads, so that neighbouring threads read neighbouring words.

@group(0) @binding(2) var<storage, read_write> numbers: array<real>;
@group(0) @binding(3) var<storage, read_write> marks: array<u32>;

// Loop bounds come from the run: unrolled loops take drivers long to compile.
fn contacts() -> u32 { return run.contacts; }
fn rows() -> u32 { return run.rows; }

// The tolerances of the problem, and whether blocks have the length of the velocity that a sample has drawn.
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
        state[j] = numbers[(j - AT_L) * run.threads + thread];
    }
    var x: array<real, COURSE_NUMBERS>;
    for (var j = 0u; j < COURSE_NUMBERS; j++) {
        x[j] = numbers[(KEPT - AT_L + j) * run.threads + thread];
    }
    var word: array<u32, COURSE_MARKS>;
    for (var j = 0u; j < COURSE_MARKS; j++) {
        word[j] = marks[j * run.threads + thread];
    }
    let bits = word[8];
    course = Course(
        word[0], word[1], word[2], word[3], word[4], word[5], word[6], word[7],
        (bits & 1u) != 0u, (bits & 2u) != 0u, (bits & 4u) != 0u, (bits & 8u) != 0u,
        x[0], x[1], x[2], x[3], x[4], x[5], x[6],
    );
}

fn store_course(thread: u32, s: ptr<function, Sample>) {
    for (var j = 0u; j < run.rows; j++) {
        (*s).x[j] = state[AT_U + j];
        (*s).total[j] = state[AT_TOTAL + j];
    }
    for (var j = AT_L; j < KEPT; j++) {
        numbers[(j - AT_L) * run.threads + thread] = state[j];
    }
    var x = array<real, COURSE_NUMBERS>(
        course.left, course.wanted, course.h, course.settles, course.error, course.length, course.worst,
    );
    for (var j = 0u; j < COURSE_NUMBERS; j++) {
        numbers[(KEPT - AT_L + j) * run.threads + thread] = x[j];
    }
    let bits = select(0u, 1u, course.decided) | select(0u, 2u, course.straight)
        | select(0u, 4u, course.stops) | select(0u, 8u, course.halves);
    var word = array<u32, COURSE_MARKS>(
        course.next, course.number, course.trials, course.block, course.spent, course.normals, course.grips, course.order, bits,
    );
    for (var j = 0u; j < COURSE_MARKS; j++) {
        marks[j * run.threads + thread] = word[j];
    }
}

@compute @workgroup_size(WORKGROUP)
fn sample_inclusion(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = thread_of(id);
    if (i >= run.count) {
        return;
    }
    enter(i);
    let stream = stream_of(i);
    var s = load(i);
    if (s.status != RUNNING) {
        return;
    }
    if (run.fresh == 1u) {
        begin_course(stream, &s);
    } else {
        load_course(i, &s);
    }
    for (var round = 0u; s.status == RUNNING && round < run.budget; round++) {
        advance_course(stream, max_steps(), &s);
    }
    store_course(i, &s);
    store(i, &s);
}
