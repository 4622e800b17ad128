// All problems have the same number of contacts, and each has run.samples samples: thread number i
// computes a sample of problem i / run.samples.

// The offsets of a problem's table, its step limit, the seed of its samples, and the number of its
// first sample, low words first.
struct Place {
    first_span: u32,
    combinations: u32,
    first_condition: u32,
    first_map: u32,
    max_steps: u32,
    seed_low: u32,
    seed_high: u32,
    first_low: u32,
    first_high: u32,
}

@group(0) @binding(1) var<storage, read> problems: array<vec4<real>>;
@group(0) @binding(8) var<storage, read> places: array<Place>;

var<private> which: u32;

// Selects the problem of thread i.
fn enter(i: u32) { which = (run.first.x + i) / run.samples; }
fn problem_number() -> u32 { return which; }
fn number(i: u32) -> real { return problems[which * PROBLEM_FOURS + i / 4u][i % 4u]; }
fn max_steps() -> u32 { return places[which].max_steps; }
fn first_span() -> u32 { return places[which].first_span; }
fn combinations() -> u32 { return places[which].combinations; }
fn first_condition() -> u32 { return places[which].first_condition; }
fn first_map() -> u32 { return places[which].first_map; }

// The seed of thread i's sample.
fn seed_of(i: u32) -> vec2<u32> {
    let place = places[(run.first.x + i) / run.samples];
    return vec2<u32>(place.seed_low, place.seed_high);
}

// The number of thread i's sample within its problem.
fn sample_number(i: u32) -> vec2<u32> {
    let place = places[(run.first.x + i) / run.samples];
    let low = place.first_low + (run.first.x + i) % run.samples;
    return vec2<u32>(low, place.first_high + select(0u, 1u, low < place.first_low));
}
