// One thread per sample, segment by segment. Between dispatches its course is in storage, number by number across the
// threads, so that neighbouring threads read neighbouring words.

@group(0) @binding(2) var<storage, read_write> numbers: array<real>;
@group(0) @binding(3) var<storage, read> forces: array<vec4<real>>;
@group(0) @binding(9) var<storage, read_write> marks: array<u32>;

// Bounds of loops: unrolled they run three times as fast, but those of many contacts take drivers a minute to compile.
fn contacts() -> u32 { return select(run.contacts, M, M <= UNROLLED); }
fn rows() -> u32 { return select(run.rows, K, M <= UNROLLED); }

fn restitution_at(i: u32) -> real { return number(PROBLEM_RESTITUTION + i); }
fn forces_at(i: u32) -> vec4<real> { return forces[first_map() + i]; }

fn load_course(thread: u32, s: ptr<function, Sample>) -> Course {
    var c: Course;
    for (var i = 0u; i < K; i++) {
        c.judged[i] = numbers[i * run.threads + thread];
    }
    for (var i = 0u; i < M; i++) {
        c.account[i] = numbers[(K + i) * run.threads + thread];
        c.stored[i] = numbers[(K + M + i) * run.threads + thread];
        c.before[i] = numbers[(K + 2u * M + i) * run.threads + thread];
        (*s).x[K + i] = numbers[(K + 3u * M + i) * run.threads + thread];
    }
    c.passed = numbers[(K + 4u * M) * run.threads + thread];
    c.mark = numbers[(K + 4u * M + 1u) * run.threads + thread];
    c.still = numbers[(K + 4u * M + 2u) * run.threads + thread];
    c.block = marks[thread];
    c.number = marks[run.threads + thread];
    c.last = marks[2u * run.threads + thread];
    c.free = marks[3u * run.threads + thread];
    return c;
}

fn store_course(thread: u32, s: ptr<function, Sample>, c: ptr<function, Course>) {
    for (var i = 0u; i < K; i++) {
        numbers[i * run.threads + thread] = (*c).judged[i];
    }
    for (var i = 0u; i < M; i++) {
        numbers[(K + i) * run.threads + thread] = (*c).account[i];
        numbers[(K + M + i) * run.threads + thread] = (*c).stored[i];
        numbers[(K + 2u * M + i) * run.threads + thread] = (*c).before[i];
        numbers[(K + 3u * M + i) * run.threads + thread] = (*s).x[K + i];
    }
    numbers[(K + 4u * M) * run.threads + thread] = (*c).passed;
    numbers[(K + 4u * M + 1u) * run.threads + thread] = (*c).mark;
    numbers[(K + 4u * M + 2u) * run.threads + thread] = (*c).still;
    marks[thread] = (*c).block;
    marks[run.threads + thread] = (*c).number;
    marks[2u * run.threads + thread] = (*c).last;
    marks[3u * run.threads + thread] = (*c).free;
}

@compute @workgroup_size(WORKGROUP)
fn sample_exact(@builtin(global_invocation_id) id: vec3<u32>) {
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
    var c: Course;
    if (run.fresh == 1u) {
        c = begin_course(&s);
    } else {
        c = load_course(i, &s);
    }
    // The unit of the budget is a combination of modes that is tried; the rest of a segment counts as some.
    var trial: Trial;
    for (var spent = 0u; s.status == RUNNING && (spent == 0u || spent + MOST_TRIALS < run.budget); spent += trial.tried + OTHER) {
        advance_course(stream, max_steps(), &s, &c, &trial);
    }
    store_course(i, &s, &c);
    store(i, &s);
}
