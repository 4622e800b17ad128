// One thread per sample; impacts at one contact at a time.

@group(0) @binding(0) var<uniform> run: Run;
@group(0) @binding(4) var<storage, read_write> velocities: array<real>;
@group(0) @binding(5) var<storage, read_write> impulses: array<real>;
@group(0) @binding(6) var<storage, read_write> endings: array<vec2<u32>>;
@group(0) @binding(7) var<storage, read_write> remaining: atomic<u32>;

@compute @workgroup_size(WORKGROUP)
fn sample_orders(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
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
