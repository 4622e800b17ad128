// One thread per sample. Steps are solved by the table of contact modes.

@group(0) @binding(0) var<uniform> run: Run;
@group(0) @binding(2) var<storage, read> spans: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> maps: array<vec4<real>>;
@group(0) @binding(4) var<storage, read_write> velocities: array<real>;
@group(0) @binding(5) var<storage, read_write> impulses: array<real>;
@group(0) @binding(6) var<storage, read_write> endings: array<vec2<u32>>;
@group(0) @binding(7) var<storage, read_write> remaining: atomic<u32>;

fn tolerance() -> real { return number(PROBLEM_TOLERANCE); }
fn span_at(k: u32) -> vec2<u32> { return spans[first_span() + k]; }
fn condition_at(i: u32) -> vec4<real> { return maps[first_condition() + i]; }
fn map_at(i: u32) -> vec4<real> { return maps[first_map() + i]; }

@compute @workgroup_size(WORKGROUP)
fn sample_table(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
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
