// Whether an impact obeys the law with circular cones, from its impulses alone. Twin:
// InclusionJudge in src/law/routh/inclusion/check.rs.

fn violate(gap: real) {
    course.worst = select(HUGE, larger(course.worst, gap), is_finite(gap));
}

// The positive part of a number. The twins are closures.
fn part(x: real) -> real { return larger(x, ZERO); }

// The unit vector along u, or 0. The stream has another function unit.
fn judge_unit(u: vec2<real>) -> vec2<real> {
    let speed = magnitude(u);
    if (speed > ZERO) {
        return vec2<real>(u.x / speed, u.y / speed);
    }
    return vec2<real>(ZERO, ZERO);
}

// Begins an impact at contact velocity u. Twin: InclusionJudge::begin.
fn judge_begin() {
    copy_numbers(&state_judged, &state_u);
    for (var i = 0u; i < contacts(); i++) {
        state_account[i] = ZERO;
        state_friction[i] = ZERO;
    }
    course.worst = ZERO;
}

// Adds the impulse of the next substep with forces l. Twin: InclusionJudge::substep.
fn judge_substep(h: real, l: ptr<private, array<real, K>>) {
    for (var j = 0u; j < rows(); j++) {
        var after = state_judged[j];
        for (var i = 0u; i < rows(); i++) {
            after += h * (*l)[i] * w_at(i * K + j);
        }
        state_after[j] = after;
    }
    bend(h, l);
    for (var i = 0u; i < contacts(); i++) {
        let ln = h * (*l)[i];
        let cap = h * state_caps[i];
        let before = state_judged[i];
        let after = state_after[i];
        judge_normal(i, ln, cap, before);
        book(i, ln, cap, vec3<real>(before, state_middle[i], after));
        judge_normal(i, ln, cap, after);
        let f = sideways(l, i);
        let found = slip(
            state_mu[i] * ln, ln < cap - CONDITION * cap, vec2<real>(h * f.x, h * f.y),
            sideways(&state_judged, i), sideways(&state_middle, i), sideways(&state_after, i),
        );
        if (found.adds_up) {
            state_friction[i] += found.gap;
        } else {
            violate(found.gap);
        }
    }
    copy_numbers(&state_judged, &state_after);
}

// Computes the velocity at the midpoint of a substep with forces l. Twin: InclusionJudge::bend.
fn bend(h: real, l: ptr<private, array<real, K>>) {
    for (var j = 0u; j < rows(); j++) {
        state_middle[j] = 0.5 * (state_judged[j] + state_after[j]);
    }
    if (AXES == 1u) {
        return;
    }
    for (var i = 0u; i < contacts(); i++) {
        let t = tangent(i);
        let first = sideways(&state_judged, i);
        let last = sideways(&state_after, i);
        let most = h * state_mu[i] * (*l)[i];
        let slowest = smaller(magnitude(first), magnitude(last));
        if (most <= ZERO || most * w_at(t * K + t) > slowest + slowest) {
            continue;
        }
        let bent = (judge_unit(last) - judge_unit(first)) * (0.125 * most);
        for (var j = 0u; j < rows(); j++) {
            state_middle[j] += bent.x * w_at(t * K + j);
            if (AXES == 2u) {
                state_middle[j] += bent.y * w_at((t + 1u) * K + j);
            }
        }
    }
}

// Compares the normal impulse of contact i with its velocity at one end. Twin:
// InclusionJudge::normal.
fn judge_normal(i: u32, ln: real, cap: real, u: real) {
    var apart = smaller(part(u), ln);
    if (state_e[i] > ZERO) {
        // The force equals the impulse bound while stored work is left, which the account checks,
        // and is 0 afterwards.
        apart = smaller(part(u), smaller(cap - ln, ln));
    }
    violate(apart);
    violate(smaller(part(ZERO - u), cap - ln));
    violate(ZERO - ln);
    violate(ln - cap);
}

