// Sequences of impacts at one contact at a time.

fn end_sample(s: ptr<function, Sample>) { order_end(max_steps(), s); }

// Applies an impact at one contact; returns its cost in units of the budget.
fn advance_sample(stream: Stream, s: ptr<function, Sample>) -> u32 {
    order_step(stream, s);
    return 1u;
}
