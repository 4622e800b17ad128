// Draws of relative impulse rates. Twin: src/core/draws/rates.rs. The kernel provides cap_at,
// rest_at, persist and below.

// The pure samplers.
const UNIFORM = 0u;
const SOBOL = 1u;
const COVERAGE = 2u;

// The sampler of a sample. Twin: Sampler::of in src/core/draws/sampler.rs.
fn sampler_of(stream: Stream) -> u32 {
    let below = below();
    if (below.x == SAMPLER_WHOLE || below.y == 0u || (below.x == 0u && below.y == SAMPLER_WHOLE)) {
        return select(select(SOBOL, COVERAGE, below.y == 0u), UNIFORM, below.x == SAMPLER_WHOLE);
    }
    let number = stream_block(stream, 0u, PURPOSE_SAMPLER, 0u).x >> 8u;
    return select(select(COVERAGE, SOBOL, number < below.y), UNIFORM, number < below.x);
}

// The length of a step of the sampler `coverage`. Twin: stretch in src/core/draws/rates.rs.
fn stretch(octave: u32, place: u32) -> real {
    let power = real(f32(1u << index_below(octave, 6u)) * 0.25f);
    return power * (ONE + unit(place));
}

// The impulse bounds c = h p of step number `step`, with p from the stream. Twin: Rates::draw_caps
// in src/core/draws/rates.rs.
fn draw_caps(stream: Stream, step: u32, s: ptr<function, Sample>) {
    let draw = step / persist();
    let sampler = sampler_of(stream);
    var words = vec4<u32>();
    for (var i = 0u; i < M; i++) {
        if (i % 4u == 0u && sampler == SOBOL) {
            words = sobol_block(stream, draw, i / 4u, M);
        } else if (i % 4u == 0u) {
            words = stream_block(stream, draw, PURPOSE_RATE, i / 4u);
        }
        (*s).x[K + i] = cap_at(i) * unit(words[i % 4u]);
    }
    if (sampler != COVERAGE) {
        return;
    }
    words = stream_block(stream, draw, PURPOSE_ORDER, 0u);
    let length = stretch(words.x, words.y);
    var approach = false;
    for (var subset = 0u; subset < SUBSETS && !approach; subset++) {
        let first = 1u + subset * (1u + (M + 3u) / 4u);
        var wanted = 1u + index_below(stream_block(stream, draw, PURPOSE_ORDER, first).x, M);
        for (var i = 0u; i < M; i++) {
            if (i % 4u == 0u) {
                words = stream_block(stream, draw, PURPOSE_ORDER, first + 1u + i / 4u);
            }
            let chosen = index_below(words[i % 4u], M - i) < wanted;
            wanted -= select(0u, 1u, chosen);
            approach = approach || (chosen && (*s).x[i] < rest_at(i));
            // A negative bound marks a contact that is not in the subset.
            let cap = abs((*s).x[K + i]);
            (*s).x[K + i] = select(-cap, cap, chosen);
        }
    }
    for (var i = 0u; i < M; i++) {
        let cap = (*s).x[K + i];
        (*s).x[K + i] = length * select(abs(cap), larger(cap, ZERO), approach);
    }
}
