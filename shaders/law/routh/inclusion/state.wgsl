// The state of a sample during its integration. Twin: src/law/routh/inclusion/state.rs. The state
// is private memory of a thread. The numbers kept between dispatches come first: a dispatch may end
// at any Newton step. Names end in _of where Rust has a field or a method.

// Contact velocity and impulse so far (K).
const AT_U = 0u;
const AT_TOTAL = K;
// Forces, unit vectors along which friction acts, bias, and W l of the balance (K).
const AT_L = 2u * K;
const AT_WAY = 3u * K;
const AT_BIAS = 4u * K;
const AT_SLOPE = 5u * K;
// Forces of the first and of the second stage, and the mean of forces (K).
const AT_FIRST = 6u * K;
const AT_SECOND = 7u * K;
const AT_MEAN = 8u * K;
// u' at the beginning of the substep, contact velocities of a stage and after (K).
const AT_ONSET = 9u * K;
const AT_STAGE = 10u * K;
const AT_NEXT = 11u * K;
// The judge's contact velocity, and the velocity before the impact (K).
const AT_JUDGED = 12u * K;
const AT_START = 13u * K;
// Friction, restitution and `top` of each contact, reservoirs, their contents at the start of the
// block, caps (M).
const AT_MU = 14u * K;
const AT_E = AT_MU + M;
const AT_TOPS = AT_E + M;
const AT_STORED = AT_TOPS + M;
const AT_BEFORE = AT_STORED + M;
const AT_CAPS = AT_BEFORE + M;
// Means of u_n over a substep, and by how much sliding has turned in the first half of an implicit
// substep (M).
const AT_TRAVEL = AT_CAPS + M;
const AT_TURNED = AT_TRAVEL + M;
// The judge's accounts, and its sums of the violations of friction (M).
const AT_ACCOUNT = AT_TURNED + M;
const AT_FRICTION = AT_ACCOUNT + M;
// Number of numbers that are kept between dispatches.
const KEPT = AT_FRICTION + M;
// Forces that the modes determine in a Newton step; the judge's velocity after a substep, and in
// the middle of it; the part of the accelerations of a plain step that normal forces cause (K).
const AT_KNOWN = KEPT;
const AT_AFTER = KEPT + K;
const AT_MIDDLE = KEPT + 2u * K;
const AT_NORMAL_SLOPE = KEPT + 3u * K;

var<private> state: array<real, AT_NORMAL_SLOPE + K>;

// The part of the state that does not belong to a contact.
struct Course {
    // The next computation, see below; Newton steps of the forces in progress, and trials of the
    // substep.
    next: u32,
    number: u32,
    trials: u32,
    // Number of the block, number of operations so far, and ends that have been checked.
    block: u32,
    spent: u32,
    checks: u32,
    // The modes of normal forces and of friction, two bits for each contact.
    normal_modes: u32,
    friction_modes: u32,
    // The order of the error of a trial.
    order: u32,
    // The contacts that are known to turn before they stop in a plain step, and those that have
    // constant friction, a bit each.
    turns: u32,
    frozen: u32,
    // Whether the normal and friction modes determine all forces.
    decided: bool,
    // Whether forces are constant over the substep, see `straight`, and whether a contact stops
    // within about the time in which sliding settles.
    straight: bool,
    stops: bool,
    // Whether the substep consists of two halves.
    halves: bool,
    // Whether forces at the beginning of the substep are known.
    known: bool,
    // The rest of the block, the length that the error allows, the length of the substep, and the
    // time of `settling`.
    left: real,
    wanted: real,
    h: real,
    settles: real,
    // The error of a trial, relative to the tolerance.
    error: real,
    // The length of a block before it is doubled.
    length: real,
    // The largest violation that the judge has found beside those of friction.
    worst: real,
    // The length of a plain step that its error allows, over the time in which sliding settles.
    ratio: real,
}

var<private> course: Course;

// Numbers of Course that are kept, and words of it.
const COURSE_NUMBERS = 8u;
const COURSE_MARKS = 11u;

// The next computation. The first values mean that forces are computed: at the beginning of a
// substep, for the second and third stage of an explicit one, and for the step of the whole length
// and both halves of an implicit one. The others are a trial, its consequences, a block, a substep,
// and a trial of a plain step.
const GRASPS = 0u;
const SECOND = 1u;
const THIRD = 2u;
const WHOLE = 3u;
const EARLY = 4u;
const LATE = 5u;
const TRIAL = 6u;
const TRIED = 7u;
const BLOCK = 8u;
const SUBSTEP = 9u;
const PLAIN = 10u;

// The mode of a normal force. Twin: NormalMode in src/law/routh/inclusion/given.rs.
const OFF = 0u;
const FULL = 1u;
const FREE = 2u;

// The mode of a contact's friction. Twin: FrictionMode in src/law/routh/inclusion/given.rs.
const SMOOTH = 0u;
const SLIDES = 1u;
const HELD = 2u;

fn normal_mode_of(i: u32) -> u32 { return (course.normal_modes >> (2u * i)) & 3u; }
fn set_normal_mode(i: u32, normal: u32) {
    course.normal_modes = (course.normal_modes & ~(3u << (2u * i))) | (normal << (2u * i));
}
fn friction_mode_of(i: u32) -> u32 { return (course.friction_modes >> (2u * i)) & 3u; }
fn set_friction_mode(i: u32, friction_mode: u32) {
    let others = course.friction_modes & ~(3u << (2u * i));
    course.friction_modes = others | (friction_mode << (2u * i));
}

// Copies K numbers. There is no twin: Rust has slices.
fn copy_numbers(to: u32, source: u32) {
    for (var j = 0u; j < rows(); j++) {
        state[to + j] = state[source + j];
    }
}

// Sets K numbers to 0. There is no twin: Rust has slices.
fn clear_numbers(at: u32) {
    for (var j = 0u; j < rows(); j++) {
        state[at + j] = ZERO;
    }
}
