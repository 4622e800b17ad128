// One thread per sample. Steps are solved by the iterated mixed form, whose workspace is private memory.

@compute @workgroup_size(WORKGROUP)
fn sample_mixed(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = thread_of(id);
    if (i >= run.count) {
        return;
    }
    enter(i);
    let stream = stream_of(i);
    var s = load(i);
    var mixed: Mixed;
    for (var spent = 0u; s.status == RUNNING && spent < run.budget; spent += mixed.rounds) {
        routh_begin_step(stream, max_steps(), &s);
        if (s.status == RUNNING) {
            var l: array<real, K>;
            var u_plus: array<real, K>;
            let worst = solve_step(&s, &mixed, &l, &u_plus);
            routh_end_step(&s, &l, &u_plus, worst);
        }
    }
    store(i, &s);
}
