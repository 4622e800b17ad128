// The planar law from event to event. Twin: src/law/routh/events/process.rs. In Rust a sample runs
// from beginning to end; here it runs segment by segment, as a dispatch may end between segments.

// The state of a sample between segments, without velocity and impulse bounds.
struct Course {
    // Contact velocity and accounts of the check.
    judged: array<real, K>,
    account: array<real, M>,
    // Largest |u_n| of each contact in this block, of the check.
    moved: array<real, M>,
    // Work stored by each contact and not yet returned. Its value at the start of the block, if the
    // contact has rested since.
    stored: array<real, M>,
    before: array<real, M>,
    // Twin: Block.
    passed: real,
    mark: real,
    still: real,
    // Number of the block; number of segments in the block.
    block: u32,
    number: u32,
    // The modes of the last segment.
    last: u32,
    // Bit masks: contacts that may change their modes; restituting contacts.
    free: u32,
    restituting: u32,
}

const ALL = (1u << M) - 1u;

// A further bit of `free`: the velocity of an approaching contact has just been set to 0; in Rust
// `Block::stilled`.
const STILLED = 1u << 31u;

// Twin: the beginning of Events::run.
fn begin_course(s: ptr<function, Sample>) -> Course {
    var c: Course;
    for (var j = 0u; j < rows(); j++) {
        c.judged[j] = (*s).x[j];
    }
    return c;
}

// Computes a segment, and the begin or end of a block next to it. Twin: a round of Events::block.
fn advance_course(
    stream: Stream, max_steps: u32, s: ptr<function, Sample>, c: ptr<function, Course>,
    trial: ptr<function, Trial>,
) {
    if ((*c).number == 0u) {
        begin_block(stream, s, c);
    }
    (*c).number += 1u;
    (*trial).tried = 0u;
    let over = is_over(s, c);
    if (over && ((*c).free & STILLED) == 0u) {
        (*s).status = TERMINATED;
    } else if ((*s).steps == max_steps) {
        (*s).status = STEP_LIMIT;
    } else if (!exact_solve(stream, s, c, trial)) {
        (*s).status = UNSOLVED;
    } else if (stays(s, c, trial)) {
        (*s).status = select(TERMINATED, UNSOLVED, is_wedged(s));
    } else {
        end_segment(s, c, trial);
    }
    if ((*s).status != RUNNING || (*c).passed >= ONE || (*c).number == SEGMENTS_OF_BLOCK) {
        forfeit(s, c);
        (*c).number = 0u;
        (*c).block += 1u;
    } else if ((*c).number % SPIRAL == 0u) {
        leave_spiral(s, c);
    }
    if ((*s).status == TERMINATED) {
        judge_end(s, c);
    }
}

// Whether no contact approaches and no work is stored. Twin: EventsWorkspace::is_over.
fn is_over(s: ptr<function, Sample>, c: ptr<function, Course>) -> bool {
    var over = true;
    for (var i = 0u; i < contacts(); i++) {
        over = over && (*s).x[i] >= ZERO && (*c).stored[i] == ZERO;
    }
    return over;
}

// Whether nothing more happens: no work is stored, no contact approaches faster than the threshold
// of rest, and the forces found drive no contact in. If a contact approaches, they also change no
// velocity. Twin: Events::stays.
fn stays(s: ptr<function, Sample>, c: ptr<function, Course>, trial: ptr<function, Trial>) -> bool {
    let small = CONDITION * largest(trial);
    var still = true;
    for (var i = 0u; i < rows(); i++) {
        still = still && abs((*trial).x[K + i]) <= small;
    }
    var all = true;
    for (var i = 0u; i < contacts(); i++) {
        let u = (*s).x[i];
        let slope = (*trial).x[K + i];
        let held = u >= rest_at(i) && (*s).x[K + i] > ZERO && still;
        let leaves = u > ZERO || (u == ZERO && slope >= ZERO);
        all = all && (*c).stored[i] == ZERO && (leaves || held);
    }
    return all;
}

// Whether a held contact approaches faster than rounding errors. Twin: Events::block.
fn is_wedged(s: ptr<function, Sample>) -> bool {
    var wedged = false;
    for (var i = 0u; i < contacts(); i++) {
        wedged = wedged || (*s).x[i] < -CONDITION;
    }
    return wedged;
}

// Normal speed at the end of a compression below which it counts as zero.
fn landing(i: u32) -> real { return -rest_at(i) * 0.25; }

// Draws the impulse bounds of a block, and records restituting contacts at rest. Twin:
// Events::draw, then Events::rest.
fn begin_block(stream: Stream, s: ptr<function, Sample>, c: ptr<function, Course>) {
    draw_caps(stream, (*c).block, s);
    let blocks = max((*c).block + LENGTHEN_EVERY, LENGTHEN_FIRST);
    let doublings = (blocks - LENGTHEN_FIRST) / LENGTHEN_EVERY;
    let length = real(f32(1u << min(doublings, DOUBLINGS)));
    for (var i = 0u; i < contacts(); i++) {
        (*s).x[K + i] = (*s).x[K + i] * length;
        let rests = (*s).x[K + i] > ZERO && abs((*s).x[i]) <= landing(i);
        (*c).before[i] = select(ZERO, (*c).stored[i], rests);
        (*c).moved[i] = abs((*c).judged[i]);
    }
    (*c).free = ALL;
    (*c).passed = ZERO;
    (*c).mark = ZERO;
    (*c).still = STILL;
}

