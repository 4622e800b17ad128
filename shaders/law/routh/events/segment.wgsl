// The forces of a segment. Twin: src/law/routh/events/segment.rs.
// The kernel provides forces_at: the forces and accelerations of all combinations of modes.

// Forces and accelerations are 4 M numbers.
const FORCES = 4u * M;

// Forces and accelerations (l, u') of a combination of modes.
struct Trial {
    x: array<real, FORCES>,
    modes: u32,
    // Violated conditions: conditions of normal modes, contact by contact, then of tangential
    // modes.
    violated: u32,
    // Number of combinations tried in this segment.
    tried: u32,
}

// The combinations of the distinct solutions.
struct Found {
    count: u32,
    modes: array<u32, MOST_FOUND>,
}

// Result if the combinations of modes are too many to try all.
const TOO_MANY = 0xffffffffu;

// Whether contact i is restituting. There is no twin: Rust has a list of booleans.
fn is_restituting(restituting: u32, i: u32) -> bool { return (restituting & (1u << i)) != 0u; }

// The largest of the forces tried.
fn largest(trial: ptr<function, Trial>) -> real {
    var size = ZERO;
    for (var i = 0u; i < rows(); i++) {
        size = larger(size, abs((*trial).x[i]));
    }
    return size;
}

// Whether a combination of modes has forces that satisfy its inequalities. Sets accelerations of
// rounding size at velocity 0 to 0.
fn holds(
    modes: u32, restituting: u32, s: ptr<function, Sample>, trial: ptr<function, Trial>,
) -> bool {
    (*trial).tried += 1u;
    (*trial).modes = modes;
    (*trial).violated = 0u;
    var number = 0u;
    for (var i = contacts(); i > 0u; i--) {
        number = number * 7u + mode_at(modes, i - 1u);
    }
    let first = number * M * M;
    if (forces_at(first).x == HUGE) {
        return false;
    }
    for (var i = 0u; i < 2u * rows(); i++) {
        (*trial).x[i] = ZERO;
    }
    // Other contacts' forces do not depend on their own impulse bounds.
    for (var j = 0u; j < contacts(); j++) {
        if (full(mode_at(modes, j))) {
            let c = (*s).x[K + j];
            for (var i = 0u; i < contacts(); i++) {
                let four = forces_at(first + M * j + i);
                (*trial).x[4u * i] += c * four.x;
                (*trial).x[4u * i + 1u] += c * four.y;
                (*trial).x[4u * i + 2u] += c * four.z;
                (*trial).x[4u * i + 3u] += c * four.w;
            }
        }
    }
    let small = CONDITION * largest(trial);
    for (var i = 0u; i < rows(); i++) {
        if ((*s).x[i] == ZERO && abs((*trial).x[K + i]) <= small) {
            (*trial).x[K + i] = ZERO;
        }
    }
    for (var i = 0u; i < contacts(); i++) {
        let mode = mode_at(modes, i);
        let c = (*s).x[K + i];
        let ln = (*trial).x[i];
        let slope = (*trial).x[K + i];
        let drag = (*trial).x[K + M + i];
        var normal = (*s).x[i] != ZERO || c == ZERO || slope >= ZERO;
        if (held(mode)) {
            normal = ln >= -small && ln <= c + small;
        } else if (full(mode)) {
            normal = (*s).x[i] != ZERO || is_restituting(restituting, i) || slope <= ZERO;
        }
        var tangent = true;
        if (sticks(mode)) {
            tangent = abs((*trial).x[M + i]) <= mu_at(i) * ln + small;
        } else if (mode != OFF && (*s).x[M + i] == ZERO && !is_smooth(i)) {
            tangent = select(drag <= ZERO, drag >= ZERO, mode == HELD_SLIDE || mode == FULL_SLIDE);
        }
        (*trial).violated |= select(1u, 0u, normal) << (2u * i);
        (*trial).violated |= select(2u, 0u, tangent) << (2u * i);
    }
    return (*trial).violated == 0u;
}

// Whether a solution with the same acceleration has been found before.
fn known(
    found: ptr<function, Found>, restituting: u32, s: ptr<function, Sample>,
    trial: ptr<function, Trial>,
) -> bool {
    let near = DISTINCT * largest(trial);
    for (var k = 0u; k < (*found).count; k++) {
        var other: Trial;
        // The combination holds, as before.
        _ = holds((*found).modes[k], restituting, s, &other);
        var same = true;
        (*trial).tried += 1u;
        for (var i = rows(); i < 2u * rows(); i++) {
            same = same && abs((*trial).x[i] - other.x[i]) <= near;
        }
        if (same) {
            return true;
        }
    }
    return false;
}

// Finds all distinct solutions whose modes differ from the `last` only at free contacts; returns
// their number, or TOO_MANY. The search stops after MOST_TRIALS, with a larger `tried`. Twin:
// Segment::solve.
fn segment_solve(
    free: u32, last: u32, restituting: u32, s: ptr<function, Sample>, trial: ptr<function, Trial>,
    found: ptr<function, Found>,
) -> u32 {
    var possible: array<Possible, M>;
    var combinations = 1u;
    for (var i = 0u; i < contacts(); i++) {
        possible[i] = Possible(mode_at(last, i), 1u);
        if ((free & (1u << i)) != 0u) {
            possible[i] = list(i, is_restituting(restituting, i), s);
        }
        combinations *= possible[i].count;
    }
    (*found).count = 0u;
    if (combinations > MOST_TRIED) {
        return TOO_MANY;
    }
    // The modes of the first contact change fastest.
    for (var n = 0u; n < combinations && (*trial).tried <= MOST_TRIALS; n++) {
        var modes = 0u;
        var rest = n;
        for (var i = 0u; i < contacts(); i++) {
            modes = with_mode(modes, i, mode_at(possible[i].modes, rest % possible[i].count));
            rest = rest / possible[i].count;
        }
        if (holds(modes, restituting, s, trial) && !known(found, restituting, s, trial)) {
            if ((*found).count == MOST_FOUND) {
                (*trial).tried = MOST_TRIALS + 1u;
                break;
            }
            (*found).modes[(*found).count] = modes;
            (*found).count += 1u;
        }
    }
    return (*found).count;
}
