// One thread per sample. Steps are solved by the iterated mixed form, whose workspace is private memory.

@group(0) @binding(0) var<uniform> run: Run;
@group(0) @binding(4) var<storage, read_write> velocities: array<real>;
@group(0) @binding(5) var<storage, read_write> impulses: array<real>;
@group(0) @binding(6) var<storage, read_write> endings: array<vec2<u32>>;
@group(0) @binding(7) var<storage, read_write> remaining: atomic<u32>;

@compute @workgroup_size(WORKGROUP)
fn sample_mixed(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
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
