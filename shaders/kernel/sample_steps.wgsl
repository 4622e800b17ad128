// Samples step by step. A file of law/ provides solve_step.

fn end_sample(s: ptr<function, Sample>) { routh_end(max_steps(), s); }

// Takes a step; returns its cost in units of the budget.
fn advance_sample(stream: Stream, s: ptr<function, Sample>) -> u32 {
    draw_caps(stream, (*s).steps, s);
    var l: array<real, K>;
    var u_plus: array<real, K>;
    let worst = solve_step(stream, s, &l, &u_plus);
    routh_end_step(s, &l, &u_plus, worst);
    return 1u;
}
