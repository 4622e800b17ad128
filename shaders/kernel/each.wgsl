// Computes sample after sample. A thread that has finished a sample takes the next one, so threads
// that run in step do not wait. Another file provides end_sample, which ends a finished sample, and
// advance_sample.

@compute @workgroup_size(WORKGROUP)
fn sample_each(@builtin(global_invocation_id) id: vec3<u32>) {
    let thread = thread_of(id);
    var i = first_left(thread);
    if (thread >= run.threads || i >= run.count) {
        return;
    }
    var s = begin(i);
    for (var spent = 0u; spent < run.budget;) {
        if (s.status < WAITING) {
            store(i, &s);
            i += run.threads;
            if (i >= run.count) {
                return;
            }
            s = begin(i);
        }
        var units = 1u;
        if (s.status == RUNNING) {
            units = advance_sample(stream_of(i), &s);
        }
        if (s.status == RUNNING) {
            end_sample(&s);
        }
        spent += units;
    }
    store(i, &s);
    postpone(i + run.threads);
}

// Sample i; begins it if it was waiting.
fn begin(i: u32) -> Sample {
    var s = load(i);
    if (s.status == WAITING) {
        s.status = RUNNING;
        end_sample(&s);
    }
    return s;
}
