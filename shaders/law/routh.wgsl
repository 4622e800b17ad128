// The set-valued Routh law, one sample. Twin: src/law/routh.rs.
// The kernel provides start_at, cap_at, rest_at and solve_step.

struct Ending {
    status: u32,
    steps: u32,
    residual: real,
}

fn at_rest(x: ptr<function, array<real, X>>) -> bool {
    var rest = true;
    for (var i = 0u; i < M; i++) {
        rest = rest && (*x)[i] >= rest_at(i);
    }
    return rest;
}

fn routh_sample(stream: Stream, max_steps: u32, total: ptr<function, array<real, K>>) -> Ending {
    var x: array<real, X>;
    for (var i = 0u; i < K; i++) {
        (*total)[i] = ZERO;
        x[i] = start_at(i);
    }
    var worst = ZERO;
    for (var steps = 0u; steps < max_steps; steps++) {
        if (at_rest(&x)) {
            return Ending(TERMINATED, steps, worst);
        }
        draw_caps(stream, steps, &x);
        var l: array<real, K>;
        var u_plus: array<real, K>;
        let step_residual = solve_step(stream, steps, &x, &l, &u_plus);
        if (step_residual < ZERO) {
            return Ending(UNSOLVED, steps, worst);
        }
        worst = larger(worst, step_residual);
        var finite = true;
        for (var i = 0u; i < K; i++) {
            (*total)[i] += l[i];
            x[i] = u_plus[i];
            finite = finite && is_finite((*total)[i]);
        }
        if (!finite) {
            return Ending(NOT_FINITE, steps + 1u, worst);
        }
    }
    return Ending(select(STEP_LIMIT, TERMINATED, at_rest(&x)), max_steps, worst);
}

// c = h p with p from the stream.
fn draw_caps(stream: Stream, step: u32, x: ptr<function, array<real, X>>) {
    var words = vec4<u32>();
    for (var i = 0u; i < M; i++) {
        if (i % 4u == 0u) {
            words = stream_block(stream, step, PURPOSE_RATE, i / 4u);
        }
        (*x)[K + i] = cap_at(i) * unit(words[i % 4u]);
    }
}
