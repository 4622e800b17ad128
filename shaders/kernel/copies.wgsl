// Moves a copy of a motion per thread; each copy takes its steps, as many as a dispatch allows.

struct March {
    count: u32,
    parts: u32,
    // Rounds of loops in a dispatch, and in a flight with its gap.
    budget: u32,
    rounds: u32,
    iterations: u32,
    halvings: u32,
    collisions: u32,
    padding: u32,
}

@group(0) @binding(0) var<uniform> march: March;
@group(0) @binding(1) var<storage, read> numbers: array<real>;
@group(0) @binding(2) var<storage, read> kinds: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> states: array<real>;
// Whether the copy is left to the CPU, the steps before it, its collisions.
@group(0) @binding(4) var<storage, read_write> words: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read_write> remaining: atomic<u32>;

fn budget() -> u32 { return march.budget; }
fn rounds() -> u32 { return march.rounds; }
fn iterations() -> u32 { return march.iterations; }
fn halvings() -> u32 { return march.halvings; }
fn collisions() -> u32 { return march.collisions; }
fn parts() -> u32 { return march.parts; }
fn part(p: u32) -> vec4<u32> { return kinds[p]; }
fn number(i: u32) -> real { return numbers[i]; }
fn vector(i: u32) -> vec3<real> { return vec3<real>(numbers[i], numbers[i + 1u], numbers[i + 2u]); }
fn rows(i: u32) -> Mat3 { return Mat3(vector(i), vector(i + 3u), vector(i + 6u)); }
fn mass() -> real { return numbers[BODY_MASS]; }
fn offset() -> real { return numbers[BODY_OFFSET]; }
fn time_step() -> real { return numbers[BODY_TIME_STEP]; }
fn near() -> real { return numbers[BODY_NEAR]; }
fn rounding() -> real { return numbers[BODY_ROUNDING]; }
fn inertia() -> Mat3 { return rows(BODY_INERTIA); }
fn inverse() -> Mat3 { return rows(BODY_INVERSE); }
fn gravity() -> vec3<real> { return vector(BODY_GRAVITY); }
fn normal() -> vec3<real> { return vector(BODY_NORMAL); }

fn state_vector(i: u32) -> vec3<real> {
    return vec3<real>(states[i], states[i + 1u], states[i + 2u]);
}

fn put_vector(i: u32, v: vec3<real>) {
    states[i] = v.x;
    states[i + 1u] = v.y;
    states[i + 2u] = v.z;
}

@compute @workgroup_size(WORKGROUP)
fn move_copies(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if (i >= march.count) {
        return;
    }
    var word = words[i];
    if (word.x == LEFT || word.y == 0u) {
        return;
    }
    let at = COPY_NUMBERS * i;
    let attitude = Mat3(state_vector(at + 3u), state_vector(at + 6u), state_vector(at + 9u));
    let state = BodyState(
        state_vector(at), attitude, state_vector(at + 12u), state_vector(at + 15u),
    );
    var r = Replica(state, states[at + 18u], states[at + 19u], word.z);
    var spent = 0u;
    var first = true;
    loop {
        // The loop itself is a round.
        spent += 1u;
        let how = step_once(&r, &spent);
        if (how == LEFT || (how == LATER && first)) {
            word.x = LEFT;
        }
        if (how != ARRIVED) {
            break;
        }
        first = false;
        word.y -= 1u;
        if (word.y == 0u) {
            break;
        }
    }
    put_vector(at, r.state.position);
    put_vector(at + 3u, r.state.attitude.x);
    put_vector(at + 6u, r.state.attitude.y);
    put_vector(at + 9u, r.state.attitude.z);
    put_vector(at + 12u, r.state.momentum);
    put_vector(at + 15u, r.state.angular_momentum);
    states[at + 19u] = r.energy_error;
    word.z = r.collisions;
    words[i] = word;
    if (word.x != LEFT && word.y > 0u) {
        atomicAdd(&remaining, 1u);
    }
}
