// Forces at a moment, or at the end of a step, by Newton's method. Twin:
// src/law/routh/inclusion/balance.rs. If the first attempt does not converge, Rust continues with
// Lemke's method; here the host solves such a sample.

// The result of a Newton step.
const PENDING = 0u;
const FOUND = 1u;
const LOST = 2u;

// The friction of a contact in a Newton step. Twin: Friction in src/law/routh/inclusion/balance.rs.
const WITHOUT = 0u;
const STICK = 1u;
const SLIDE = 2u;

// The mode of a contact in a Newton step.
struct Mode {
    // Whether the normal constraint is active, with an unknown force; otherwise the force is known.
    held: bool,
    normal: real,
    friction: u32,
    way: vec2<real>,
    kappa: real,
}

// An unknown of a Newton step: its entries in the rows of l, and the weights of l and of z in its
// equation.
struct Unknown {
    rows: vec3<u32>,
    entries: vec3<real>,
    taken: vec3<real>,
    weights: vec2<real>,
}

var<private> modes: array<Mode, M>;
var<private> unknown: array<Unknown, K>;

// Takes a Newton step for the forces, starting at l. Twin: the first attempt of Balance::solve.
fn solve() -> u32 {
    if (course.number == 0u) {
        for (var i = 0u; i < contacts(); i++) {
            let normal = normal_mode_of(i);
            let cap = state_caps[i];
            var l = ZERO;
            if (normal == FULL) {
                l = cap;
            } else if (normal == FREE) {
                l = clamped(state_l[i], ZERO, cap);
            }
            state_l[i] = l;
            let most = state_mu[i] * l;
            let friction_mode = friction_mode_of(i);
            var friction = vec2<real>(ZERO, ZERO);
            if (friction_mode == SLIDES) {
                friction = sideways(&state_way, i) * most;
            } else if (friction_mode == HELD) {
                friction = shorten(sideways(&state_l, i), most);
            }
            set_sideways(&state_l, i, friction);
        }
        weigh(&state_l, &state_slope);
        course.spent += rows() * rows();
        course.decided = true;
        for (var i = 0u; i < contacts(); i++) {
            course.decided = course.decided && normal_mode_of(i) != FREE
                && friction_mode_of(i) != HELD;
        }
        if (course.decided) {
            return FOUND;
        }
    }
    if (course.number == NEWTON_STEPS) {
        return LOST;
    }
    course.number += 1u;
    if (gap()) {
        return FOUND;
    }
    newton();
    return PENDING;
}

// Determines the modes; returns whether the forces satisfy the natural map.
fn gap() -> bool {
    var apart = ZERO;
    var size = ZERO;
    for (var i = 0u; i < contacts(); i++) {
        let l = state_l[i];
        let c = state_caps[i];
        size = larger(size, abs(l));
        var mode = Mode(false, ZERO, WITHOUT, vec2<real>(ZERO, ZERO), ZERO);
        let normal = normal_mode_of(i);
        if (normal == FULL) {
            mode.normal = c;
        } else if (normal == FREE) {
            // Without inertia along the normal only the sign of z matters.
            let z = state_bias[i] + state_slope[i];
            let w = larger(w_at(i * K + i), abs(resistance(i)));
            var aim = l - z;
            if (w > ZERO) {
                aim = l - z / w;
            }
            apart = larger(apart, abs(l - clamped(aim, ZERO, c)));
            size = larger(size, abs(state_bias[i] / w));
            mode.held = !(aim <= ZERO) && !(aim >= c);
            mode.normal = select(c, ZERO, aim <= ZERO);
        }
        let friction_mode = friction_mode_of(i);
        if (friction_mode == SLIDES) {
            mode.friction = SLIDE;
            mode.way = sideways(&state_way, i);
        } else if (friction_mode == HELD) {
            let f = sideways(&state_l, i);
            let top = state_tops[i];
            let bias = sideways(&state_bias, i);
            let slope = sideways(&state_slope, i);
            let aim = vec2<real>(f.x - (bias.x + slope.x) / top, f.y - (bias.y + slope.y) / top);
            let radius = state_mu[i] * clamped(l, ZERO, c);
            let best = shorten(aim, radius);
            apart = larger(apart, magnitude(f - best));
            let share = vec2<real>(bias.x / top, bias.y / top);
            size = larger(size, larger(magnitude(f), magnitude(share)));
            let far = magnitude(aim);
            if (radius <= ZERO && !mode.held && mode.normal == ZERO) {
                mode.friction = WITHOUT;
            } else if (far > radius && far > ZERO) {
                mode.friction = SLIDE;
                mode.way = vec2<real>(aim.x / far, aim.y / far);
                mode.kappa = radius / far;
            } else {
                mode.friction = STICK;
            }
        }
        modes[i] = mode;
    }
    return apart <= BALANCE_TOLERANCE * size;
}

