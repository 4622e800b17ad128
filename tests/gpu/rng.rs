//! The random numbers: exact.

use super::*;

in_both! {
    draws,
}

/// `sobol_word`, `scramble`, `sobol_block`: integers.
#[test]
pub fn sobol_points_are_those_of_the_twin() {
    let mut rng = Draws::of(8, 0);
    let mut cases: Vec<[u32; 8]> = (0..2000).map(|_| std::array::from_fn(|_| rng.word())).collect();
    for (i, case) in cases.iter_mut().enumerate() {
        // Draw, block and number of contacts; some beyond the last dimension.
        let count = 1 + case[6] % 12;
        case[4] = if i % 50 == 0 { u32::MAX - case[4] % 3 } else { case[4] % 140 };
        case[5] %= count.div_ceil(4);
        case[6] = count;
        case[7] %= sobol::DIMENSIONS as u32;
    }
    let words = [sobol::DIRECTIONS.as_flattened(), cases.as_flattened()].concat();
    let probe = Probe::<f32>::of([1, 1], &words, &[], cases.len(), [6, 0]);
    let (words, _) = probe.run(&[
        PHILOX,
        STREAM,
        SOBOL,
        "fn word(i: u32) -> u32 { return words_in[4096u + 8u * me + i]; }
        fn direction_at(i: u32) -> u32 { return words_in[i]; }
        fn probe() {
            let stream = Stream(vec2<u32>(word(0u), word(1u)), vec2<u32>(word(2u), word(3u)));
            let x = sobol_block(stream, word(4u), word(5u), word(6u));
            for (var i = 0u; i < 4u; i++) { words_out[6u * me + i] = x[i]; }
            words_out[6u * me + 4u] = sobol_word(word(2u), word(7u));
            words_out[6u * me + 5u] = scramble(word(2u), word(0u));
        }",
    ]);
    for (case, words) in cases.iter().zip(words.chunks(6)) {
        let stream = Stream::new(wide(case[0], case[1]), wide(case[2], case[3]));
        assert_eq!(words[..4], sobol::sobol_block(&stream, case[4], case[5], case[6]), "{case:?}");
        assert_eq!(words[4], sobol::sobol_word(case[2], case[7] as usize), "{case:?}");
        assert_eq!(words[5], sobol::scramble(case[2], case[0]), "{case:?}");
    }
}

#[test]
pub fn philox_meets_the_known_answers_and_its_twin() {
    let mut cases: Vec<_> = KNOWN_ANSWERS.iter().map(|&(c, k, _)| (c, k)).collect();
    let mut rng = Draws::of(1, 0);
    let random = |_| (std::array::from_fn(|_| rng.word()), [rng.word(), rng.word()]);
    cases.extend((0..10_000).map(random));
    let words: Vec<u32> = cases.iter().flat_map(|(c, k)| c.iter().chain(k)).copied().collect();
    let wide = bench().device.features().contains(wgpu::Features::SHADER_INT64);
    assert!(wide || !bench().exact, "lavapipe has integers of 64 bits");
    for philox in [Some(PHILOX), wide.then_some(WIDE_PHILOX)].into_iter().flatten() {
        let probe = Probe::<f32>::of([1, 1], &words, &[], cases.len(), [4, 0]);
        let (found, _) = probe.run(&[
                philox,
                "fn word(i: u32) -> u32 { return words_in[6u * me + i]; }
            fn probe() {
                let x = philox4x32_10(vec4<u32>(word(0u), word(1u), word(2u), word(3u)), vec2<u32>(word(4u), word(5u)));
                for (var i = 0u; i < 4u; i++) { words_out[4u * me + i] = x[i]; }
            }",
            ]);
        for (i, &(counter, key)) in cases.iter().enumerate() {
            assert_eq!(found[4 * i..4 * i + 4], philox4x32_10(counter, key), "{counter:?} {key:?}");
        }
        for (i, (_, _, expected)) in KNOWN_ANSWERS.into_iter().enumerate() {
            assert_eq!(found[4 * i..4 * i + 4], expected);
        }
    }
}

/// `stream_block`, `unit`, `index_below`, `multiply_high`: integers and exact numbers.
pub fn draws<R: Real>() {
    const EDGES: [u32; 6] = [0, 1, 0xffff, 0x1_0000, 0x8000_0000, u32::MAX];
    let purposes = [Purpose::Rate, Purpose::Solution, Purpose::Covering, Purpose::User];
    let mut rng = Draws::of(2, 0);
    let mut cases: Vec<[u32; 9]> = EDGES
        .iter()
        .flat_map(|&a| EDGES.map(|b| [a, b, b, a, a, 3, b & 0xff_ffff, a, b]))
        .collect();
    cases.extend((0..4096).map(|i| {
        let mut case: [u32; 9] = std::array::from_fn(|_| rng.word());
        case[5] = i % 4;
        case[6] &= 0xff_ffff;
        case
    }));
    let probe = Probe::<R>::of([1, 1], cases.as_flattened(), &[], cases.len(), [6, 1]);
    let (words, numbers) = probe.run(&[
        PHILOX,
        STREAM,
        "fn word(i: u32) -> u32 { return words_in[9u * me + i]; }
        fn probe() {
            let stream = Stream(vec2<u32>(word(0u), word(1u)), vec2<u32>(word(2u), word(3u)));
            let x = stream_block(stream, word(4u), word(5u), word(6u));
            for (var i = 0u; i < 4u; i++) { words_out[6u * me + i] = x[i]; }
            words_out[6u * me + 4u] = index_below(word(7u), word(8u));
            words_out[6u * me + 5u] = multiply_high(word(7u), word(8u));
            numbers_out[me] = unit(word(7u));
        }",
    ]);
    for (i, case) in cases.iter().enumerate() {
        let stream = Stream::new(wide(case[0], case[1]), wide(case[2], case[3]));
        let block = stream.block(case[4], purposes[case[5] as usize], case[6]);
        assert_eq!(words[6 * i..6 * i + 4], block, "{case:?}");
        assert_eq!(words[6 * i + 4], stream::index(case[7], case[8]), "{case:?}");
        let high = (u64::from(case[7]) * u64::from(case[8])) >> 32;
        assert_eq!(words[6 * i + 5], high as u32, "{case:?}");
        assert_eq!(numbers[i].to_f64(), f64::from(stream::unit(case[7])), "{case:?}");
    }
}

pub fn wide(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}
