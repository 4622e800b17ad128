// The number of sample run.first + i, low word first.
fn sample_number(i: u32) -> vec2<u32> {
    let low = run.first.x + i;
    return vec2<u32>(low, run.first.y + select(0u, 1u, low < i));
}
