// One substep: three stages, each of which starts when the forces of the previous one are known.
// Twin: src/law/inclusion/substep.rs.

// The time until the first contact ends its phase or stops sliding.
fn horizon(s: ptr<function, Sample>) -> real {
    var soonest = HUGE;
    for (var i = 0u; i < run.contacts; i++) {
        let u = (*s).x[i];
        let a = number_of(AT_ONSET + i);
        let c = number_of(AT_RATE + i);
        let phase = phase_of(i);
        if (c > ZERO && phase == RESTITUTING && u > ZERO && a < ZERO) {
            soonest = smaller(soonest, -u / a);
        }
        if (c > ZERO && phase == COMPRESSING && a > ZERO) {
            soonest = smaller(soonest, -u / a);
        }
        if (c > ZERO && phase == RESTITUTING) {
            let stored = number_of(AT_STORED + i) / c;
            if (poisson()) {
                soonest = smaller(soonest, stored);
            } else {
                soonest = smaller(soonest, first_root(a, u, stored));
            }
        }
        let grip = grip_of(i);
        if (grip == SLIDES || grip == STEERS) {
            let x = slip_of(s, i);
            let p = sideways(AT_ONSET, i);
            let closing = -(x.x * p.x + x.y * p.y);
            if (closing > ZERO) {
                soonest = smaller(soonest, (x.x * x.x + x.y * x.y) / closing);
            }
        }
    }
    return soonest;
}

// Twin: first_root in src/law/restitution.rs. The smallest t > 0 with a t^2 / 2 + u t = stored, for stored > 0; HUGE where there is none.
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

// Starts a trial of length c.h, or ends the sample after too many trials.
// Twin: the beginning of Integrator::substep.
fn begin_trial(s: ptr<function, Sample>, c: ptr<function, Course>) {
    if ((*c).trials == MAX_TRIALS) {
        (*s).status = UNSOLVED;
        return;
    }
    (*c).trials += 1u;
    for (var j = 0u; j < run.rows; j++) {
        set_number(AT_RATE + j, number_of(AT_FIRST + j));
    }
    steer(s, (*c).h);
    for (var j = 0u; j < run.rows; j++) {
        set_number(AT_STAGE + j, (*s).x[j] + (*c).h * 0.5 * number_of(AT_ONSET + j));
    }
    (*c).next = SECOND;
}

// Continues from the forces of the second stage to the third.
// Twin: the middle of Integrator::substep.
fn end_second(s: ptr<function, Sample>, c: ptr<function, Course>) {
    let h = (*c).h;
    for (var j = 0u; j < run.rows; j++) {
        set_number(AT_SECOND + j, number_of(AT_RATE + j));
        set_number(AT_MEAN + j, number_of(AT_FIRST + j));
    }
    (*c).turned = replace(h);
    var mean = ZERO;
    var middle = ZERO;
    for (var j = 0u; j < run.rows; j++) {
        mean += number_of(AT_MEAN + j) * (*s).x[j];
        middle += number_of(AT_RATE + j) * number_of(AT_STAGE + j);
    }
    (*c).power = 2.0 * mean + 3.0 * middle;
    for (var i = 0u; i < run.contacts; i++) {
        set_number(AT_TRAVEL + i, 2.0 * (*s).x[i] + 3.0 * number_of(AT_STAGE + i));
    }
    for (var j = 0u; j < run.rows; j++) {
        set_number(AT_STAGE + j, (*s).x[j] + h * 0.75 * number_of(AT_SLOPE + j));
    }
    (*c).next = THIRD;
}

// Copies the forces of the second stage where friction is implicit (STEERS); the error of this choice, relative to the
// tolerance.
fn replace(h: real) -> real {
    var worst = ZERO;
    for (var i = 0u; i < run.contacts; i++) {
        if (grip_of(i) == STEERS) {
            let before = sideways(AT_FIRST, i);
            let now = sideways(AT_SECOND, i);
            set_sideways(AT_MEAN, i, now);
            let error = 0.5 * h * top_of(i) * magnitude(now - before);
            worst = larger(worst, error / TOLERATED);
        }
    }
    return worst;
}

