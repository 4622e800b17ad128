// A step by the combinations of contact modes that occurred in training. Twin: scan in
// src/law/lanes/locate.rs. Returns the residual, or -1 where not exactly one solution is among
// them.

// Solves the step under the name by which the kernel calls every way to solve one. Twin:
// Steps::solve.
fn solve_step(
    stream: Stream, s: ptr<function, Sample>, l: ptr<function, array<real, K>>,
    u_plus: ptr<function, array<real, K>>,
) -> real {
    var x = (*s).x;
    var hits: array<u32, HITS>;
    var count = 0u;
    for (var k = 0u; k < combinations() && count <= HITS; k++) {
        if (modes_holds(k, tolerance(), &x)) {
            if (count < HITS) {
                hits[count] = k;
            }
            count += 1u;
        }
    }
    var worst = -ONE;
    for (var n = 0u; n < count && n < HITS; n++) {
        var other: array<real, K>;
        var after: array<real, K>;
        modes_impulse(hits[n], &x, &other);
        advance(&x, &other, &after);
        let found = residual(&x, &other, &after);
        if (found > RESIDUAL) {
            continue;
        }
        if (worst < ZERO) {
            worst = found;
            *l = other;
            *u_plus = after;
        }
        for (var i = 0u; i < K; i++) {
            if (abs(after[i] - (*u_plus)[i]) * sigma_at(i) > AMBIGUOUS) {
                return -ONE;
            }
        }
    }
    return select(worst, -ONE, count > HITS);
}
