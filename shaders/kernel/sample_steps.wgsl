// One thread per sample, step by step. A file of law/ provides solve_step.

@compute @workgroup_size(WORKGROUP)
fn sample_steps(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = thread_of(id);
    if (i >= run.count) {
        return;
    }
    enter(i);
    let stream = stream_of(i);
    var s = load(i);
    for (var round = 0u; s.status == RUNNING && round < run.budget; round++) {
        routh_begin_step(stream, max_steps(), &s);
        if (s.status == RUNNING) {
            var l: array<real, K>;
            var u_plus: array<real, K>;
            let worst = solve_step(stream, &s, &l, &u_plus);
            routh_end_step(&s, &l, &u_plus, worst);
        }
    }
    store(i, &s);
}
