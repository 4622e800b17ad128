// One workgroup per sample. Steps are solved by Lemke's method. The dictionary is in workgroup memory: each thread
// updates its rows of it, and all threads repeat the operations that concern no row. Between dispatches the dictionary
// is in storage.

@group(0) @binding(0) var<uniform> run: Run;
@group(0) @binding(2) var<storage, read_write> tables: array<real>;
@group(0) @binding(3) var<storage, read_write> indices: array<u32>;
@group(0) @binding(4) var<storage, read_write> velocities: array<real>;
@group(0) @binding(5) var<storage, read_write> impulses: array<real>;
@group(0) @binding(6) var<storage, read_write> endings: array<vec2<u32>>;
@group(0) @binding(7) var<storage, read_write> remaining: atomic<u32>;

const N = (3u + 2u * AXES) * M;
const ENTRIES = N * (N + 2u);
const PLACES = 4u * N + 2u;

var<workgroup> dictionary: array<real, ENTRIES>;
// Basic and nonbasic variables, then the position of each.
var<workgroup> variables: array<u32, PLACES>;
var<private> me: u32;

fn first() -> u32 { return me; }
fn stride() -> u32 { return WORKGROUP; }
fn join() { workgroupBarrier(); }

fn random_covering() -> bool { return run.random_covering == 1u; }
fn table_at(n: u32, i: u32, j: u32) -> real { return dictionary[i * (n + 2u) + j]; }
fn table_set(n: u32, i: u32, j: u32, value: real) { dictionary[i * (n + 2u) + j] = value; }
fn basic_at(i: u32) -> u32 { return variables[i]; }
fn basic_set(i: u32, value: u32) { variables[i] = value; }
fn nonbasic_at(i: u32) -> u32 { return variables[N + i]; }
fn nonbasic_set(i: u32, value: u32) { variables[N + i] = value; }
fn place_at(i: u32) -> u32 { return variables[2u * N + 1u + i]; }
fn place_set(i: u32, value: u32) { variables[2u * N + 1u + i] = value; }

@compute @workgroup_size(WORKGROUP)
fn sample_shared(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let i = group.x;
    me = thread;
    let n = run.lcp_size;
    enter(i);
    let stream = stream_of(i);
    var s = load(i);
    var lemke: Lemke;
    let cursor = i * (PLACES + 3u) + PLACES;
    if (s.status == PIVOTING) {
        draw_caps(stream, &s);
        lemke = Lemke(indices[cursor], indices[cursor + 1u], indices[cursor + 2u]);
        for (var e = me; e < ENTRIES; e += WORKGROUP) { dictionary[e] = tables[i * ENTRIES + e]; }
        for (var e = me; e < PLACES; e += WORKGROUP) { variables[e] = indices[i * (PLACES + 3u) + e]; }
    }
    join();
    for (var round = 0u; s.status >= RUNNING && round < run.budget; round++) {
        var end = LEMKE_RUNNING;
        if (s.status == PIVOTING) {
            end = lemke_advance(n, &lemke);
        } else {
            routh_begin_step(stream, max_steps(), &s);
            if (s.status < RUNNING) {
                break;
            }
            end = pivot_begin(stream, n, &s, &lemke);
            s.status = PIVOTING;
        }
        if (end == LEMKE_RUNNING) {
            continue;
        }
        var l: array<real, K>;
        var u_plus: array<real, K>;
        var worst = -ONE;
        if (end != LEMKE_PIVOT_LIMIT) {
            worst = pivot_end(n, &s, &l, &u_plus);
        }
        s.status = RUNNING;
        routh_end_step(&s, &l, &u_plus, worst);
        // The next step's dictionary will overwrite this one.
        join();
    }
    if (s.status == PIVOTING) {
        for (var e = me; e < ENTRIES; e += WORKGROUP) { tables[i * ENTRIES + e] = dictionary[e]; }
        for (var e = me; e < PLACES; e += WORKGROUP) { indices[i * (PLACES + 3u) + e] = variables[e]; }
    }
    if (me == 0u) {
        indices[cursor] = lemke.row;
        indices[cursor + 1u] = lemke.column;
        indices[cursor + 2u] = lemke.rounds;
        store(i, &s);
    }
}
