// One thread per sample; impacts at one contact at a time.

@compute @workgroup_size(WORKGROUP)
fn sample_orders(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = thread_of(id);
    if (i >= run.count) {
        return;
    }
    enter(i);
    let stream = stream_of(i);
    var s = load(i);
    for (var round = 0u; s.status == RUNNING && round < run.budget; round++) {
        order_step(stream, max_steps(), &s);
    }
    store(i, &s);
}
