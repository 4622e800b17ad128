// Samples by steps in the iterated mixed form, whose workspace is private memory.

fn end_sample(s: ptr<function, Sample>) { routh_end(max_steps(), s); }

// Takes a step; returns the rounds of modes that it took.
fn advance_sample(stream: Stream, s: ptr<function, Sample>) -> u32 {
    draw_caps(stream, (*s).steps, s);
    var mixed: Mixed;
    var l: array<real, K>;
    var u_plus: array<real, K>;
    let worst = solve_step(s, &mixed, &l, &u_plus);
    routh_end_step(s, &l, &u_plus, worst);
    return max(mixed.rounds, 1u);
}