// Adds the work of impulse l at contact i to its account, with normal velocities at the points of a
// substep.
fn book(i: u32, l: real, cap: real, points: vec3<real>) {
    let e = state_e[i];
    if (e <= ZERO) {
        return;
    }
    let before = points.x;
    let after = points.z;
    let mean = WEIGHT_END * before + WEIGHT_MIDDLE * points.y + WEIGHT_END * after;
    let least = smaller(abs(before), abs(after));
    var small = ZERO;
    if ((before < ZERO && after > ZERO) || (before > ZERO && after < ZERO)) {
        small = 0.5 * least * (least / abs(before - after));
    }
    let down = part(ZERO - mean) + small;
    let up = part(mean) + small;
    var account = state_account[i];
    if (poisson()) {
        let all = down + up;
        // A contact at rest at both ends may move in between by the error of the integration, which
        // is no compression.
        if (!(all <= TERMINATION || (abs(before) <= TERMINATION && abs(after) <= TERMINATION))) {
            account += l * (e * down - up) / all;
        } else if (!(l < cap - CONDITION * cap)) {
            account -= smaller(l, account);
        }
    } else {
        account = account + e * e * l * down - l * up;
    }
    violate(ZERO - account);
    state_account[i] = larger(account, ZERO);
}

// The distance of friction from the law, and whether such distances add up. There is no twin: Rust
// has a pair.
struct Slip {
    gap: real,
    adds_up: bool,
}

// The distance of friction f from Coulomb's law for this direction of sliding. Twin: Slip::off.
fn off(f: vec2<real>, most: real, way: vec2<real>) -> real { return magnitude(f + way * most); }

// The distance of friction f from Coulomb's law over a substep, for directions of sliding at its
// points. Twin: Slip::along.
fn slip_along(
    most: real, held: bool, f: vec2<real>, a: vec2<real>, b: vec2<real>, c: vec2<real>,
) -> real {
    let way = a * WEIGHT_END + b * WEIGHT_MIDDLE + c * WEIGHT_END;
    let moment = (c - a) * MOMENT;
    let size = most * (moment.x * moment.x + moment.y * moment.y);
    if (!held || size <= ZERO) {
        return off(f, most, way);
    }
    let away = moment.x * (f.x + most * way.x) + moment.y * (f.y + most * way.y);
    let share = clamped(ZERO - away / size, ZERO - ONE, ONE);
    return off(f, most, way + moment * share);
}

// The distance of friction f, at most `most`, from Coulomb's law, for sliding velocities at the
// points of a substep. Twin: Slip::gap.
fn slip(
    most: real, held: bool, f: vec2<real>, p: vec2<real>, q: vec2<real>, r: vec2<real>,
) -> Slip {
    let beyond = larger(magnitude(f) - most, ZERO);
    let before = magnitude(p);
    let after = magnitude(r);
    let straight = judge_unit(vec2<real>(0.5 * (p.x + r.x), 0.5 * (p.y + r.y)));
    let middle = judge_unit(q);
    let ending = judge_unit(r);
    var first = judge_unit(p);
    var last = ending;
    // A contact at rest up to rounding errors has no direction.
    if (before <= TERMINATION) {
        first = straight;
    }
    if (after <= TERMINATION) {
        last = straight;
    }
    let curved = slip_along(most, held, f, first, middle, last);
    let along = smaller(curved, slip_along(most, held, f, first, straight, last));
    // A contact that does not slide at the end may have any friction in its disc.
    let ended = smaller(off(f, most, ending), after);
    let turn = magnitude(last - first);
    let slowest = smaller(before, after);
    let turned = 0.5 * slowest * turn;
    return Slip(larger(beyond, smaller(along, larger(ended, turned))), most < slowest);
}

// Clears the account of a contact that cannot move. Twin: InclusionJudge::forfeit.
fn judge_forfeit(i: u32) {
    violate(smaller(state_account[i], abs(state_judged[i])));
    state_account[i] = ZERO;
}

// The residual of an impact that has ended or stopped. Twin: InclusionJudge::end.
fn judge_end(over: bool) -> real {
    for (var i = 0u; i < contacts(); i++) {
        if (over) {
            violate(state_account[i]);
        }
        violate(state_friction[i]);
    }
    for (var j = 0u; j < rows(); j++) {
        violate(abs(state_judged[j] - state_u[j]));
    }
    return course.worst;
}
