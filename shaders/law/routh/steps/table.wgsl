// A step by the table of contact modes: uniform among its distinct solutions. Twin: Steps::solve in
// src/law/routh/steps/solve.rs. Returns the residual, or -1 where this precision finds no solution
// or cannot count them.

// Solves the step, under the common name of all step solvers in kernels. Twin: Steps::solve.
fn solve_step(
    stream: Stream, s: ptr<function, Sample>, l: ptr<function, array<real, K>>,
    u_plus: ptr<function, array<real, K>>,
) -> real {
    var x = (*s).x;
    var found: Solutions;
    modes_solve(combinations(), tolerance(), &x, &found);
    if (found.count == 0u || found.ambiguous) {
        return -ONE;
    }
    var k = 0u;
    if (found.count > 1u) {
        let word = stream_block(stream, (*s).steps, PURPOSE_SOLUTION, 0u).x;
        k = solutions_pick(&found, index_below(word, found.count));
    }
    modes_impulse(found.combinations[k], &x, l);
    for (var i = 0u; i < K; i++) {
        (*u_plus)[i] = found.velocities[k * K + i];
    }
    return found.residuals[k];
}
