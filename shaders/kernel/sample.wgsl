// Common parts of the sampling kernels: the run, their bindings, and the state of a sample between
// dispatches.

struct Run {
    seed: vec2<u32>,
    first: vec2<u32>,
    count: u32,
    max_steps: u32,
    combinations: u32,
    first_map: u32,
    lcp_size: u32,
    random_covering: u32,
    // Number of threads of a dispatch; each computes every threads-th sample, starting at its own
    // index.
    threads: u32,
    // Most units of work in one dispatch: steps, pivots, combinations of modes, Newton steps.
    budget: u32,
    // 1 in the first dispatch of a chunk.
    fresh: u32,
    // Samples of each problem, if there are several problems.
    samples: u32,
    // Number of steps that share one draw of the rates.
    persist: u32,
    // 1: contacts store impulse (Poisson) instead of work (Stronge).
    poisson: u32,
    // Bounds for the choice of a sample's sampler, see sampler_of.
    sampler: vec2<u32>,
    // M and K as run-time values, for loops that the compiler should not unroll.
    contacts: u32,
    rows: u32,
    // Stride of numbers of one kind that a kernel keeps between dispatches; each thread has one
    // number.
    stride: u32,
    padding0: u32,
    padding1: u32,
    padding2: u32,
}

// In addition to the status codes: the sample has not begun (WAITING), or is in progress, between
// two steps (RUNNING) or within one (PIVOTING).
const WAITING = 13u;
const RUNNING = 14u;
const PIVOTING = 15u;

@group(0) @binding(0) var<uniform> run: Run;
// Total impulses of all samples of the dispatch, then contact velocities of samples in progress.
@group(0) @binding(5) var<storage, read_write> impulses: array<real>;
@group(0) @binding(6) var<storage, read_write> endings: array<vec2<u32>>;
@group(0) @binding(7) var<storage, read_write> remaining: atomic<u32>;
// The direction numbers of Sobol's points, dimension by dimension.
@group(0) @binding(10) var<uniform> directions: array<vec4<u32>, SOBOL_FOURS>;

// one_problem.wgsl or many_problems.wgsl provides max_steps, seed_of, sample_number,
// problem_number, and the places of tables.
fn persist() -> u32 { return run.persist; }
fn below() -> vec2<u32> { return run.sampler; }
fn direction_at(i: u32) -> u32 { return directions[i / 4u][i % 4u]; }

// The index of a thread. A dispatch of many workgroups has rows of ROW workgroups.
fn thread_of(id: vec3<u32>) -> u32 { return id.y * ROW * WORKGROUP + id.x; }

fn stream_of(i: u32) -> Stream { return Stream(seed_of(i), sample_number(i)); }

// The thread's first sample that earlier dispatches have not ended.
fn first_left(thread: u32) -> u32 {
    var i = thread;
    while (run.fresh == 0u && i < run.count && endings[i].x >> 28u < WAITING) {
        i += run.threads;
    }
    return i;
}

// Sample i in the state at the end of the last dispatch.
fn load(i: u32) -> Sample {
    enter(i);
    var s: Sample;
    var ending = vec2<u32>(WAITING << 28u, 0u);
    if (run.fresh == 0u) {
        ending = endings[i];
    }
    s.status = ending.x >> 28u;
    for (var j = 0u; j < K; j++) {
        s.x[j] = start_at(j);
    }
    if (s.status != WAITING) {
        for (var j = 0u; j < K; j++) {
            s.x[j] = impulses[(run.count + i) * K + j];
            s.total[j] = impulses[i * K + j];
        }
    }
    s.steps = ending.x & 0x0fffffffu;
    s.residual = bitcast<f32>(ending.y);
    return s;
}

fn store(i: u32, s: ptr<function, Sample>) {
    for (var j = 0u; j < K; j++) {
        impulses[i * K + j] = (*s).total[j];
    }
    endings[i] = vec2<u32>(((*s).status << 28u) | (*s).steps, bitcast<u32>((*s).residual));
    if ((*s).status >= RUNNING) {
        for (var j = 0u; j < K; j++) {
            impulses[(run.count + i) * K + j] = (*s).x[j];
        }
        atomicAdd(&remaining, 1u);
    }
}

// Leaves samples first, first + run.threads, ... to the next dispatch.
fn postpone(first: u32) {
    for (var i = first; i < run.count; i += run.threads) {
        if (run.fresh == 1u) {
            endings[i] = vec2<u32>(WAITING << 28u, 0u);
        }
        if (endings[i].x >> 28u >= WAITING) {
            atomicAdd(&remaining, 1u);
        }
    }
}
