// The state of a sample during its integration. It is in storage, number by number across the threads, so that
// neighbouring threads read neighbouring words and a dispatch may end at any stage. Twin: src/law/inclusion/state.rs.
// The kernel provides number_of, set_number, mark_of and set_mark.
// Names end in _of where Rust has a field or a method.

// Contact velocity before the impact (K).
const AT_START = 0u;
// Normal rates (M), then forces of friction: of this stage, of the first and of the second, and their mean (K).
const AT_RATE = K;
const AT_FIRST = 2u * K;
const AT_SECOND = 3u * K;
const AT_MEAN = 4u * K;
// W rate at the beginning of the substep and of this stage, and the contact velocity of a stage (K).
const AT_ONSET = 5u * K;
const AT_SLOPE = 6u * K;
const AT_STAGE = 7u * K;
// Sliding velocities over the length of the substep, which the forces after the substep have to stop (K).
const AT_PULL = 8u * K;
// Friction and restitution of this sample, contents of the reservoirs, and means of u_n over a substep (M).
const AT_MU = 9u * K;
const AT_E = AT_MU + M;
const AT_STORED = AT_E + M;
const AT_TRAVEL = AT_STORED + M;
// The entries of Course.
const AT_COURSE = AT_TRAVEL + M;

// The state of a sample that does not belong to a contact.
struct Course {
    // The next stage, see below.
    next: u32,
    substeps: u32,
    trials: u32,
    // Number of sweeps over the contacts that stick or are to be stopped, plus 1; 0 before the first computation of
    // forces.
    sweeps: u32,
    // The rest of the block, the length of a substep that the error allows, and the length of this substep.
    left: real,
    wanted: real,
    h: real,
    work: real,
    power: real,
    turned: real,
}

// The next stage. The first four values mean that friction forces are computed: to decide which contacts that touch
// take part, at the beginning of a substep, and for the second and third stage of the method. After them follow a
// trial, a substep, a block, and the look at contacts that touch.
const TOUCHES = 0u;
const GRASPS = 1u;
const SECOND = 2u;
const THIRD = 3u;
const TRIAL = 4u;
const SUBSTEP = 5u;
const BLOCK = 6u;
const TOUCH = 7u;

// The phase of a contact in a block.
const WAITING = 0u;
const TOUCHING = 1u;
const COMPRESSING = 2u;
const RESTITUTING = 3u;

// Friction at a contact during a substep.
const FREE = 0u;
const SLIDES = 1u;
const STEERS = 2u;
const HELD = 3u;

// The fields phase, grip and jammed of the twin share a word.
fn phase_of(i: u32) -> u32 { return mark_of(i) & 3u; }
fn set_phase(i: u32, phase: u32) { set_mark(i, (mark_of(i) & ~3u) | phase); }
fn grip_of(i: u32) -> u32 { return (mark_of(i) >> 2u) & 3u; }
fn set_grip(i: u32, grip: u32) { set_mark(i, (mark_of(i) & ~12u) | (grip << 2u)); }
fn jammed_of(i: u32) -> bool { return (mark_of(i) & 16u) != 0u; }
fn set_jammed(i: u32, jammed: bool) { set_mark(i, (mark_of(i) & ~16u) | select(0u, 16u, jammed)); }

// Offset of the marks of Course.
const MARK_COURSE = M;

// There is no twin: Rust runs a sample in one go.
fn load_course() -> Course {
    return Course(
        mark_of(MARK_COURSE), mark_of(MARK_COURSE + 1u), mark_of(MARK_COURSE + 2u), mark_of(MARK_COURSE + 3u),
        number_of(AT_COURSE), number_of(AT_COURSE + 1u), number_of(AT_COURSE + 2u),
        number_of(AT_COURSE + 3u), number_of(AT_COURSE + 4u), number_of(AT_COURSE + 5u),
    );
}

// There is no twin, as above.
fn store_course(c: ptr<function, Course>) {
    set_mark(MARK_COURSE, (*c).next);
    set_mark(MARK_COURSE + 1u, (*c).substeps);
    set_mark(MARK_COURSE + 2u, (*c).trials);
    set_mark(MARK_COURSE + 3u, (*c).sweeps);
    set_number(AT_COURSE, (*c).left);
    set_number(AT_COURSE + 1u, (*c).wanted);
    set_number(AT_COURSE + 2u, (*c).h);
    set_number(AT_COURSE + 3u, (*c).work);
    set_number(AT_COURSE + 4u, (*c).power);
    set_number(AT_COURSE + 5u, (*c).turned);
}

// The first tangent row of contact i.
fn tangent(i: u32) -> u32 { return M + AXES * i; }

// The entries in the tangent rows of contact i, of the numbers at `place`; for a planar contact the second is 0.
fn sideways(place: u32, i: u32) -> vec2<real> {
    let t = place + tangent(i);
    if (AXES == 2u) {
        return vec2<real>(number_of(t), number_of(t + 1u));
    }
    return vec2<real>(number_of(t), ZERO);
}

fn set_sideways(place: u32, i: u32, x: vec2<real>) {
    let t = place + tangent(i);
    set_number(t, x.x);
    if (AXES == 2u) {
        set_number(t + 1u, x.y);
    }
}

// The sliding velocity of contact i: sideways at the contact velocity, which is no number in storage. Twin: Integrator::sideways.
fn slip_of(s: ptr<function, Sample>, i: u32) -> vec2<real> {
    let t = tangent(i);
    if (AXES == 2u) {
        return vec2<real>((*s).x[t], (*s).x[t + 1u]);
    }
    return vec2<real>((*s).x[t], ZERO);
}

// The name is another because WGSL has a function length. Twin: length in src/law/inclusion/integrator.rs.
fn magnitude(v: vec2<real>) -> real { return sqrt(v.x * v.x + v.y * v.y); }

// The tangential block [[x, y], [y, z]] of contact i.
fn block_of(i: u32) -> vec3<real> {
    let t = tangent(i);
    if (AXES == 2u) {
        return vec3<real>(w_at(t * K + t), w_at(t * K + t + 1u), w_at((t + 1u) * K + t + 1u));
    }
    return vec3<real>(w_at(t * K + t), ZERO, ZERO);
}

// The larger eigenvalue of the tangential block of contact i.
fn top_of(i: u32) -> real {
    let b = block_of(i);
    return 0.5 * (b.x + b.z + magnitude(vec2<real>(b.x - b.z, b.y + b.y)));
}

// The K numbers at `place`. There is no twin: Rust has them in a row.
fn numbers_of(place: u32) -> array<real, K> {
    var x: array<real, K>;
    for (var j = 0u; j < run.rows; j++) {
        x[j] = number_of(place + j);
    }
    return x;
}

// Entry j of W x.
fn row_of(j: u32, x: ptr<function, array<real, K>>) -> real {
    var sum = ZERO;
    for (var l = 0u; l < run.rows; l++) {
        sum += w_at(j * K + l) * (*x)[l];
    }
    return sum;
}

// How far from zero a normal velocity may be at the end of a compression.
fn landing(i: u32) -> real { return -rest_at(i) * 0.25; }
