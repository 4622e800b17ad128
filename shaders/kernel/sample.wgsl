// What the sampling kernels share: the run, the problem's numbers, and where a sample's results go.

struct Run {
    seed: vec2<u32>,
    first: vec2<u32>,
    count: u32,
    max_steps: u32,
    combinations: u32,
    first_map: u32,
    lcp_size: u32,
    random_covering: u32,
    threads: u32,
    padding: u32,
}

fn w_at(i: u32) -> real { return problem[i]; }
fn mu_at(i: u32) -> real { return problem[PROBLEM_MU + i]; }
fn sigma_at(i: u32) -> real { return problem[PROBLEM_SIGMA + i]; }
fn start_at(i: u32) -> real { return problem[PROBLEM_START + i]; }
fn cap_at(i: u32) -> real { return problem[PROBLEM_CAPS + i]; }
fn rest_at(i: u32) -> real { return problem[PROBLEM_REST + i]; }
fn key_weight(i: u32) -> real { return problem[PROBLEM_KEYS + i]; }

// Sample run.first + i of the stream.
fn sample(i: u32) {
    if (i >= run.count) {
        return;
    }
    let low = run.first.x + i;
    let stream = Stream(run.seed, vec2<u32>(low, run.first.y + select(0u, 1u, low < i)));
    var total: array<real, K>;
    let ending = routh_sample(stream, run.max_steps, &total);
    for (var j = 0u; j < K; j++) {
        impulses[i * K + j] = total[j];
    }
    endings[i] = vec2<u32>((ending.status << 28u) | ending.steps, bitcast<u32>(f32(ending.residual)));
}
