// The random numbers of a sample, each computed from its address: seed, sample, step and purpose.
// Twin: src/core/rng/stream.rs.

struct Stream {
    key: vec2<u32>,
    sample: vec2<u32>,
}

fn stream_block(stream: Stream, step: u32, purpose: u32, block: u32) -> vec4<u32> {
    var sample = stream.sample;
    if (purpose == PURPOSE_PARAMETER) {
        // The second impact of a sample, marked by the first bit, shares its parameters.
        sample.y &= 0x7fffffffu;
    }
    return philox4x32_10(vec4<u32>(sample, step, (purpose << 24u) | block), stream.key);
}

// A number in [0, 1) with 24 bits, exact in f32 and in f64.
fn unit(word: u32) -> real {
    return real(f32(word >> 8u) * 5.9604644775390625e-8f);
}

// An index below count; the indices are equally likely up to 2^-32 relative to count.
fn index_below(word: u32, count: u32) -> u32 {
    return multiply_high(word, count);
}