// Clears the stored work of contacts that have rested throughout the block.
fn forfeit(s: ptr<function, Sample>, c: ptr<function, Course>) {
    for (var i = 0u; i < contacts(); i++) {
        let stored = (*c).stored[i];
        let before = (*c).before[i];
        let held = stored >= before * HELD || stored <= landing(i) * landing(i);
        if (before > ZERO && stored > ZERO && abs((*s).x[i]) <= landing(i) && held) {
            (*c).stored[i] = ZERO;
            judge_forfeit(i, s, c);
        }
    }
}

// Advances to the end of the segment with the forces found. Twin: the middle of a round of
// Events::block.
fn end_segment(s: ptr<function, Sample>, c: ptr<function, Course>, trial: ptr<function, Trial>) {
    (*s).steps += 1u;
    let length = exact_advance(ONE - (*c).passed, s, c, trial);
    (*c).passed += length;
    var l: array<real, K>;
    var finite = true;
    for (var i = 0u; i < rows(); i++) {
        l[i] = (*trial).x[i] * length;
        (*s).total[i] += l[i];
        finite = finite && is_finite(l[i]);
    }
    judge_segment(length, &l, s, c);
    if (!finite) {
        (*s).status = NOT_FINITE;
    }
}

// Whether two numbers have opposite signs; their product may underflow. The twin is a closure.
fn opposed(a: real, b: real) -> bool {
    return (a > ZERO && b < ZERO) || (a < ZERO && b > ZERO);
}

// The time at which u, with slope du, reaches 0; HUGE if later than `soon`, so no quotient
// overflows. There is no twin: Rust has infinity.
fn crossing(u: real, du: real, soon: real) -> real {
    if (opposed(u, du) && abs(u) <= 2.0 * soon * abs(du)) {
        return -u / du;
    }
    return HUGE;
}

// The time at which contact i has returned its stored work. The twin is a closure.
fn empties(
    i: u32, s: ptr<function, Sample>, c: ptr<function, Course>, trial: ptr<function, Trial>,
) -> real {
    if (is_restituting((*c).restituting, i) && (*trial).x[i] > ZERO) {
        return first_root((*trial).x[K + i], (*s).x[i], (*c).stored[i] / (*trial).x[i]);
    }
    return HUGE;
}

// Advances the velocity to the first event, at most by `left`; returns the advance. Rows that reach
// 0 become exactly 0. Twin: Events::advance.
fn exact_advance(
    left: real, s: ptr<function, Sample>, c: ptr<function, Course>, trial: ptr<function, Trial>,
) -> real {
    (*c).free = 0u;
    var length = left;
    for (var row = 0u; row < rows(); row++) {
        // The direction of sliding matters only under load.
        if (row < M || (*trial).x[row % M] > ZERO) {
            length = smaller(length, crossing((*s).x[row], (*trial).x[K + row], length));
        }
    }
    for (var i = 0u; i < contacts(); i++) {
        length = smaller(length, empties(i, s, c, trial));
    }
    for (var i = 0u; i < contacts(); i++) {
        let ends = empties(i, s, c, trial) <= length;
        let given = (*trial).x[i] * length * ((*s).x[i] + 0.5 * (*trial).x[K + i] * length);
        let e = restitution_at(i);
        if (ends) {
            (*c).stored[i] = ZERO;
            (*c).free |= 1u << i;
        } else if (given < ZERO) {
            (*c).stored[i] -= e * e * given;
        } else {
            (*c).stored[i] = part((*c).stored[i] - given);
        }
    }
    for (var row = 0u; row < rows(); row++) {
        let u = (*s).x[row];
        let du = (*trial).x[K + row];
        let after = u + du * length;
        let matters = row < M || (*trial).x[row % M] > ZERO;
        let reached = opposed(u, du)
            && (crossing(u, du, length) <= length || after == ZERO || opposed(after, u));
        (*s).x[row] = select(after, ZERO, matters && reached);
        (*c).free |= select(0u, 1u << (row % M), matters && reached);
    }
    for (var i = 0u; i < contacts(); i++) {
        if (abs((*s).x[i]) > landing(i)) {
            (*c).before[i] = ZERO;
        }
    }
    return length;
}

// Zeno guard: after segments without advance, sets small velocities to 0, and clears stored work
// that would return no more than such velocities. Twin: Block::leave_spiral.
fn leave_spiral(s: ptr<function, Sample>, c: ptr<function, Course>) {
    if ((*c).passed - (*c).mark < STANDSTILL) {
        (*c).free = ALL;
        for (var i = 0u; i < rows(); i++) {
            if (abs((*s).x[i]) <= (*c).still) {
                (*c).free |= select(0u, STILLED, i < M && (*s).x[i] < ZERO);
                (*s).x[i] = ZERO;
            }
        }
        for (var i = 0u; i < M; i++) {
            if ((*c).stored[i] <= (*c).still * (*c).still) {
                (*c).stored[i] = ZERO;
            }
        }
        (*c).still = smaller((*c).still * 10.0, MOST_STILL);
    }
    (*c).mark = (*c).passed;
}
