// Friction forces at given normal rates. Twin: src/law/inclusion/friction.rs.

// Determines what friction does in the next substep, at the current velocity; whether a contact has stopped sliding.
fn grasp(s: ptr<function, Sample>) -> bool {
    var halted = false;
    for (var i = 0u; i < run.contacts; i++) {
        let b = block_of(i);
        let radius = number_of(AT_MU + i) * number_of(AT_RATE + i);
        let before = grip_of(i);
        var grip = HELD;
        if (radius <= ZERO || b.x + b.z <= ZERO) {
            grip = FREE;
        } else if (magnitude(slip_of(s, i)) > HALT) {
            grip = SLIDES;
        }
        halted = halted || (before == SLIDES || before == STEERS) && grip == HELD;
        set_grip(i, grip);
    }
    for (var j = 0u; j < run.rows; j++) {
        set_number(AT_STAGE + j, (*s).x[j]);
        set_number(AT_PULL + j, ZERO);
    }
    return halted;
}

// Makes friction implicit (STEERS) where the direction of sliding settles within a substep of length h.
fn steer(s: ptr<function, Sample>, h: real) {
    for (var j = 0u; j < run.rows; j++) {
        set_number(AT_PULL + j, ZERO);
    }
    for (var i = 0u; i < run.contacts; i++) {
        let slip = slip_of(s, i);
        var grip = grip_of(i);
        if (grip == SLIDES || grip == STEERS) {
            let settles = h * number_of(AT_MU + i) * number_of(AT_RATE + i) * top_of(i) > magnitude(slip);
            grip = select(SLIDES, STEERS, settles);
            set_grip(i, grip);
        }
        if (grip >= STEERS) {
            set_sideways(AT_PULL, i, vec2<real>(slip.x / h, slip.y / h));
        }
    }
}

// Computes the forces at the velocity of the stage, and `slope = W rate`; whether sweeps over sticking contacts are
// needed.
fn forces() -> bool {
    var held = false;
    for (var i = 0u; i < run.contacts; i++) {
        let grip = grip_of(i);
        let slip = sideways(AT_STAGE, i);
        let size = magnitude(slip);
        let radius = number_of(AT_MU + i) * number_of(AT_RATE + i);
        if (grip == FREE) {
            set_sideways(AT_RATE, i, vec2<real>(ZERO, ZERO));
        } else if (grip == SLIDES) {
            if (size > ZERO) {
                set_sideways(AT_RATE, i, vec2<real>(-(slip.x / size * radius), -(slip.y / size * radius)));
            }
        } else {
            held = true;
        }
    }
    var rate = numbers_of(AT_RATE);
    for (var j = 0u; j < run.rows; j++) {
        set_number(AT_SLOPE + j, row_of(j, &rate));
    }
    return held;
}

// One sweep over the contacts that stick or are to be stopped; whether the forces have converged. Twin: a round of
// Integrator::hold.
fn sweep() -> bool {
    var change = ZERO;
    var size = ZERO;
    for (var i = 0u; i < run.contacts; i++) {
        if (grip_of(i) < STEERS) {
            continue;
        }
        let rate = number_of(AT_RATE + i);
        let radius = number_of(AT_MU + i) * rate;
        let before = sideways(AT_RATE, i);
        let after = hold_one(i, before, sideways(AT_SLOPE, i) + sideways(AT_PULL, i), radius);
        set_sideways(AT_RATE, i, after);
        let t = tangent(i);
        let step = after - before;
        for (var j = 0u; j < run.rows; j++) {
            var slope = number_of(AT_SLOPE + j) + w_at(j * K + t) * step.x;
            if (AXES == 2u) {
                slope += w_at(j * K + t + 1u) * step.y;
            }
            set_number(AT_SLOPE + j, slope);
        }
        change = larger(larger(change, abs(step.x)), abs(step.y));
        size = larger(larger(larger(size, abs(after.x)), abs(after.y)), rate);
    }
    return change <= BALANCE * size;
}

// A better force of contact i within a disc, from its force f and acceleration `slope`.
fn hold_one(i: u32, f: vec2<real>, slope: vec2<real>, radius: real) -> vec2<real> {
    let b = block_of(i);
    let determinant = b.x * b.z - b.y * b.y;
    if (determinant > REGULAR * (b.x + b.z) * (b.x + b.z)) {
        let x = b.z * slope.x - b.y * slope.y;
        let y = b.x * slope.y - b.y * slope.x;
        let exact = vec2<real>(f.x - x / determinant, f.y - y / determinant);
        if (magnitude(exact) <= radius) {
            return exact;
        }
    }
    let top = top_of(i);
    let moved = vec2<real>(f.x - slope.x / top, f.y - slope.y / top);
    let size = magnitude(moved);
    if (size > radius) {
        return vec2<real>(moved.x / size * radius, moved.y / size * radius);
    }
    return moved;
}
