// The state of a sample during its integration. Twin: src/law/routh/inclusion/state.rs. The state
// is private memory of a thread. Storage keeps most of the state between dispatches, as a dispatch
// may end at any Newton step. Names end in _of where Rust has a field or a method. Many short
// arrays build faster than a long one: the time of a software driver grows with the square of the
// instructions that use an array.

// Contact velocity and accumulated impulse.
var<private> state_u: array<real, K>;
var<private> state_total: array<real, K>;
// Forces, unit vectors of friction, bias, and W l of the balance.
var<private> state_l: array<real, K>;
var<private> state_way: array<real, K>;
var<private> state_bias: array<real, K>;
var<private> state_slope: array<real, K>;
// Forces of the first and second stage, and the mean of forces.
var<private> state_first: array<real, K>;
var<private> state_second: array<real, K>;
var<private> state_mean: array<real, K>;
// u' at the beginning of the substep; contact velocities of a stage and at the end.
var<private> state_onset: array<real, K>;
var<private> state_stage: array<real, K>;
var<private> state_next: array<real, K>;
// Contact velocity of the check; velocity before the impact.
var<private> state_judged: array<real, K>;
var<private> state_start: array<real, K>;
// Friction, restitution and `top` of each contact; stored impulse or work, now and at the start of
// the block; impulse bounds.
var<private> state_mu: array<real, M>;
var<private> state_e: array<real, M>;
var<private> state_tops: array<real, M>;
var<private> state_stored: array<real, M>;
var<private> state_before: array<real, M>;
var<private> state_caps: array<real, M>;
// Means of u_n over a substep; change of the sliding direction in the first half of an implicit
// substep.
var<private> state_travel: array<real, M>;
var<private> state_turned: array<real, M>;
// Accounts of the check; its sums of the violations of friction.
var<private> state_account: array<real, M>;
var<private> state_friction: array<real, M>;

// State that is not stored between dispatches: forces that the modes determine in a Newton step;
// forces under check; velocities of the check after a substep and at its midpoint; accelerations of
// a plain step caused by normal forces.
var<private> state_known: array<real, K>;
var<private> state_force: array<real, K>;
var<private> state_after: array<real, K>;
var<private> state_middle: array<real, K>;
var<private> state_normal_slope: array<real, K>;

// The part of the state that belongs to no contact.
struct Course {
    // The next computation, see below; Newton steps of the current forces; trials of the substep.
    next: u32,
    number: u32,
    trials: u32,
    // Number of the block; number of operations; number of checks for the end of the impact.
    block: u32,
    spent: u32,
    checks: u32,
    // The modes of normal forces and of friction, two bits per contact.
    normal_modes: u32,
    friction_modes: u32,
    // The order of the error of a trial.
    order: u32,
    // Bit masks for a plain step: contacts known to turn before they stop; contacts with constant
    // friction.
    turns: u32,
    frozen: u32,
    // Whether the normal and friction modes determine all forces.
    decided: bool,
    // Whether forces are constant over the substep, see `straight`; whether a contact stops within
    // about the settling time of sliding.
    straight: bool,
    stops: bool,
    // Whether the substep consists of two halves.
    halves: bool,
    // Whether forces at the beginning of the substep are known; whether restitution waits in it.
    known: bool,
    waits: bool,
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
    // The largest violation found by the check, friction excluded.
    worst: real,
    // The length of a plain step that its error allows, over the settling time of sliding.
    ratio: real,
}

var<private> course: Course;

// Numbers of Course that are stored between dispatches; integers of Course that are stored.
const COURSE_NUMBERS = 8u;
const COURSE_MARKS = 11u;

// The next computation. The first values compute forces: at the beginning of a substep; for the
// second and third stage of an explicit step; for the whole step and both halves of an implicit
// one. The others: a trial, the end of a trial, a block, a substep, and a trial of a plain step.
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
fn copy_numbers(to: ptr<private, array<real, K>>, source: ptr<private, array<real, K>>) {
    for (var j = 0u; j < rows(); j++) {
        (*to)[j] = (*source)[j];
    }
}

// Sets K numbers to 0. There is no twin: Rust has slices.
fn clear_numbers(x: ptr<private, array<real, K>>) {
    for (var j = 0u; j < rows(); j++) {
        (*x)[j] = ZERO;
    }
}
