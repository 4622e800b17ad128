// The set-valued Routh law in complementarity steps. Twin: src/law/routh/steps/process.rs.
// The kernel provides rest_at.

// A sample in progress: contact velocity and impulse bounds x = (u, c), total impulse, and status.
struct Sample {
    x: array<real, X>,
    total: array<real, K>,
    status: u32,
    steps: u32,
    residual: f32,
}

fn at_rest(s: ptr<function, Sample>) -> bool {
    var rest = true;
    for (var i = 0u; i < M; i++) {
        rest = rest && (*s).x[i] >= rest_at(i);
    }
    return rest;
}

// Ends the sample if no contact approaches, or after max_steps steps. Twin: the beginning of a
// round of Steps::sample.
fn routh_end(max_steps: u32, s: ptr<function, Sample>) {
    if (at_rest(s)) {
        (*s).status = TERMINATED;
    } else if ((*s).steps == max_steps) {
        (*s).status = STEP_LIMIT;
    }
}

// Applies the impulse of a step with residual `worst`; a negative residual marks an unsolved step.
// Twin: the rest of a round of Steps::sample.
fn routh_end_step(
    s: ptr<function, Sample>, l: ptr<function, array<real, K>>,
    u_plus: ptr<function, array<real, K>>, worst: real,
) {
    if (worst < ZERO) {
        (*s).status = UNSOLVED;
        return;
    }
    (*s).residual = max((*s).residual, f32(worst));
    var finite = true;
    for (var i = 0u; i < K; i++) {
        (*s).total[i] += (*l)[i];
        (*s).x[i] = (*u_plus)[i];
        finite = finite && is_finite((*s).total[i]);
    }
    (*s).steps += 1u;
    if (!finite) {
        (*s).status = NOT_FINITE;
    }
}

// Clips the impulse l at x to its bounds; returns its residual, or -1 if the impulse is no
// solution.
// Twin: Steps::accept.
fn accept(
    x: ptr<function, array<real, X>>, l: ptr<function, array<real, K>>,
    u_plus: ptr<function, array<real, K>>,
) -> real {
    clamp_impulse(x, l);
    advance(x, l, u_plus);
    let worst = residual(x, l, u_plus);
    var moves = false;
    for (var i = 0u; i < K; i++) {
        moves = moves || (*l)[i] != ZERO;
    }
    for (var i = K; i < K + M; i++) {
        moves = moves || (*x)[i] == ZERO;
    }
    return select(-ONE, worst, worst <= RESIDUAL && (moves || !MENDABLE));
}
