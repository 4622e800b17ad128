// One thread per sample; steps by Lemke's method. The dictionaries lie in storage, entry by entry across the
// threads, so that neighbours read neighbouring words; private memory could not hold them.

@group(0) @binding(0) var<uniform> run: Run;
@group(0) @binding(1) var<storage, read> problem: array<real>;
@group(0) @binding(2) var<storage, read_write> tables: array<real>;
@group(0) @binding(3) var<storage, read_write> indices: array<u32>;
@group(0) @binding(4) var<storage, read_write> impulses: array<real>;
@group(0) @binding(5) var<storage, read_write> endings: array<vec2<u32>>;

var<private> thread: u32;

fn lcp_size() -> u32 { return run.lcp_size; }
fn random_covering() -> bool { return run.random_covering == 1u; }
fn table_at(n: u32, i: u32, j: u32) -> real { return tables[(i * (n + 2u) + j) * run.threads + thread]; }
fn table_set(n: u32, i: u32, j: u32, value: real) { tables[(i * (n + 2u) + j) * run.threads + thread] = value; }
fn basic_at(i: u32) -> u32 { return indices[i * run.threads + thread]; }
fn basic_set(i: u32, value: u32) { indices[i * run.threads + thread] = value; }
fn nonbasic_at(i: u32) -> u32 { return indices[(run.lcp_size + i) * run.threads + thread]; }
fn nonbasic_set(i: u32, value: u32) { indices[(run.lcp_size + i) * run.threads + thread] = value; }
fn place_at(i: u32) -> u32 { return indices[(2u * run.lcp_size + 1u + i) * run.threads + thread]; }
fn place_set(i: u32, value: u32) { indices[(2u * run.lcp_size + 1u + i) * run.threads + thread] = value; }

@compute @workgroup_size(WORKGROUP)
fn sample_pivot(@builtin(global_invocation_id) id: vec3<u32>) {
    thread = id.x;
    sample(id.x);
}
