// A plain step: an explicit step of fourth order, cut at the first event. Twin:
// src/law/routh/inclusion/plain.rs. Events and the end of a step have files of their own in Rust.

// Whether the next step is plain; in Rust, steps with contacts at rest may be plain too. Twin:
// Integrator::is_plain.
fn is_plain() -> bool {
    return course.decided && !straight() && course.ratio <= PART;
}

// Whether contact i has constant friction in the step until it stops. Twin: the field frozen of
// Motion.
fn is_frozen(i: u32) -> bool { return (course.frozen & (1u << i)) != 0u; }

// Starts plain trials. Twin: a part of Motion::take.
fn begin_plain() {
    course.turns = 0u;
    course.halves = false;
    course.trials = 0u;
    course.next = PLAIN;
}

// A trial. Twin: Integrator::plain.
fn plain_trial(s: ptr<function, Sample>) {
    if (!tries(s)) {
        return;
    }
    let seen = outlook();
    let wanted = smaller(course.ratio, LONGEST) * seen.settles;
    let h = smaller(smaller(course.left, seen.most), wanted);
    let error = CAUTION * runge_kutta(h);
    let growth = 0.85 / sqrt(sqrt(larger(error, 1e-4)));
    if (error > ONE || !is_finite(error)) {
        course.ratio = h / seen.settles * clamped(growth, 0.1, 0.7);
        return;
    }
    let event = first_event(h);
    if (event.stops < M && turns_aside(event.stops, h, event.part)) {
        course.turns |= 1u << event.stops;
        return;
    }
    let kept = h / seen.settles * clamped(growth, 0.3, 5.0);
    course.ratio = select(kept, larger(kept, course.ratio), h < wanted);
    let ended = finish_plain(h, event);
    course.known = !ended && is_plain();
    course.left -= event.part * h;
    settle(event.part * h);
    course.next = SUBSTEP;
}

// The longest step, and the shortest time in which friction would stop a turning contact by itself.
// Twin: Outlook.
struct Outlook {
    most: real,
    settles: real,
}

// Marks the contacts that stop before they turn. Twin: Integrator::outlook.
fn outlook() -> Outlook {
    clear_numbers(&state_normal_slope);
    for (var i = 0u; i < contacts(); i++) {
        let l = state_first[i];
        if (l > ZERO) {
            for (var j = 0u; j < rows(); j++) {
                state_normal_slope[j] += l * w_at(i * K + j);
            }
        }
    }
    var most = HUGE;
    var settles = HUGE;
    // The change of friction with the direction of sliding.
    clear_numbers(&state_stage);
    course.frozen = 0u;
    for (var i = 0u; i < contacts(); i++) {
        let size = state_mu[i] * state_first[i];
        if (friction_mode_of(i) != SLIDES || size <= ZERO) {
            continue;
        }
        let u = sideways(&state_u, i);
        let a = sideways(&state_onset, i);
        let speed = magnitude(u);
        let closing = ZERO - (u.x * a.x + u.y * a.y) / speed;
        let across = (u.x * a.y - u.y * a.x) / speed;
        if (closing > ZERO) {
            let stops = speed / closing;
            var part = UNTIL_TURNING;
            if ((course.turns & (1u << i)) == 0u && abs(across) * stops < tolerated()) {
                course.frozen |= 1u << i;
                part = UNTIL_FROZEN;
            }
            most = smaller(most, part * stops);
        }
        if (!is_frozen(i)) {
            settles = smaller(settles, speed / (size * state_tops[i]));
            let bend = ZERO - size * across / (speed * speed);
            set_sideways(&state_stage, i, vec2<real>(ZERO - u.y * bend, u.x * bend));
        }
    }
    let approach = approaches(&state_u);
    for (var i = 0u; i < contacts(); i++) {
        let u = state_u[i];
        let a = state_onset[i];
        if (state_caps[i] > ZERO && abs(u) > landing(i) && u * a < ZERO) {
            var b = ZERO;
            for (var t = contacts(); t < rows(); t++) {
                b += w_at(i * K + t) * state_stage[t];
            }
            let square = a * a - 2.0 * b * u;
            if (square > ZERO) {
                let sum = select(a + sqrt(square), a - sqrt(square), a < ZERO);
                most = smaller(most, AIM * (ZERO - 2.0 * u / sum));
            }
        }
        let c = state_first[i];
        if (c > ZERO && restituting(i, approach)) {
            let stored = state_stored[i] / c;
            most = smaller(most, AIM * select(first_root(a, u, stored), stored, poisson()));
        }
    }
    return Outlook(most, settles);
}

