// Single impacts in random order. Twin: RandomOrder::sample in src/law/random_order.rs.
// The kernel provides strike of sequential.wgsl or propagative.wgsl.

// Strikes one of the approaching contacts, drawn uniformly; ends the sample if there is none.
// Twin: a round of RandomOrder::sample.
fn order_step(stream: Stream, max_steps: u32, s: ptr<function, Sample>) {
    var count = 0u;
    for (var i = 0u; i < M; i++) {
        count += select(0u, 1u, (*s).x[i] < rest_at(i));
    }
    if (count == 0u) {
        var finite = true;
        for (var i = 0u; i < K; i++) {
            finite = finite && is_finite((*s).x[i]);
        }
        (*s).status = select(NOT_FINITE, TERMINATED, finite);
        return;
    }
    if ((*s).steps == max_steps) {
        (*s).status = STEP_LIMIT;
        return;
    }
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