// Increase of z_n per unit of normal force at contact i, including the friction that follows.
fn resistance(i: u32) -> real {
    let row = w_at(i * K + i);
    if (friction_mode_of(i) != SLIDES) {
        return row;
    }
    let t = tangent(i);
    let way = sideways(&state_way, i);
    let a = w_at(i * K + t);
    if (AXES == 1u) {
        return row + state_mu[i] * (a * way.x + ZERO * way.y);
    }
    return row + state_mu[i] * (a * way.x + w_at(i * K + t + 1u) * way.y);
}

// The component of x (K) along an unknown. The twin is a closure.
fn along(a: u32, x: ptr<private, array<real, K>>) -> real {
    let rows = unknown[a].rows;
    let taken = unknown[a].taken;
    return taken.x * (*x)[rows.x] + taken.y * (*x)[rows.y] + taken.z * (*x)[rows.z];
}

// Entry j of the column of unknown b, the change of W l per unit. There is no twin: Rust keeps the
// columns.
fn column_at(b: u32, j: u32) -> real {
    let rows = unknown[b].rows;
    let entries = unknown[b].entries;
    var sum = ZERO;
    for (var r = 0u; r < 3u; r++) {
        if (entries[r] != ZERO) {
            sum += entries[r] * w_at(rows[r] * K + j);
        }
    }
    return sum;
}

// The component of column b along unknown a. The twin is a closure.
fn along_column(a: u32, b: u32) -> real {
    let rows = unknown[a].rows;
    let taken = unknown[a].taken;
    var sum = ZERO;
    for (var r = 0u; r < 3u; r++) {
        if (taken[r] != ZERO) {
            sum += taken[r] * column_at(b, rows[r]);
        }
    }
    return sum;
}

// Lists the unknowns of a Newton step, and writes the known forces; returns the number of unknowns.
// Twin: the beginning of Balance::newton.
fn begin_newton() -> u32 {
    var n = 0u;
    clear_numbers(&state_known);
    for (var i = 0u; i < contacts(); i++) {
        let mode = modes[i];
        let t = tangent(i);
        let all = vec3<u32>(i, t, t + AXES - 1u);
        var way = vec2<real>(ZERO, ZERO);
        if (mode.friction == SLIDE) {
            way = mode.way * state_mu[i];
        }
        if (mode.held) {
            let side = select(ZERO, way.y, AXES == 2u);
            let entries = vec3<real>(ONE, way.x, side);
            unknown[n] = Unknown(all, entries, vec3<real>(ONE, ZERO, ZERO), vec2<real>(ZERO, ONE));
            n += 1u;
        } else {
            state_known[i] = mode.normal;
            set_sideways(&state_known, i, way * mode.normal);
        }
        if (mode.friction == STICK) {
            for (var axis = 0u; axis < AXES; axis++) {
                var entries = vec3<real>(ZERO, ONE, ZERO);
                if (axis == 1u) {
                    entries = vec3<real>(ZERO, ZERO, ONE);
                }
                unknown[n] = Unknown(all, entries, entries, vec2<real>(ZERO, ONE));
                n += 1u;
            }
        } else if (mode.friction == SLIDE && AXES == 2u && mode.kappa > ZERO) {
            let entries = vec3<real>(ZERO, ZERO - mode.way.y, mode.way.x);
            let weights = vec2<real>(ONE - mode.kappa, mode.kappa / state_tops[i]);
            unknown[n] = Unknown(all, entries, entries, weights);
            n += 1u;
        }
    }
    return n;
}

// Takes a Newton step from the modes.
fn newton() {
    let n = begin_newton();
    weigh(&state_known, &state_slope);
    // The system determines increments of the unknowns, so a singular one changes them least.
    for (var a = 0u; a < n; a++) {
        let own = unknown[a].weights.x;
        let reaction = unknown[a].weights.y;
        var rest = ZERO - reaction * (along(a, &state_bias) + along(a, &state_slope));
        for (var b = 0u; b < 4u * fours(n); b++) {
            var entry = ZERO;
            if (b < n) {
                entry = reaction * along_column(a, b) + select(ZERO, own, a == b);
                rest -= entry * along(b, &state_l);
            }
            set_entry(4u * a * fours(n) + b, entry);
        }
        right[a] = rest;
    }
    eliminate(n);
    for (var b = 0u; b < n; b++) {
        right[b] += along(b, &state_l);
    }
    copy_numbers(&state_l, &state_known);
    for (var b = 0u; b < n; b++) {
        let unit = right[b];
        for (var r = 0u; r < 3u; r++) {
            state_l[unknown[b].rows[r]] += unit * unknown[b].entries[r];
        }
        for (var j = 0u; j < rows(); j++) {
            state_slope[j] += unit * column_at(b, j);
        }
    }
    course.spent += n * n * n / 3u + n * rows() * 4u + rows() * rows();
}
