// A step with its collisions. Twin: src/mechanics/motion/lgvci/step.rs. The kernel provides time_step,
// halvings, collisions, and rounds.

// Twin: Replica in src/mechanics/motion/lgvci/replica.rs.
struct Replica {
    state: BodyState,
    initial: real,
    energy_error: real,
    collisions: u32,
}

// Mark of a step that is left to the next dispatch; LEFT marks one that is left to the CPU: an
// ending, a large rotation, many collisions.
const LATER = 2u;
const ARRIVED = 0u;

// Takes a step, or none; `spent` counts rounds of loops. Twin: step in src/mechanics/motion/lgvci/step.rs.
fn step_once(r: ptr<function, Replica>, spent: ptr<function, u32>) -> u32 {
    var state = (*r).state;
    var left = time_step();
    var worst = (*r).energy_error;
    for (var count = 0u; count <= collisions(); count++) {
        if (*spent + rounds() * (halvings() + 1u) > budget()) {
            return LATER;
        }
        *spent += rounds();
        var trial: BodyState;
        if (!flight(state, left, &trial)) {
            return LEFT;
        }
        let clear = gap(trial).value;
        let error = abs(total_energy(trial) - (*r).initial);
        if (!(abs(clear) <= HUGE && error <= HUGE)) {
            return LEFT;
        }
        if (clear >= ZERO) {
            *r = Replica(trial, (*r).initial, max(worst, error), (*r).collisions + count);
            return ARRIVED;
        }
        *spent += rounds() * halvings();
        var before = state;
        var inside = trial;
        var tau: real;
        if (!meet(left, &tau, &before, &inside)) {
            return LEFT;
        }
        left -= tau;
        state = strike(before, inside);
        worst = max(worst, abs(total_energy(state) - (*r).initial));
    }
    return LEFT;
}

// From the start of the time `left` in `outside` and its end in `inside`.
fn meet(
    left: real, tau: ptr<function, real>, outside: ptr<function, BodyState>,
    inside: ptr<function, BodyState>,
) -> bool {
    let start = *outside;
    var low = ZERO;
    var high = left;
    for (var i = 0u; i < halvings(); i++) {
        let middle = (low + high) * HALF;
        if (middle <= low || middle >= high) {
            break;
        }
        var state: BodyState;
        if (!flight(start, middle, &state)) {
            return false;
        }
        if (gap(state).value >= ZERO) {
            low = middle;
            *outside = state;
        } else {
            high = middle;
            *inside = state;
        }
    }
    *tau = low;
    return true;
}

fn strike(before: BodyState, inside: BodyState) -> BodyState {
    var point = gap(before).point;
    var pace = approach(before, point);
    if (pace.x >= ZERO) {
        point = gap(inside).point;
        pace = approach(before, point);
    }
    let closing = max(-pace.x, ZERO);
    return jump(before, point, (closing + closing) / pace.y);
}
