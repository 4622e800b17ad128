// Statistics of a chunk of samples, so that only these are copied back. Twin: Tally in
// shaders/src/tally.rs. A workgroup reduces SHARE samples per thread; a flagged sample is listed
// for repair instead.

struct Chunk {
    count: u32,
    forms: u32,
    tangents: u32,
    // Number of steps from which on a sample is flagged.
    long_run: u32,
    // The linear form of the histogram.
    histogram: u32,
    // The residual above which a sample is flagged.
    residual: f32,
    // The gain of energy above which a sample is flagged, as energy_of counts it.
    gain: f32,
    padding: u32,
}

@group(0) @binding(0) var<uniform> chunk: Chunk;
@group(0) @binding(2) var<storage, read> impulses: array<real>;
@group(0) @binding(3) var<storage, read> endings: array<vec2<u32>>;
// The rows of the linear forms of the impulse (K each); then the lower end of the histogram and its
// bins per unit.
@group(0) @binding(4) var<storage, read> forms: array<real>;
// Smallest and largest value and sum of each form, of the energy and of the residual, for each
// workgroup.
@group(0) @binding(5) var<storage, read_write> partials: array<real>;
@group(0) @binding(6) var<storage, read_write> counters: array<atomic<u32>, COUNTERS>;
@group(0) @binding(7) var<storage, read_write> flagged: array<u32>;

var<workgroup> counts: array<atomic<u32>, COUNTERS>;
var<workgroup> smallest: array<real, WORKGROUP>;
var<workgroup> largest: array<real, WORKGROUP>;
var<workgroup> sums: array<real, WORKGROUP>;

// The impulse of a sample, and the contact velocity after the impact.
fn velocity_of(i: u32, l: ptr<function, array<real, K>>, u_plus: ptr<function, array<real, K>>) {
    var x: array<real, X>;
    for (var j = 0u; j < K; j++) {
        x[j] = start_at(j);
        (*l)[j] = impulses[i * K + j];
    }
    advance(&x, l, u_plus);
}

// Twice the change of kinetic energy, dimensionless: L . (u- + u+).
fn energy_of(l: ptr<function, array<real, K>>, u_plus: ptr<function, array<real, K>>) -> real {
    var sum = ZERO;
    for (var j = 0u; j < K; j++) {
        sum += (*l)[j] * (start_at(j) + (*u_plus)[j]);
    }
    return sum;
}

// The modes of the contacts after the impact, in two bits each. Twin: Tally::modes.
fn modes_of(u_plus: ptr<function, array<real, K>>) -> u32 {
    var modes = 0u;
    for (var j = 0u; j < M; j++) {
        let rest = -rest_at(j);
        let t = M + AXES * j;
        let rest_t = rest * sigma_at(j) / sigma_at(t);
        let least = vec2<real>(rest, rest_t);
        let tangent = vec2<real>((*u_plus)[t], (*u_plus)[t + AXES - 1u]);
        let mode = mode_of((*u_plus)[j], tangent, chunk.tangents, least);
        modes |= mode << (2u * j);
    }
    return modes;
}

fn form_of(f: u32, i: u32) -> real {
    var sum = ZERO;
    for (var j = 0u; j < K; j++) {
        sum += forms[f * K + j] * impulses[i * K + j];
    }
    return sum;
}

// Counts a sample, or lists it as flagged; returns whether it is accepted. Twin: Tally::add.
fn examine(i: u32) -> bool {
    let status = endings[i].x >> 28u;
    let steps = endings[i].x & 0x0fffffffu;
    var l: array<real, K>;
    var u_plus: array<real, K>;
    velocity_of(i, &l, &u_plus);
    let worst = bitcast<f32>(endings[i].y);
    let energy = energy_of(&l, &u_plus);
    let finite = is_finite(energy);
    var at_rest = true;
    for (var j = 0u; j < M; j++) {
        at_rest = at_rest && u_plus[j] >= rest_at(j);
    }
    let limits = FlagLimits(chunk.residual, chunk.long_run);
    let gains = energy > real(chunk.gain);
    if (gains || is_flagged(status, steps, worst, at_rest, finite, limits)) {
        flagged[atomicAdd(&counters[COUNT_FLAGGED], 1u)] = i;
        return false;
    }
    atomicAdd(&counts[status], 1u);
    for (var digit = 0u; digit < STEP_DIGITS; digit++) {
        let rest = steps >> (digit * STEP_BITS);
        if (rest != 0u) {
            atomicAdd(&counts[COUNT_STEPS + digit], rest & ((1u << STEP_BITS) - 1u));
        }
    }
    atomicMax(&counts[COUNT_MOST_STEPS], steps);
    if (!is_accepted(status, worst, finite, larger(RESIDUAL, real(chunk.residual)))) {
        return false;
    }
    if (MODE_TABLE > 1u) {
        atomicAdd(&counts[COUNT_MODES + modes_of(&u_plus)], 1u);
    }
    if (chunk.histogram < chunk.forms) {
        let low = forms[chunk.forms * K];
        let place = (form_of(chunk.histogram, i) - low) * forms[chunk.forms * K + 1u];
        let bin = clamped(place, ZERO, real(f32(BINS - 1u)));
        atomicAdd(&counts[COUNT_BINS + u32(bin)], 1u);
    }
    return true;
}

// Value number f of a sample: a form, the energy, or the residual.
fn quantity(f: u32, i: u32) -> real {
    if (f < chunk.forms) {
        return form_of(f, i);
    }
    if (f > chunk.forms) {
        return real(bitcast<f32>(endings[i].y));
    }
    var l: array<real, K>;
    var u_plus: array<real, K>;
    velocity_of(i, &l, &u_plus);
    return energy_of(&l, &u_plus);
}

@compute @workgroup_size(WORKGROUP)
fn statistics(
    @builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) thread: u32,
) {
    let first = group.x * WORKGROUP * SHARE + thread;
    var kept = 0u;
    for (var n = 0u; n < SHARE; n++) {
        let i = first + n * WORKGROUP;
        if (i < chunk.count) {
            kept |= select(0u, 1u << n, examine(i));
        }
    }
    workgroupBarrier();
    for (var c = thread; c < COUNTERS; c += WORKGROUP) {
        let count = atomicLoad(&counts[c]);
        if (c == COUNT_MOST_STEPS) {
            atomicMax(&counters[c], count);
        } else if (count != 0u) {
            atomicAdd(&counters[c], count);
        }
    }
    for (var f = 0u; f < chunk.forms + 2u; f++) {
        var low = HUGE;
        var high = -HUGE;
        var sum = ZERO;
        for (var n = 0u; n < SHARE; n++) {
            if (((kept >> n) & 1u) == 1u) {
                let q = quantity(f, first + n * WORKGROUP);
                low = smaller(low, q);
                high = larger(high, q);
                sum += q;
            }
        }
        smallest[thread] = low;
        largest[thread] = high;
        sums[thread] = sum;
        workgroupBarrier();
        for (var half = WORKGROUP / 2u; half > 0u; half /= 2u) {
            if (thread < half) {
                smallest[thread] = smaller(smallest[thread], smallest[thread + half]);
                largest[thread] = larger(largest[thread], largest[thread + half]);
                sums[thread] += sums[thread + half];
            }
            workgroupBarrier();
        }
        if (thread == 0u) {
            let at = 3u * (group.x * (chunk.forms + 2u) + f);
            partials[at] = smallest[0];
            partials[at + 1u] = largest[0];
            partials[at + 2u] = sums[0];
        }
        workgroupBarrier();
    }
}
