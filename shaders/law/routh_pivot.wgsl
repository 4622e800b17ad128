// A step by Lemke's method. Twin: Steps::pivot in src/law/routh/solve.rs.
// The kernel provides random_covering, table_*, the indices, and first, stride and join.

// The block of a row or column of the LCP - 0 s, 1 ln, 2 b+, 3 b-, 4 g - and its place within. Twin: StepProblem::block.
fn lcp_block(row: u32) -> vec2<u32> {
    let tangents = AXES * M;
    if (row < 2u * M) {
        return vec2<u32>(row / M, row % M);
    }
    let place = row - 2u * M;
    if (place < 2u * tangents) {
        return vec2<u32>(2u + place / tangents, place % tangents);
    }
    return vec2<u32>(4u, place - 2u * tangents);
}

// Entry (row, column) of the step's LCP matrix, unknowns [s | ln | b+ | b- | g]. Twin: StepProblem::lcp_entry.
fn lcp_entry(row: u32, column: u32) -> real {
    let a = lcp_block(row);
    let b = lcp_block(column);
    let tangent_a = a.x == 2u || a.x == 3u;
    let tangent_b = b.x == 2u || b.x == 3u;
    if (a.x == 0u || a.x == 4u || b.x == 0u || b.x == 4u) {
        let i = select(a.y, a.y / AXES, tangent_a);
        let j = select(b.y, b.y / AXES, tangent_b);
        if (i != j) {
            return ZERO;
        }
        if (a.x == 0u) {
            return select(ZERO, -ONE, b.x == 1u);
        }
        if (a.x == 4u) {
            let size = larger(ONE, mu_at(i));
            if (b.x == 1u) {
                return mu_at(i) / size;
            }
            return select(ZERO, -ONE / size, tangent_b);
        }
        if (b.x == 0u) {
            return select(ZERO, ONE, a.x == 1u);
        }
        return select(ZERO, ONE, tangent_a);
    }
    let r = select(M + a.y, a.y, a.x == 1u);
    let c = select(M + b.y, b.y, b.x == 1u);
    let entry = w_at(r * K + c);
    return select(entry, -entry, (a.x == 3u) != (b.x == 3u));
}

// Constant `row` of the same LCP. Twin: StepProblem::lcp_constant.
fn lcp_constant(x: ptr<function, array<real, X>>, row: u32) -> real {
    let a = lcp_block(row);
    switch (a.x) {
        case 0u: { return (*x)[K + a.y]; }
        case 1u: { return (*x)[a.y]; }
        case 2u: { return (*x)[M + a.y]; }
        case 3u: { return -(*x)[M + a.y]; }
        default: { return ZERO; }
    }
}

// Sets up the dictionary of the next step; LEMKE_SOLVED where there is nothing to do. Twin: the beginning of Steps::pivot.
fn pivot_begin(stream: Stream, n: u32, s: ptr<function, Sample>, lemke: ptr<function, Lemke>) -> u32 {
    var x = (*s).x;
    var words = vec4<u32>();
    for (var i = first(); i < n; i += stride()) {
        for (var j = 0u; j < n; j++) {
            table_set(n, i, j, lcp_entry(i, j));
        }
        var covering = ONE;
        if (random_covering()) {
            if (i % 4u == 0u || stride() > 1u) {
                words = stream_block(stream, (*s).steps, PURPOSE_COVERING, i / 4u);
            }
            covering = COVERING_LOW + COVERING_RANGE * unit(words[i % 4u]);
        }
        table_set(n, i, n, covering);
        table_set(n, i, n + 1u, lcp_constant(&x, i));
    }
    lemke_begin(n);
    *lemke = Lemke(lemke_first_row(n), n, 0u);
    return select(LEMKE_RUNNING, LEMKE_SOLVED, (*lemke).row == NONE);
}

// Takes the impulse that pivoting ended with; the residual, or -1 where it is no solution. Twin: the end of Steps::pivot.
fn pivot_end(n: u32, s: ptr<function, Sample>, l: ptr<function, array<real, K>>, u_plus: ptr<function, array<real, K>>) -> real {
    var x = (*s).x;
    lemke_impulse(n, l);
    return accept(&x, l, u_plus);
}
