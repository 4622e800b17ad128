// One workgroup per sample. Steps are solved by Lemke's method. The dictionary is in workgroup memory: each thread
// updates its rows of it, and all threads repeat the operations that concern no row. Between dispatches the dictionary
// is in storage.

const N = (3u + 2u * AXES) * M;
const ENTRIES = N * (N + 2u);
const PLACES = 4u * N + 2u;

var<workgroup> dictionary: array<real, ENTRIES>;
// Basic and nonbasic variables, then the position of each.
var<workgroup> variables: array<u32, PLACES>;
var<workgroup> agreement: u32;
var<private> me: u32;

fn first() -> u32 { return me; }
fn stride() -> u32 { return WORKGROUP; }
fn join() { workgroupBarrier(); }

// The number of the first thread, once all threads have come here. All have the same number, but a compiler that refuses barriers in
// control flow that may differ cannot know.
fn agreed(x: u32) -> u32 {
    if (me == 0u) {
        agreement = x;
    }
    return workgroupUniformLoad(&agreement);
}

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
        draw_caps(stream, s.steps, &s);
        lemke = Lemke(indices[cursor], indices[cursor + 1u], indices[cursor + 2u]);
        for (var e = me; e < ENTRIES; e += WORKGROUP) { dictionary[e] = tables[i * ENTRIES + e]; }
        for (var e = me; e < PLACES; e += WORKGROUP) { variables[e] = indices[i * (PLACES + 3u) + e]; }
    }
    join();
    pivot_on(stream, n, &s, &lemke);
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
