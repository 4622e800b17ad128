// A step by the table of contact modes: uniform among its distinct solutions. Twin: Bound::solve in src/law/routh.rs.
// Returns the residual, or -1 where this precision finds no solution or cannot count them.

fn solve_step(stream: Stream, s: ptr<function, Sample>, l: ptr<function, array<real, K>>, u_plus: ptr<function, array<real, K>>) -> real {
    var x = (*s).x;
    var found: Solutions;
    modes_solve(combinations(), tolerance(), &x, &found);
    if (found.count == 0u || (found.ambiguous && MENDABLE)) {
        return -ONE;
    }
    var k = 0u;
    if (found.count > 1u) {
        k = index_below(stream_block(stream, (*s).steps, PURPOSE_SOLUTION, 0u).x, found.count);
    }
    *l = found.impulses[k];
    *u_plus = found.velocities[k];
    return found.residuals[k];
}
