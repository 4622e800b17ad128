// Common parts of the processes with restitution. Twin: src/law/sampling/restitution.rs.

// The smallest t > 0 with a t^2 / 2 + u t = stored, for stored > 0; HUGE where there is none.
fn first_root(a: real, u: real, stored: real) -> real {
    let square = u * u + 2.0 * a * stored;
    if (square < ZERO) {
        return HUGE;
    }
    let below = u + sqrt(square);
    if (below > ZERO) {
        return 2.0 * stored / below;
    }
    return HUGE;
}
