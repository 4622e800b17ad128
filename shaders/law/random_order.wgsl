// Single impacts in random order. Twin: RandomOrder::sample in src/law/sampling/random_order.rs.
// The kernel provides strike of sequential.wgsl or propagative.wgsl.

// Number of contacts that approach. There is no twin.
fn approaching(s: ptr<function, Sample>) -> u32 {
    var count = 0u;
    for (var i = 0u; i < M; i++) {
        count += select(0u, 1u, (*s).x[i] < rest_at(i));
    }
    return count;
}

// Ends the sample if no contact approaches, or after max_steps impacts. Twin: the beginning of a
// round of RandomOrder::sample.
fn order_end(max_steps: u32, s: ptr<function, Sample>) {
    if (approaching(s) == 0u) {
        var finite = true;
        for (var i = 0u; i < K; i++) {
            finite = finite && is_finite((*s).x[i]);
        }
        (*s).status = select(NOT_FINITE, TERMINATED, finite);
    } else if ((*s).steps == max_steps) {
        (*s).status = STEP_LIMIT;
    }
}

// Applies an impact at one approaching contact, drawn uniformly. Twin: the rest of a round of
// RandomOrder::sample.
fn order_step(stream: Stream, s: ptr<function, Sample>) {
    let count = approaching(s);
    let rank = index_below(stream_block(stream, (*s).steps, PURPOSE_ORDER, 0u).x, count);
    var before = 0u;
    var struck = 0u;
    for (var i = 0u; i < M; i++) {
        let approaches = (*s).x[i] < rest_at(i);
        struck = select(struck, i, approaches && before == rank);
        before += select(0u, 1u, approaches);
    }
    (*s).residual = max((*s).residual, f32(strike(struck, s)));
    (*s).steps += 1u;
    var finite = true;
    for (var i = 0u; i < K; i++) {
        finite = finite && is_finite((*s).total[i]);
    }
    if (!finite) {
        (*s).status = NOT_FINITE;
    }
}
