// Sobol's points, scrambled. Twin: src/core/rng/sobol.rs.
// The kernel provides direction_at.

// Coordinate `dimension` of point `index`, in units of 2^-32, not scrambled. Twin: sobol_word in
// src/core/rng/sobol.rs.
fn sobol_word(index: u32, dimension: u32) -> u32 {
    var bits = index ^ (index >> 1u);
    var word = 0u;
    while (bits != 0u) {
        word ^= direction_at(dimension * SOBOL_BITS + firstTrailingBit(bits));
        bits &= bits - 1u;
    }
    return word;
}

// Owen's scrambling of a coordinate by a hash. Twin: scramble in src/core/rng/sobol.rs.
fn scramble(word: u32, key: u32) -> u32 {
    var x = reverseBits(word) + key;
    x ^= x * 0x6c50b47cu;
    x ^= x * 0xb82f1e52u;
    x ^= x * 0xc7afe638u;
    x ^= x * 0x8d22f6e6u;
    return reverseBits(x);
}

// Block `block` of the draws of number `draw`, each block with four of the `count` draws. Twin:
// sobol_block in src/core/rng/sobol.rs.
fn sobol_block(stream: Stream, draw: u32, block: u32, count: u32) -> vec4<u32> {
    let run_out = draw >= DIMENSIONS;
    let first = select(draw, 0u, run_out) * count + 4u * block;
    var words = vec4<u32>();
    if (run_out || first + 4u > DIMENSIONS) {
        words = stream_block(stream, draw, PURPOSE_RATE, block);
    }
    if (!run_out && first < DIMENSIONS) {
        let all_samples = Stream(stream.key, vec2<u32>(0u, stream.sample.y));
        let keys = stream_block(all_samples, draw, PURPOSE_SCRAMBLING, block);
        // An array: some compilers write to the wrong component of a vector with an index.
        var each = array<u32, 4>(words.x, words.y, words.z, words.w);
        for (var j = 0u; j < min(4u, DIMENSIONS - first); j++) {
            each[j] = scramble(sobol_word(stream.sample.x, first + j), keys[j]);
        }
        words = vec4<u32>(each[0], each[1], each[2], each[3]);
    }
    return words;
}