// A step of length h; returns the error, relative to the tolerance. Twin: Integrator::runge_kutta.
fn runge_kutta(h: real) -> real {
    copy_numbers(&state_mean, &state_first);
    copy_numbers(&state_slope, &state_onset);
    for (var stage = 0u; stage < 3u; stage++) {
        let part = select(0.5, ONE, stage == 2u);
        let weight = select(2.0, ONE, stage == 2u);
        for (var j = contacts(); j < rows(); j++) {
            state_stage[j] = state_u[j] + h * part * state_slope[j];
        }
        slide_contacts();
        for (var j = contacts(); j < rows(); j++) {
            state_mean[j] += weight * state_l[j];
        }
        accelerate(contacts());
    }
    for (var j = contacts(); j < rows(); j++) {
        state_mean[j] = state_mean[j] * SIXTH;
    }
    // The embedded solution differs by the change of the force from the last stage to the end.
    copy_numbers(&state_second, &state_l);
    copy_numbers(&state_l, &state_mean);
    accelerate(0u);
    for (var j = 0u; j < rows(); j++) {
        state_next[j] = state_u[j] + h * state_slope[j];
    }
    copy_numbers(&state_stage, &state_next);
    slide_contacts();
    accelerate(0u);
    let m = contacts();
    course.spent += (6u * m + 3u * rows()) * 2u * m;
    clear_numbers(&state_stage);
    for (var t = contacts(); t < rows(); t++) {
        let change = h * SIXTH * (state_second[t] - state_l[t]);
        for (var j = 0u; j < rows(); j++) {
            state_stage[j] += change * w_at(t * K + j);
        }
    }
    var worst = ZERO;
    for (var i = 0u; i < contacts(); i++) {
        var allowed = tolerated();
        if (friction_mode_of(i) == SLIDES && !is_frozen(i)) {
            allowed = smaller(allowed, 0.2 * magnitude(sideways(&state_u, i)));
        }
        worst = larger(worst, abs(state_stage[i]) / tolerated());
        worst = larger(worst, magnitude(sideways(&state_stage, i)) / allowed);
    }
    return worst;
}

// The accelerations of rows from `source` on. Twin: Integrator::accelerate.
fn accelerate(source: u32) {
    for (var j = source; j < rows(); j++) {
        var slope = state_normal_slope[j];
        for (var t = contacts(); t < rows(); t++) {
            slope += state_l[t] * w_at(t * K + j);
        }
        state_slope[j] = slope;
    }
}

// The cubic of row j over a step of length h. Twin: Motion::cubic.
fn cubic(j: u32, h: real) -> Curve {
    let before = state_u[j];
    let slope = h * state_onset[j];
    let rise = state_next[j] - before;
    let last = h * state_slope[j];
    let bend = 3.0 * rise - slope - slope - last;
    return Curve(before, vec4<real>(slope, bend, slope + last - rise - rise, ZERO));
}

// The fraction of a step at the first event, and the contact that stops there, or M. There is no
// twin: Rust has a pair.
struct FirstEvent {
    part: real,
    stops: u32,
}

// The first event of a step of length h. Twin: Integrator::first_event.
fn first_event(h: real) -> FirstEvent {
    var event = FirstEvent(ONE, M);
    let approach = approaches(&state_u);
    for (var i = 0u; i < contacts(); i++) {
        let takes_part = state_caps[i] > ZERO;
        if (!takes_part && !poisson()) {
            continue;
        }
        let before = state_u[i];
        let after = state_next[i];
        let near = landing(i);
        let down = before > near && after < ZERO - near;
        let up = before < ZERO - near && after > near;
        if (down || up) {
            let at = curve_root(cubic(i, h));
            if (at < event.part) {
                event = FirstEvent(at, M);
            }
        }
        if (!takes_part) {
            continue;
        }
        if (state_first[i] > ZERO && restituting(i, approach)) {
            let left_over = store_curve(i, h);
            if (curve_at(left_over, ONE) < ZERO - empty(i, after)) {
                let at = curve_root(left_over);
                if (at < event.part) {
                    event = FirstEvent(at, M);
                }
            }
        }
        if (is_frozen(i)) {
            let ahead = ahead_curve(i, h);
            if (curve_at(ahead, ONE) < ZERO) {
                let at = curve_root(ahead);
                if (at < event.part) {
                    event = FirstEvent(at, i);
                }
            }
        }
    }
    return event;
}

