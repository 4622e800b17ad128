// Steps by Lemke's method, whose dictionaries and indices lie in storage between dispatches.
// The kernel provides the current dictionary, and first, stride, join and agreed, which returns a number that all threads of a sample have.

@group(0) @binding(2) var<storage, read_write> tables: array<real>;
@group(0) @binding(3) var<storage, read_write> indices: array<u32>;

fn random_covering() -> bool { return run.random_covering == 1u; }

// Goes on with the steps of a sample, at most run.budget pivots and beginnings of steps.
fn pivot_on(stream: Stream, n: u32, s: ptr<function, Sample>, lemke: ptr<function, Lemke>) {
    for (var round = 0u; round < run.budget; round++) {
        // The next step's dictionary takes the place of the last one only when all threads have come here.
        let status = agreed((*s).status);
        if (status < RUNNING) {
            break;
        }
        var end = LEMKE_RUNNING;
        if (status == PIVOTING) {
            end = lemke_advance(n, lemke);
        } else {
            routh_begin_step(stream, max_steps(), s);
            if (agreed((*s).status) < RUNNING) {
                break;
            }
            end = pivot_begin(stream, n, s, lemke);
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
}
