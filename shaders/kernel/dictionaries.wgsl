// Steps by Lemke's method, whose dictionaries and indices lie in storage between dispatches. The
// kernel provides the current dictionary, resume and suspend, and first, stride, join and agreed,
// which returns one number to all threads of a sample.

@group(0) @binding(2) var<storage, read_write> tables: array<real>;
@group(0) @binding(3) var<storage, read_write> indices: array<u32>;
// The matrices of the steps as LCPs, problem by problem.
@group(0) @binding(9) var<storage, read> matrices: array<real>;

fn matrix_at(entry: u32) -> real {
    return matrices[problem_number() * run.lcp_size * run.lcp_size + entry];
}
fn random_covering() -> bool { return run.random_covering == 1u; }

// Computes samples number, number + run.threads, ... one after the other: at most run.budget
// pivots, beginnings of steps, and ends of samples.
fn pivot_on(number: u32) {
    let n = run.lcp_size;
    var i = number;
    var s: Sample;
    var lemke: Lemke;
    var enters = true;
    var spent = 0u;
    while (spent < run.budget) {
        if (enters) {
            s = load(i);
            if (s.status == WAITING) {
                s.status = RUNNING;
            }
            enters = false;
            if (agreed(s.status) == PIVOTING) {
                draw_caps(stream_of(i), s.steps, &s);
                lemke = resume();
            }
        }
        // No thread may overwrite the last step's dictionary before all threads have come here.
        var status = agreed(s.status);
        while (status >= WAITING && spent < run.budget) {
            pivot_round(i, n, &s, &lemke);
            spent += 1u;
            status = agreed(s.status);
            if (REFILLS) {
                break;
            }
        }
        if (status < WAITING) {
            if (first() == 0u) {
                store(i, &s);
            }
            i += run.threads;
            if (i >= run.count) {
                return;
            }
            enters = true;
        }
    }
    if (!enters) {
        if (agreed(s.status) == PIVOTING) {
            suspend(lemke);
        }
        if (first() == 0u) {
            store(i, &s);
        }
        i += run.threads;
    }
    if (first() == 0u) {
        postpone(i);
    }
}

// A pivot, the beginning of a step, or the end of the sample.
fn pivot_round(i: u32, n: u32, s: ptr<function, Sample>, lemke: ptr<function, Lemke>) {
    if ((*s).status == RUNNING) {
        routh_end(max_steps(), s);
    }
    let status = agreed((*s).status);
    if (status < WAITING) {
        return;
    }
    var end = LEMKE_RUNNING;
    if (status == PIVOTING) {
        end = lemke_advance(n, lemke);
    } else {
        draw_caps(stream_of(i), (*s).steps, s);
        end = pivot_begin(stream_of(i), n, s, lemke);
        (*s).status = PIVOTING;
    }
    if (end != LEMKE_RUNNING) {
        var l: array<real, K>;
        var u_plus: array<real, K>;
        var worst = -ONE;
        if (end != LEMKE_PIVOT_LIMIT) {
            worst = pivot_end(n, s, &l, &u_plus);
        }
        (*s).status = RUNNING;
        routh_end_step(s, &l, &u_plus, worst);
    }
}