// Continues from the forces of the third stage to the end of the substep, or to a shorter trial.
// Twin: the end of Integrator::substep.
fn end_third(s: ptr<function, Sample>, c: ptr<function, Course>) {
    let h = (*c).h;
    var last = ZERO;
    for (var j = 0u; j < run.rows; j++) {
        last += number_of(AT_RATE + j) * number_of(AT_STAGE + j);
    }
    (*c).power = ((*c).power + 4.0 * last) * NINTH;
    for (var i = 0u; i < run.contacts; i++) {
        set_number(AT_TRAVEL + i, (number_of(AT_TRAVEL + i) + 4.0 * number_of(AT_STAGE + i)) * NINTH);
    }
    for (var j = 0u; j < run.rows; j++) {
        let x = number_of(AT_MEAN + j);
        let y = number_of(AT_SECOND + j);
        let z = number_of(AT_RATE + j);
        set_number(AT_MEAN + j, (2.0 * x + 3.0 * y + 4.0 * z) * NINTH);
        set_number(AT_STAGE + j, h * 2.0 * NINTH * ((x - y) + 2.0 * (z - y)));
    }
    let error = larger((*c).turned, substep_error(s));
    var next: array<real, K>;
    var square = ZERO;
    var mean = numbers_of(AT_MEAN);
    for (var j = 0u; j < run.rows; j++) {
        next[j] = (*s).x[j] + h * row_of(j, &mean);
        square += next[j] * next[j];
    }
    let growth = 0.9 / sqrt(sqrt(larger(error, 1e-4)));
    if (error > ONE || !(is_finite(error) && is_finite(square))) {
        (*c).h = h * larger(growth, 0.2);
        (*c).wanted = (*c).h;
        (*c).next = TRIAL;
        return;
    }
    let shorter = overshoot(s, &next, h);
    if (shorter < h) {
        (*c).h = shorter;
        (*c).next = TRIAL;
        return;
    }
    (*c).wanted = larger((*c).wanted, h * larger(growth, ONE));
    (*c).left -= h;
    settle(s, c, &next);
    (*c).next = SUBSTEP;
}

// The largest error, which is stored in the stage, relative to the tolerance.
// Twin: Integrator::error.
fn substep_error(s: ptr<function, Sample>) -> real {
    var worst = ZERO;
    for (var i = 0u; i < run.contacts; i++) {
        var allowed = TOLERATED;
        if (grip_of(i) == SLIDES) {
            allowed = smaller(allowed, 0.1 * magnitude(slip_of(s, i)));
        }
        worst = larger(worst, magnitude(sideways(AT_STAGE, i)) / allowed);
    }
    return worst;
}

// A smaller step if `next` is past the end of a phase, else h.
fn overshoot(s: ptr<function, Sample>, next: ptr<function, array<real, K>>, h: real) -> real {
    var shorter = h;
    for (var i = 0u; i < run.contacts; i++) {
        let before = (*s).x[i];
        let after = (*next)[i];
        let phase = phase_of(i);
        if (phase == COMPRESSING && after > landing(i)) {
            // A contact that touches may begin with a velocity of the other sign.
            shorter = smaller(shorter, h * select(0.5, before / (before - after), before < ZERO));
        }
        if (phase == RESTITUTING) {
            if (after < -landing(i)) {
                shorter = smaller(shorter, h * select(0.5, before / (before - after), before > ZERO));
            }
            let stored = number_of(AT_STORED + i);
            let left = left_of(i, h);
            if (left < -empty_of(i, after)) {
                shorter = smaller(shorter, h * (stored / (stored - left)));
            }
        }
    }
    return shorter;
}
