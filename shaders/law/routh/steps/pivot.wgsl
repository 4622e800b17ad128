// A step by Lemke's method. Twin: Steps::pivot in src/law/routh/steps/solve.rs. The kernel provides
// random_covering, the matrix of the LCP (matrix_at), table_*, the indices, and first, stride and
// join.

// The block of a row or column of the LCP - 0 s, 1 ln, 2 b+, 3 b-, 4 g - and its place within.
// Twin: StepProblem::block.
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

// Constant `row` of the step's LCP, unknowns [s | ln | b+ | b- | g]. Twin:
// StepProblem::lcp_constant.
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

// Sets up the dictionary of the next step; LEMKE_SOLVED where there is nothing to do. Twin: the
// beginning of Steps::pivot.
fn pivot_begin(
    stream: Stream, n: u32, s: ptr<function, Sample>, lemke: ptr<function, Lemke>,
) -> u32 {
    var x = (*s).x;
    var words = vec4<u32>();
    for (var i = first_row(); i < n; i += row_stride()) {
        for (var j = first_column(); j < n; j += column_stride()) {
            table_set(n, i, j, matrix_at(i * n + j));
        }
    }
    for (var i = first(); i < n; i += stride()) {
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

// Reads the impulse at the end of pivoting; returns the residual, or -1 if the impulse is no
// solution. Twin: the end of Steps::pivot.
fn pivot_end(
    n: u32, s: ptr<function, Sample>, l: ptr<function, array<real, K>>,
    u_plus: ptr<function, array<real, K>>,
) -> real {
    var x = (*s).x;
    lemke_impulse(n, l);
    return accept(&x, l, u_plus);
}
