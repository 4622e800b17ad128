// A step by Lemke's method. Twin: Bound::pivot in src/law/routh.rs.
// The kernel provides random_covering, table_* and the indices.

// Entry (row, column) of the step's LCP matrix, unknowns [s | ln | b+ | b- | g]. Twin: StepProblem::lcp_entry.
fn lcp_entry(row: u32, column: u32) -> real {
    let a = row / M;
    let i = row % M;
    let b = column / M;
    let j = column % M;
    if (a == 0u || a == 4u || b == 0u || b == 4u) {
        if (i != j) {
            return ZERO;
        }
        if (a == 0u) {
            return select(ZERO, -ONE, b == 1u);
        }
        if (a == 4u) {
            let size = larger(ONE, mu_at(i));
            if (b == 1u) {
                return mu_at(i) / size;
            }
            return select(ZERO, -ONE / size, b == 2u || b == 3u);
        }
        if (b == 0u) {
            return select(ZERO, ONE, a == 1u);
        }
        return select(ZERO, ONE, a == 2u || a == 3u);
    }
    let r = select(M + i, i, a == 1u);
    let c = select(M + j, j, b == 1u);
    let entry = w_at(r * K + c);
    return select(entry, -entry, (a == 3u) != (b == 3u));
}

fn lcp_constant(x: ptr<function, array<real, X>>, row: u32) -> real {
    let a = row / M;
    if (a == 0u) {
        return (*x)[K + row];
    }
    if (a == 1u || a == 2u) {
        return (*x)[row - M];
    }
    if (a == 3u) {
        return -(*x)[row - 2u * M];
    }
    return ZERO;
}

// Sets up the dictionary of the next step; LEMKE_SOLVED where there is nothing to do.
fn pivot_begin(stream: Stream, n: u32, s: ptr<function, Sample>, lemke: ptr<function, Lemke>) -> u32 {
    var x = (*s).x;
    var words = vec4<u32>();
    for (var i = 0u; i < n; i++) {
        for (var j = 0u; j < n; j++) {
            table_set(n, i, j, lcp_entry(i, j));
        }
        var covering = ONE;
        if (random_covering()) {
            if (i % 4u == 0u) {
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

// Takes the impulse that pivoting ended with; the residual, or -1 where it is no solution.
fn pivot_end(n: u32, s: ptr<function, Sample>, l: ptr<function, array<real, K>>, u_plus: ptr<function, array<real, K>>) -> real {
    var x = (*s).x;
    lemke_impulse(n, l);
    return accept(&x, l, u_plus);
}
