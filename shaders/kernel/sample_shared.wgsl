// Computes one sample per workgroup at a time. Lemke's method solves the steps. The dictionary is
// in workgroup memory. The threads share its entries, and every thread repeats the operations that
// concern no row. Between dispatches the dictionary is in storage.

const N = (3u + 2u * AXES) * M;
// Entries of a row; an odd number, so that the rows of a column lie in different banks.
const ROW_ENTRIES = (N + 2u) | 1u;
const ENTRIES = N * ROW_ENTRIES;
const ACROSS = 32u;
const PLACES = 4u * N + 2u;
const KEPT_WORDS = PLACES + 3u;

var<workgroup> dictionary: array<real, ENTRIES>;
// Basic and nonbasic variables, then the position of each.
var<workgroup> variables: array<u32, PLACES>;
var<workgroup> agreement: u32;
// A number per row: its entry in the column of a pivot, or its ratio in a ratio test.
var<workgroup> kept: array<real, N>;
var<private> me: u32;
var<private> group: u32;

fn first() -> u32 { return me; }
fn stride() -> u32 { return WORKGROUP; }
// Rows of threads and columns of threads: neighbours process neighbouring columns.
fn first_row() -> u32 { return me / ACROSS; }
fn row_stride() -> u32 { return WORKGROUP / ACROSS; }
fn first_column() -> u32 { return me % ACROSS; }
fn column_stride() -> u32 { return ACROSS; }
fn join() { workgroupBarrier(); }

fn keep_column(n: u32, column: u32) {
    for (var i = me; i < n; i += WORKGROUP) { kept[i] = table_at(n, i, column); }
}

fn kept_at(n: u32, i: u32, column: u32) -> real { return kept[i]; }

fn keep_ratios(n: u32, column: u32, zero: real) {
    for (var i = me; i < n; i += WORKGROUP) { kept[i] = lemke_ratio(n, i, column, zero); }
    workgroupBarrier();
}

fn ratio_at(n: u32, i: u32, column: u32, zero: real) -> real { return kept[i]; }

// The number of the first thread, once all threads have come here. All threads have the same
// number, but a compiler that refuses barriers in non-uniform control flow cannot know that.
fn agreed(x: u32) -> u32 {
    if (me == 0u) {
        agreement = x;
    }
    return workgroupUniformLoad(&agreement);
}

fn table_at(n: u32, i: u32, j: u32) -> real { return dictionary[i * ROW_ENTRIES + j]; }
fn table_set(n: u32, i: u32, j: u32, value: real) { dictionary[i * ROW_ENTRIES + j] = value; }
fn basic_at(i: u32) -> u32 { return variables[i]; }
fn basic_set(i: u32, value: u32) { variables[i] = value; }
fn nonbasic_at(i: u32) -> u32 { return variables[N + i]; }
fn nonbasic_set(i: u32, value: u32) { variables[N + i] = value; }
fn place_at(i: u32) -> u32 { return variables[2u * N + 1u + i]; }
fn place_set(i: u32, value: u32) { variables[2u * N + 1u + i] = value; }

fn resume() -> Lemke {
    for (var e = me; e < ENTRIES; e += WORKGROUP) { dictionary[e] = tables[group * ENTRIES + e]; }
    for (var e = me; e < PLACES; e += WORKGROUP) { variables[e] = indices[group * KEPT_WORDS + e]; }
    join();
    let cursor = group * KEPT_WORDS + PLACES;
    return Lemke(indices[cursor], indices[cursor + 1u], indices[cursor + 2u]);
}

fn suspend(lemke: Lemke) {
    for (var e = me; e < ENTRIES; e += WORKGROUP) { tables[group * ENTRIES + e] = dictionary[e]; }
    for (var e = me; e < PLACES; e += WORKGROUP) { indices[group * KEPT_WORDS + e] = variables[e]; }
    if (me == 0u) {
        let cursor = group * KEPT_WORDS + PLACES;
        indices[cursor] = lemke.row;
        indices[cursor + 1u] = lemke.column;
        indices[cursor + 2u] = lemke.rounds;
    }
}

@compute @workgroup_size(WORKGROUP)
fn sample_shared(
    @builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) thread: u32,
) {
    me = thread;
    group = id.x;
    let i = agreed(first_left(group));
    if (i < run.count) {
        pivot_on(i);
    }
}