// Stored impulse or work of contact i during restitution, over a step of length h. Twin:
// Motion::store.
fn store_curve(i: u32, h: real) -> Curve {
    let full = Curve(state_stored[i], vec4<real>(ZERO, ZERO, ZERO, ZERO));
    var returned = Curve(ZERO, vec4<real>(ONE, ZERO, ZERO, ZERO));
    if (!poisson()) {
        returned = curve_integral(cubic(i, h));
    }
    return curve_sum(returned, ZERO - h * state_first[i], full);
}

// The sliding velocity of contact i along its initial direction, times its initial speed. Twin:
// Integrator::along.
fn ahead_curve(i: u32, h: real) -> Curve {
    let t = tangent(i);
    let none = Curve(ZERO, vec4<real>(ZERO, ZERO, ZERO, ZERO));
    let x = curve_sum(cubic(t, h), state_u[t], none);
    return curve_sum(cubic(t + 1u, h), state_u[t + 1u], x);
}

// Whether contact i still slides transversely when it should stop. Twin: Integrator::turn.
fn turns_aside(i: u32, h: real, part: real) -> bool {
    let t = tangent(i);
    let u = vec2<real>(curve_at(cubic(t, h), part), curve_at(cubic(t + 1u, h), part));
    return magnitude(u) > tolerated();
}

// Stops the transverse sliding of contact i after a step of length h. Twin: Integrator::halt.
fn halt_contact(i: u32, h: real) {
    let t = tangent(i);
    let u = sideways(&state_next, i);
    let a = w_at(t * K + t);
    let b = w_at(t * K + t + 1u);
    let c = w_at((t + 1u) * K + t);
    let d = w_at((t + 1u) * K + t + 1u);
    let det = a * d - b * c;
    let top = state_tops[i];
    // If one direction cannot move, sliding is along the other.
    var impulse = vec2<real>(ZERO - u.x / top, ZERO - u.y / top);
    if (det > EPSILON * top * top) {
        impulse = vec2<real>((b * u.y - d * u.x) / det, (c * u.x - a * u.y) / det);
    }
    for (var axis = 0u; axis < 2u; axis++) {
        state_mean[t + axis] += impulse[axis] / larger(h, EPSILON);
        for (var j = 0u; j < rows(); j++) {
            state_next[j] += impulse[axis] * w_at((t + axis) * K + j);
        }
    }
    set_sideways(&state_next, i, vec2<real>(ZERO, ZERO));
}

// Cuts the step of length h at its event; returns whether there is one. Twin: Integrator::finish.
fn finish_plain(h: real, event: FirstEvent) -> bool {
    let part = event.part;
    if (part < ONE) {
        for (var i = 0u; i < contacts(); i++) {
            let way = curve_at(curve_integral(cubic(i, h)), part);
            state_travel[i] = way / larger(part, EPSILON);
        }
        for (var j = 0u; j < rows(); j++) {
            state_next[j] = curve_at(cubic(j, h), part);
        }
        let rest = ONE - part;
        let whole = part * (3.0 - 2.0 * part);
        for (var j = contacts(); j < rows(); j++) {
            state_mean[j] = whole * state_mean[j] + rest * rest * state_first[j]
                - part * rest * state_l[j];
        }
        if (event.stops < M) {
            halt_contact(event.stops, part * h);
        }
        return true;
    }
    let approach = approaches(&state_u);
    // Stored impulse is returned while no contact approaches.
    var ended = poisson() && approach != approaches(&state_next);
    for (var i = 0u; i < contacts(); i++) {
        let before = state_u[i];
        let after = state_next[i];
        let change = h * TWELFTH * (state_onset[i] - state_slope[i]);
        state_travel[i] = 0.5 * (before + after) + change;
        let near = landing(i);
        let above = (before > near) != (after > near);
        let below = (before < ZERO - near) != (after < ZERO - near);
        let halts = friction_mode_of(i) == SLIDES && magnitude(sideways(&state_next, i)) <= halt();
        let empties = restituting(i, approach) && left(i, h) <= empty(i, after);
        ended = ended || (state_caps[i] > ZERO && (above || below || halts || empties));
    }
    for (var j = contacts(); j < rows(); j++) {
        state_first[j] = state_l[j];
    }
    copy_numbers(&state_onset, &state_slope);
    return ended;
}
