// Samples by impacts at one contact at a time.

fn end_sample(s: ptr<function, Sample>) { order_end(max_steps(), s); }

// Strikes a contact; returns the units of the budget that it took.
fn advance_sample(stream: Stream, s: ptr<function, Sample>) -> u32 {
    order_step(stream, s);
    return 1u;
}
