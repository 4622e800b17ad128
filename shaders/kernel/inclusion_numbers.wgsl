// The numbers of a sample of the inclusion in storage, number by number across the threads, so that
// neighbouring threads read neighbouring words: its state between dispatches, then the matrix of a
// Newton step. A software driver takes minutes to build a kernel with large private arrays.

@group(0) @binding(2) var<storage, read_write> numbers: array<real>;
@group(0) @binding(3) var<storage, read_write> marks: array<u32>;

// The index of this thread.
var<private> own_thread: u32;

// Number of stored numbers of the state; offsets of entry j of row array a, and of entry i of
// contact array a.
const KEPT = 12u * K + 10u * M;
fn row_place(a: u32, j: u32, thread: u32) -> u32 { return (a * K + j) * run.stride + thread; }
fn contact_place(a: u32, i: u32, thread: u32) -> u32 {
    return (12u * K + a * M + i) * run.stride + thread;
}

// Velocity and impulse are kept with the sample.
fn load_course(thread: u32, s: ptr<function, Sample>) {
    for (var j = 0u; j < rows(); j++) {
        state_u[j] = (*s).x[j];
        state_total[j] = (*s).total[j];
    }
    for (var j = 0u; j < rows(); j++) {
        state_l[j] = numbers[row_place(0u, j, thread)];
        state_way[j] = numbers[row_place(1u, j, thread)];
        state_bias[j] = numbers[row_place(2u, j, thread)];
        state_slope[j] = numbers[row_place(3u, j, thread)];
        state_first[j] = numbers[row_place(4u, j, thread)];
        state_second[j] = numbers[row_place(5u, j, thread)];
        state_mean[j] = numbers[row_place(6u, j, thread)];
        state_onset[j] = numbers[row_place(7u, j, thread)];
        state_stage[j] = numbers[row_place(8u, j, thread)];
        state_next[j] = numbers[row_place(9u, j, thread)];
        state_judged[j] = numbers[row_place(10u, j, thread)];
        state_start[j] = numbers[row_place(11u, j, thread)];
    }
    for (var i = 0u; i < contacts(); i++) {
        state_mu[i] = numbers[contact_place(0u, i, thread)];
        state_e[i] = numbers[contact_place(1u, i, thread)];
        state_tops[i] = numbers[contact_place(2u, i, thread)];
        state_stored[i] = numbers[contact_place(3u, i, thread)];
        state_before[i] = numbers[contact_place(4u, i, thread)];
        state_caps[i] = numbers[contact_place(5u, i, thread)];
        state_travel[i] = numbers[contact_place(6u, i, thread)];
        state_turned[i] = numbers[contact_place(7u, i, thread)];
        state_account[i] = numbers[contact_place(8u, i, thread)];
        state_friction[i] = numbers[contact_place(9u, i, thread)];
    }
    var x: array<real, COURSE_NUMBERS>;
    for (var j = 0u; j < COURSE_NUMBERS; j++) {
        x[j] = numbers[(KEPT + j) * run.stride + thread];
    }
    var word: array<u32, COURSE_MARKS>;
    for (var j = 0u; j < COURSE_MARKS; j++) {
        word[j] = marks[j * run.stride + thread];
    }
    let bits = word[10];
    course = Course(
        word[0], word[1], word[2], word[3], word[4], word[5], word[6], word[7], word[8], word[9],
        0u, (bits & 1u) != 0u, (bits & 2u) != 0u, (bits & 4u) != 0u, (bits & 8u) != 0u,
        (bits & 16u) != 0u, (bits & 32u) != 0u, x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7],
    );
}

// Writes velocity and impulse to the sample.
fn keep(s: ptr<function, Sample>) {
    for (var j = 0u; j < rows(); j++) {
        (*s).x[j] = state_u[j];
        (*s).total[j] = state_total[j];
    }
}

