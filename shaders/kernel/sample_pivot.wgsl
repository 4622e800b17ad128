// Computes one sample per thread at a time. Lemke's method solves the steps. The dictionaries are
// in storage, as private memory could not hold them; entry by entry across the threads, so that
// neighbouring threads read neighbouring words.

var<private> thread: u32;

fn table_at(n: u32, i: u32, j: u32) -> real {
    return tables[(i * (n + 2u) + j) * run.stride + thread];
}
fn table_set(n: u32, i: u32, j: u32, value: real) {
    tables[(i * (n + 2u) + j) * run.stride + thread] = value;
}
fn basic_at(i: u32) -> u32 { return indices[i * run.stride + thread]; }
fn basic_set(i: u32, value: u32) { indices[i * run.stride + thread] = value; }
fn nonbasic_at(i: u32) -> u32 { return indices[(run.lcp_size + i) * run.stride + thread]; }
fn nonbasic_set(i: u32, value: u32) { indices[(run.lcp_size + i) * run.stride + thread] = value; }
fn place_at(i: u32) -> u32 { return indices[(2u * run.lcp_size + 1u + i) * run.stride + thread]; }
fn place_set(i: u32, value: u32) {
    indices[(2u * run.lcp_size + 1u + i) * run.stride + thread] = value;
}

// Each thread has its own dictionary.
fn first() -> u32 { return 0u; }
fn stride() -> u32 { return 1u; }
fn first_row() -> u32 { return 0u; }
fn row_stride() -> u32 { return 1u; }
fn first_column() -> u32 { return 0u; }
fn column_stride() -> u32 { return 1u; }
fn keep_column(n: u32, column: u32) {}
fn kept_at(n: u32, i: u32, column: u32) -> real { return table_at(n, i, column); }
fn keep_ratios(n: u32, column: u32, zero: real) {}
fn ratio_at(n: u32, i: u32, column: u32, zero: real) -> real {
    return lemke_ratio(n, i, column, zero);
}
fn join() {}
fn agreed(x: u32) -> u32 { return x; }

// The list of indices ends with the state of Lemke's method: row, column and number of rounds.
fn cursor(k: u32) -> u32 { return (4u * run.lcp_size + 2u + k) * run.stride + thread; }

fn resume() -> Lemke {
    return Lemke(indices[cursor(0u)], indices[cursor(1u)], indices[cursor(2u)]);
}

fn suspend(lemke: Lemke) {
    indices[cursor(0u)] = lemke.row;
    indices[cursor(1u)] = lemke.column;
    indices[cursor(2u)] = lemke.rounds;
}

@compute @workgroup_size(WORKGROUP)
fn sample_pivot(@builtin(global_invocation_id) id: vec3<u32>) {
    thread = thread_of(id);
    let i = first_left(thread);
    if (thread < run.threads && i < run.count) {
        pivot_on(i);
    }
}
