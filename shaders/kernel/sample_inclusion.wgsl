// Computes samples one Newton step after the other; a thread that has finished one takes the next.
// inclusion_numbers.wgsl keeps the state of a sample between dispatches.

// Loop bounds; software drivers take long to compile unrolled loops.
fn contacts() -> u32 { return run.contacts; }
fn rows() -> u32 { return run.rows; }

// The tolerances of the problem. Also the length of blocks as a multiple of the natural block,
// where it follows from the drawn velocity, else 0.
fn tolerated() -> real { return number(PROBLEM_TOLERANCES); }
fn halt() -> real { return number(PROBLEM_TOLERANCES + 1u); }
fn landing_part() -> real { return number(PROBLEM_TOLERANCES + 2u); }
fn budget() -> real { return number(PROBLEM_TOLERANCES + 3u); }
fn reach() -> real { return number(PROBLEM_TOLERANCES + 4u); }

@compute @workgroup_size(WORKGROUP)
fn sample_inclusion(@builtin(global_invocation_id) id: vec3<u32>) {
    let thread = thread_of(id);
    own_thread = thread;
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

// Enters the course of a sample: of a waiting one, which then begins, or of one in progress.
fn enter_course(thread: u32, i: u32, s: ptr<function, Sample>) {
    if ((*s).status == WAITING) {
        (*s).status = RUNNING;
        course = Course();
        clear_state();
        begin_course(stream_of(i), s);
    } else {
        load_course(thread, s);
    }
}
