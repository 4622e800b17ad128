// Computes samples segment by segment. A thread that has finished a sample takes the next one.
// Between dispatches the course of a sample is in storage, number by number across the threads, so
// that neighbouring threads read neighbouring words.

@group(0) @binding(2) var<storage, read_write> numbers: array<real>;
@group(0) @binding(3) var<storage, read> forces: array<vec4<real>>;
@group(0) @binding(9) var<storage, read_write> marks: array<u32>;

// Loop bounds. Unrolled loops run three times as fast, but with many contacts software drivers take
// a minute to compile them.
fn contacts() -> u32 { return select(run.contacts, M, M <= MOST_UNROLLED); }
fn rows() -> u32 { return select(run.rows, K, M <= MOST_UNROLLED); }

fn restitution_at(i: u32) -> real { return number(PROBLEM_RESTITUTION + i); }
fn forces_at(i: u32) -> vec4<real> { return forces[first_map() + i]; }

fn load_course(thread: u32, s: ptr<function, Sample>) -> Course {
    var c: Course;
    for (var i = 0u; i < K; i++) {
        c.judged[i] = numbers[i * run.stride + thread];
    }
    for (var i = 0u; i < M; i++) {
        c.account[i] = numbers[(K + i) * run.stride + thread];
        c.stored[i] = numbers[(K + M + i) * run.stride + thread];
        c.before[i] = numbers[(K + 2u * M + i) * run.stride + thread];
        c.moved[i] = numbers[(K + 3u * M + i) * run.stride + thread];
        (*s).x[K + i] = numbers[(K + 4u * M + i) * run.stride + thread];
    }
    c.passed = numbers[(K + 5u * M) * run.stride + thread];
    c.mark = numbers[(K + 5u * M + 1u) * run.stride + thread];
    c.still = numbers[(K + 5u * M + 2u) * run.stride + thread];
    c.block = marks[thread];
    c.number = marks[run.stride + thread];
    c.last = marks[2u * run.stride + thread];
    c.free = marks[3u * run.stride + thread];
    return c;
}

fn store_course(thread: u32, s: ptr<function, Sample>, c: ptr<function, Course>) {
    for (var i = 0u; i < K; i++) {
        numbers[i * run.stride + thread] = (*c).judged[i];
    }
    for (var i = 0u; i < M; i++) {
        numbers[(K + i) * run.stride + thread] = (*c).account[i];
        numbers[(K + M + i) * run.stride + thread] = (*c).stored[i];
        numbers[(K + 2u * M + i) * run.stride + thread] = (*c).before[i];
        numbers[(K + 3u * M + i) * run.stride + thread] = (*c).moved[i];
        numbers[(K + 4u * M + i) * run.stride + thread] = (*s).x[K + i];
    }
    numbers[(K + 5u * M) * run.stride + thread] = (*c).passed;
    numbers[(K + 5u * M + 1u) * run.stride + thread] = (*c).mark;
    numbers[(K + 5u * M + 2u) * run.stride + thread] = (*c).still;
    marks[thread] = (*c).block;
    marks[run.stride + thread] = (*c).number;
    marks[2u * run.stride + thread] = (*c).last;
    marks[3u * run.stride + thread] = (*c).free;
}

@compute @workgroup_size(WORKGROUP)
fn sample_events(@builtin(global_invocation_id) id: vec3<u32>) {
    let thread = thread_of(id);
    var i = first_left(thread);
    if (thread >= run.threads || i >= run.count) {
        return;
    }
    var s: Sample;
    var c: Course;
    var enters = true;
    // The unit of the budget is one tried combination of modes; the rest of a segment counts as
    // several units.
    var trial: Trial;
    for (var spent = 0u; spent == 0u || spent + MOST_TRIALS < run.budget;) {
        if (enters) {
            s = load(i);
            c = course_of(thread, &s);
            enters = false;
        }
        while (s.status == RUNNING && (spent == 0u || spent + MOST_TRIALS < run.budget)) {
            advance_course(stream_of(i), max_steps(), &s, &c, &trial);
            spent += trial.tried + OTHER;
            if (REFILLS) {
                break;
            }
        }
        if (s.status < WAITING) {
            store(i, &s);
            i += run.threads;
            if (i >= run.count) {
                return;
            }
            enters = true;
        }
    }
    if (!enters) {
        store_course(thread, &s, &c);
        store(i, &s);
        i += run.threads;
    }
    postpone(i);
}

// The course of a sample: of a waiting one, which then begins, or of one in progress.
fn course_of(thread: u32, s: ptr<function, Sample>) -> Course {
    var c: Course;
    if ((*s).status == WAITING) {
        (*s).status = RUNNING;
        c = begin_course(s);
    } else {
        c = load_course(thread, s);
    }
    return c;
}
