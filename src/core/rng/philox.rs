//! The counter-based generator Philox4x32-10 of \[SMDS11\].

const MULTIPLIERS: [u64; 2] = [0xD251_1F53, 0xCD9E_8D57];
const LOW: u64 = 0xFFFF_FFFF;
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];

/// Four random words: ten Philox rounds of `counter` under `key`.
///
/// Source: \[SMDS11\] Sec. 3.3, algorithm Philox4x32-10. Integers only: the same words on every
/// device. Twin: `shaders/rng/philox.wgsl::philox4x32_10`.
#[inline(always)]
pub fn philox4x32_10(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    // 64-bit words hold the 32-bit state in their lower halves, which vector units multiply
    // fastest.
    let mut x = counter.map(u64::from);
    let mut k = key;
    for _ in 0..10 {
        let a = MULTIPLIERS[0] * (x[0] & LOW);
        let b = MULTIPLIERS[1] * (x[2] & LOW);
        x = [(b >> 32) ^ x[1] ^ u64::from(k[0]), b, (a >> 32) ^ x[3] ^ u64::from(k[1]), a];
        k = [k[0].wrapping_add(WEYL[0]), k[1].wrapping_add(WEYL[1])];
    }
    x.map(|word| word as u32)
}

/// Known answers published with \[SMDS11\] (`kat_vectors` of Random123): counter, key, output.
pub const KNOWN_ANSWERS: [([u32; 4], [u32; 2], [u32; 4]); 3] = [
    ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
    ([u32::MAX; 4], [u32::MAX; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
    (
        [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
        [0xa409_3822, 0x299f_31d0],
        [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meets_the_published_known_answers() {
        for (counter, key, expected) in KNOWN_ANSWERS {
            assert_eq!(philox4x32_10(counter, key), expected);
        }
    }
}
