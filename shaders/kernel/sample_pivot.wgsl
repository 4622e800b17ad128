// One thread per sample. Steps are solved by Lemke's method. The dictionaries are in storage, as private memory could
// not hold them; entry by entry across the threads, so that neighbouring threads read neighbouring words.

var<private> thread: u32;

fn table_at(n: u32, i: u32, j: u32) -> real { return tables[(i * (n + 2u) + j) * run.threads + thread]; }
fn table_set(n: u32, i: u32, j: u32, value: real) { tables[(i * (n + 2u) + j) * run.threads + thread] = value; }
fn basic_at(i: u32) -> u32 { return indices[i * run.threads + thread]; }
fn basic_set(i: u32, value: u32) { indices[i * run.threads + thread] = value; }
fn nonbasic_at(i: u32) -> u32 { return indices[(run.lcp_size + i) * run.threads + thread]; }
fn nonbasic_set(i: u32, value: u32) { indices[(run.lcp_size + i) * run.threads + thread] = value; }
fn place_at(i: u32) -> u32 { return indices[(2u * run.lcp_size + 1u + i) * run.threads + thread]; }
fn place_set(i: u32, value: u32) { indices[(2u * run.lcp_size + 1u + i) * run.threads + thread] = value; }

// Each thread has its own dictionary.
fn first() -> u32 { return 0u; }
fn stride() -> u32 { return 1u; }
fn join() {}
fn agreed(x: u32) -> u32 { return x; }

// The list of indices ends with the row, the column and the number of rounds of Lemke's method in progress.
fn cursor() -> u32 { return 4u * run.lcp_size + 2u; }

@compute @workgroup_size(WORKGROUP)
fn sample_pivot(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = thread_of(id);
    thread = i;
    if (i >= run.count) {
        return;
    }
    let n = run.lcp_size;
    enter(i);
    let stream = stream_of(i);
    var s = load(i);
    var lemke: Lemke;
    if (s.status == PIVOTING) {
        draw_caps(stream, s.steps, &s);
        lemke = Lemke(
            indices[cursor() * run.threads + i],
            indices[(cursor() + 1u) * run.threads + i],
            indices[(cursor() + 2u) * run.threads + i],
        );
    }
    pivot_on(stream, n, &s, &lemke);
    indices[cursor() * run.threads + i] = lemke.row;
    indices[(cursor() + 1u) * run.threads + i] = lemke.column;
    indices[(cursor() + 2u) * run.threads + i] = lemke.rounds;
    store(i, &s);
}