fn store_course(thread: u32) {
    for (var j = 0u; j < rows(); j++) {
        numbers[row_place(0u, j, thread)] = state_l[j];
        numbers[row_place(1u, j, thread)] = state_way[j];
        numbers[row_place(2u, j, thread)] = state_bias[j];
        numbers[row_place(3u, j, thread)] = state_slope[j];
        numbers[row_place(4u, j, thread)] = state_first[j];
        numbers[row_place(5u, j, thread)] = state_second[j];
        numbers[row_place(6u, j, thread)] = state_mean[j];
        numbers[row_place(7u, j, thread)] = state_onset[j];
        numbers[row_place(8u, j, thread)] = state_stage[j];
        numbers[row_place(9u, j, thread)] = state_next[j];
        numbers[row_place(10u, j, thread)] = state_judged[j];
        numbers[row_place(11u, j, thread)] = state_start[j];
    }
    for (var i = 0u; i < contacts(); i++) {
        numbers[contact_place(0u, i, thread)] = state_mu[i];
        numbers[contact_place(1u, i, thread)] = state_e[i];
        numbers[contact_place(2u, i, thread)] = state_tops[i];
        numbers[contact_place(3u, i, thread)] = state_stored[i];
        numbers[contact_place(4u, i, thread)] = state_before[i];
        numbers[contact_place(5u, i, thread)] = state_caps[i];
        numbers[contact_place(6u, i, thread)] = state_travel[i];
        numbers[contact_place(7u, i, thread)] = state_turned[i];
        numbers[contact_place(8u, i, thread)] = state_account[i];
        numbers[contact_place(9u, i, thread)] = state_friction[i];
    }
    var x = array<real, COURSE_NUMBERS>(
        course.left, course.wanted, course.h, course.settles, course.error, course.length,
        course.worst, course.ratio,
    );
    for (var j = 0u; j < COURSE_NUMBERS; j++) {
        numbers[(KEPT + j) * run.stride + thread] = x[j];
    }
    let bits = select(0u, 1u, course.decided) | select(0u, 2u, course.straight)
        | select(0u, 4u, course.stops) | select(0u, 8u, course.halves)
        | select(0u, 16u, course.known) | select(0u, 32u, course.waits);
    var word = array<u32, COURSE_MARKS>(
        course.next, course.number, course.trials, course.block, course.spent, course.checks,
        course.normal_modes, course.friction_modes, course.order, course.turns, bits,
    );
    for (var j = 0u; j < COURSE_MARKS; j++) {
        marks[j * run.stride + thread] = word[j];
    }
}

// The offset of matrix number a.
fn matrix_place(a: u32) -> u32 { return (KEPT + COURSE_NUMBERS + a) * run.stride + own_thread; }

// Vector a, and number a. There is no twin: Rust has slices.
fn four_at(a: u32) -> vec4<real> {
    return vec4<real>(
        entry_at(4u * a), entry_at(4u * a + 1u), entry_at(4u * a + 2u), entry_at(4u * a + 3u),
    );
}
fn entry_at(a: u32) -> real { return numbers[matrix_place(a)]; }

fn set_four(a: u32, x: vec4<real>) {
    for (var j = 0u; j < 4u; j++) {
        set_entry(4u * a + j, x[j]);
    }
}
fn set_entry(a: u32, x: real) { numbers[matrix_place(a)] = x; }

// Sets the state to 0, as an earlier sample of the thread may have left values.
fn clear_state() {
    for (var j = 0u; j < rows(); j++) {
        state_u[j] = ZERO;
        state_total[j] = ZERO;
        state_l[j] = ZERO;
        state_way[j] = ZERO;
        state_bias[j] = ZERO;
        state_slope[j] = ZERO;
        state_first[j] = ZERO;
        state_second[j] = ZERO;
        state_mean[j] = ZERO;
        state_onset[j] = ZERO;
        state_stage[j] = ZERO;
        state_next[j] = ZERO;
        state_judged[j] = ZERO;
        state_start[j] = ZERO;
    }
    for (var i = 0u; i < contacts(); i++) {
        state_mu[i] = ZERO;
        state_e[i] = ZERO;
        state_tops[i] = ZERO;
        state_stored[i] = ZERO;
        state_before[i] = ZERO;
        state_caps[i] = ZERO;
        state_travel[i] = ZERO;
        state_turned[i] = ZERO;
        state_account[i] = ZERO;
        state_friction[i] = ZERO;
    }
}
