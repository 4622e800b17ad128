// A step whose cell has one critical region: a guess that the residual checks. Twin: run in
// src/law/lanes. Returns the residual, or -1 where the guess is wrong or the step is in no cell.
// The kernel provides tolerance, edge and region_at.

// Solves the step under the name by which the kernel calls every way to solve one. Twin: run in
// src/law/lanes.
fn solve_step(
    stream: Stream, s: ptr<function, Sample>, l: ptr<function, array<real, K>>,
    u_plus: ptr<function, array<real, K>>,
) -> real {
    var x = (*s).x;
    let cell = cells_find((*s).steps == 0u, edge(), &x);
    // Where there is no cell, the first region stands in, but its solution does not count.
    modes_impulse(region_at(select(cell, 0u, cell == NOWHERE)), &x, l);
    advance(&x, l, u_plus);
    let worst = residual(&x, l, u_plus);
    return select(-ONE, worst, worst <= TIGHT * tolerance() && cell != NOWHERE);
}
