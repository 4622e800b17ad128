// Samples of a list, counted from run.first.

@group(0) @binding(11) var<storage, read> listed: array<u32>;

// The number of the sample of thread i, low word first.
fn sample_number(i: u32) -> vec2<u32> {
    let low = run.first.x + listed[i];
    return vec2<u32>(low, run.first.y + select(0u, 1u, low < run.first.x));
}
