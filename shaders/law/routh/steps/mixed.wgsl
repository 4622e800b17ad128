// A step by the iterated mixed form. Twin: the first way of Steps::mend in
// src/law/routh/steps/solve.rs.

// Solves a step; returns its residual, or -1 where the modes do not settle on a solution. Twin: the
// first way of Steps::mend.
fn solve_step(
    s: ptr<function, Sample>, mixed: ptr<function, Mixed>, l: ptr<function, array<real, K>>,
    u_plus: ptr<function, array<real, K>>,
) -> real {
    var x = (*s).x;
    if (!mixed_solve(&x, mixed, l)) {
        return -ONE;
    }
    return accept(&x, l, u_plus);
}
