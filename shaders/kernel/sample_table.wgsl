// One thread per sample; steps by the table of contact modes.

@group(0) @binding(0) var<uniform> run: Run;
@group(0) @binding(1) var<storage, read> problem: array<real>;
@group(0) @binding(2) var<storage, read> spans: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> maps: array<real>;
@group(0) @binding(4) var<storage, read_write> impulses: array<real>;
@group(0) @binding(5) var<storage, read_write> endings: array<vec2<u32>>;

fn combinations() -> u32 { return run.combinations; }
fn tolerance() -> real { return problem[PROBLEM_TOLERANCE]; }
fn span_at(k: u32) -> vec2<u32> { return spans[k]; }
fn condition_at(i: u32) -> real { return maps[i]; }
fn map_at(i: u32) -> real { return maps[run.first_map + i]; }

@compute @workgroup_size(WORKGROUP)
fn sample_table(@builtin(global_invocation_id) id: vec3<u32>) {
    sample(id.x);
}
