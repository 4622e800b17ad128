// One thread per sample. Steps are solved by cells with one critical region each. A wrong guess leaves the sample
// unsolved: a second solver in this kernel would slow down every step, because threads that run in lockstep execute all
// branches.

@group(0) @binding(0) var<uniform> run: Run;
@group(0) @binding(3) var<storage, read> maps: array<vec4<real>>;
@group(0) @binding(4) var<storage, read_write> velocities: array<real>;
@group(0) @binding(5) var<storage, read_write> impulses: array<real>;
@group(0) @binding(6) var<storage, read_write> endings: array<vec2<u32>>;
@group(0) @binding(7) var<storage, read_write> remaining: atomic<u32>;
@group(0) @binding(8) var<uniform> planes: array<vec4<real>, PLANE_FOURS>;
// For each cell: the planes that bound it, the sides on which it lies, and its region.
@group(0) @binding(9) var<uniform> cells: array<vec4<u32>, CELLS>;

fn tolerance() -> real { return number(PROBLEM_TOLERANCE); }
fn edge() -> real { return number(PROBLEM_EDGE); }
fn region_at(cell: u32) -> u32 { return cells[cell].z; }
fn cell_at(i: u32) -> vec4<u32> { return cells[i]; }
fn plane_at(i: u32) -> vec4<real> { return planes[i]; }
fn map_at(i: u32) -> vec4<real> { return maps[run.first_map + i]; }

@compute @workgroup_size(WORKGROUP)
fn sample_unique(@builtin(global_invocation_id) id: vec3<u32>) {
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
            let worst = solve_step(&s, &l, &u_plus);
            routh_end_step(&s, &l, &u_plus, worst);
        }
    }
    store(i, &s);
}
